"""What tiny runs play is not worth a process, nor how fast they are a trial."""

import sys
from pathlib import Path

import pytest
import torch

from ursuppe_env import jobs
from ursuppe_training.exploit import finished_run, measuring
from ursuppe_training.exploit import plan as planning
from ursuppe_training.runs import evaluations as run_evaluations

from support.benchmarks import played, played_once, small  # noqa: F401 (fixtures)
from support.training import A_GAME, BOTS, EVALUATION_GAMES, SPEED, Here

torch.set_num_threads(1)  # the workers of pytest-xdist share the cores


@pytest.fixture(scope="module", autouse=True)
def _here(request):
    """All games are played in this process, but for the evaluations of modules that have ``BESIDE = True``, and where a
    test asks for several workers. Nobody tries how long that takes.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "BESIDE", False):
            patch.setattr(run_evaluations, "Beside", Here)
        patch.setattr(jobs, "available_cores", lambda: 1)
        for module in (finished_run, measuring):
            patch.setattr(module, "tried_speed", lambda *_: SPEED)
            patch.setattr(module, "tried_seconds_a_game", lambda *_: A_GAME)
        yield


@pytest.fixture(scope="module")
def short_measurements():
    """Two scripted agents are tried beside best responses, whose evaluations are short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "scripted_agents", lambda: ["grow", "hunter"])
        for module in (finished_run, planning):
            patch.setattr(module, "EVALUATION_GAMES", EVALUATION_GAMES)
        yield


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """The folder that has a module of ``BOTS`` is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("bots.py").write_text(BOTS)
    yield tmp_path
    sys.modules.pop("bots", None)
