"""The workers of pytest-xdist share the cores; evaluations of tiny runs are not worth a process."""

import sys
from pathlib import Path

import pytest
import torch

from ursuppe_training.networks.files import save_policy
from ursuppe_training.runs import evaluations as run_evaluations

from support.policies import SMALL, random_policy
from support.training import BOTS, Here

torch.set_num_threads(1)


@pytest.fixture(scope="module", autouse=True)
def _evaluations_here(request):
    """Evaluations are played in this process, but for modules that have ``BESIDE = True``."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "BESIDE", False):
            patch.setattr(run_evaluations, "Beside", Here)
        yield


@pytest.fixture(scope="session")
def policy_file(tmp_path_factory):
    """An untrained policy."""
    path = tmp_path_factory.mktemp("policies") / "policy.zip"
    save_policy(random_policy(), SMALL, path)
    return path


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """The folder that has a module of ``BOTS`` is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("bots.py").write_text(BOTS)
    yield tmp_path
    sys.modules.pop("bots", None)
