"""The tests share one compiled engine, and compiled agents."""

import os
import signal
import tempfile
from collections import deque
from pathlib import Path

import pytest

from ursuppe_env.cli.cache import compile_all

os.environ.setdefault("OMP_NUM_THREADS", "1")  # of torch, here and in what tests start: the workers share the cores
os.environ.setdefault("SB3_LOGDIR", tempfile.gettempdir())  # else each training makes a folder there
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"
for _name in ("FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR", "PY_COLORS", "TERMINAL_WIDTH"):  # which change what is shown
    os.environ.pop(_name, None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it each program of a test compiles all modules again

collect_ignore = [
    "browser",  # needs Chromium: `make browser`
    "integrations",  # need other libraries: `make integrations`
]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile everything once, before the workers of pytest-xdist start."""
    if hasattr(session.config, "workerinput"):
        return
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of a job in the background: what tests start inherits it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    deque(compile_all(), maxlen=0)


@pytest.fixture(scope="session")
def policy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an untrained policy for 4 players."""
    from ursuppe_training.networks.files import save_policy

    from support.policies import SMALL, random_policy  # which import torch

    path = tmp_path_factory.mktemp("policy") / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path
