"""The tests share one compiled engine, and compiled agents."""

import signal
from collections import deque

import pytest
from numba import config

from ursuppe_env.cli.cache import compile_all

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
    if not config.DISABLE_JIT:
        deque(compile_all(), maxlen=0)
