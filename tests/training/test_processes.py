"""Several processes that train one policy together: they end with the same one, and learn from all their games."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_agents.policies.board.network import BoardNetwork
from ursuppe_training.devices import Processes, workers
from ursuppe_training.networks.critic import predicted_outcomes
from ursuppe_training.networks.files import new_policy
from ursuppe_training.ppo.learner import Learner, LossWeights, choose
from ursuppe_training.ppo.rollout import Minibatch
from ursuppe_training.runs.trainer import Trainer

from support.training import MIXED, SMALL_OPTIONS, TINY, set_options, under_way

SCRIPT = Path(__file__).with_name("together.py")
TRAINED = TINY.changed(
    {"opponents": MIXED, "teachers": ("random",), "whole_tables": 0.8, "steps": 2000, "snapshot_every": 600}
)
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
TORCHRUN += ["--local-addr", "127.0.0.1"]  # the name of this machine may be nobody's


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """The folder in which two processes did what ``together.py`` says, and what they printed."""
    folder = tmp_path_factory.mktemp("together")
    options = [*SMALL_OPTIONS, *set_options(evaluate_every=10_000, checkpoint_every=200), "--threads", "1"]
    command = [*TORCHRUN, "--log-dir", folder / "logs", SCRIPT, json.dumps(TRAINED.model_dump()), folder, *options]
    return folder, subprocess.run(command, check=True, timeout=300, stdout=subprocess.PIPE, text=True).stdout


def test_two_processes_end_with_the_same_policy_and_resume_bit_for_bit(together):
    first, second = (torch.load(together[0] / f"{rank}.pt") for rank in (0, 1))
    assert first["decisions"] == second["decisions"] >= 2000
    assert first["games"] == 2  # the groups of both processes are in a checkpoint
    [whole, resumed], [whole_of_second, resumed_of_second] = first["policies"], second["policies"]
    for name, weights in whole.items():
        for other in (resumed, whole_of_second, resumed_of_second):
            assert torch.equal(weights, other[name]), name


def test_a_run_of_two_processes_has_one_folder_and_is_resumed(together):
    folder, told = together
    whole, resumed = folder / "whole", folder / "resumed"
    assert told == f"policy: {whole / 'best.zip'}\npolicy: {resumed / 'best.zip'}\n"
    assert json.loads((whole / "provenance.json").read_text())["processes"] == 2
    for name in ("latest.zip", "evaluation.json"):
        assert (resumed / name).read_bytes() == (whole / name).read_bytes()


class HalfOf(Processes):
    """The first of two processes; what the other one has is given."""

    def __init__(self, others):
        self._others = others

    def add_up(self, tensors):
        for tensor, other in zip(tensors, self._others, strict=True):
            tensor += other


def test_the_gradients_of_two_processes_are_those_of_one_with_all_decisions():
    policy = new_policy(TINY)
    games = under_way(500, 50)
    n = len(games)
    generator = np.random.default_rng(1)
    decisions = choose(BoardNetwork(policy.weights()), games, generator.random(n, np.float32))
    advantages = torch.from_numpy(generator.normal(size=n).astype(np.float32))
    returns = predicted_outcomes(torch.from_numpy(generator.normal(size=(n, 4, 3)).astype(np.float32)))

    def gradients(rows, processes):
        batch = Minibatch(rows, advantages[rows], returns[rows], n)
        with workers(1) as pool:
            Learner(policy, games.rulesets, pool, processes).ppo_gradients(decisions, batch, LossWeights(0.2, 0.01))
        return [parameter.grad.clone() for parameter in policy.parameters()]

    rows = torch.randperm(n)
    of_second = gradients(rows[n // 3 :], Processes())
    together = gradients(rows[: n // 3], HalfOf(of_second))
    for one, other in zip(together, gradients(rows, Processes()), strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)
    assert not any(gradient.any() for gradient in gradients(rows[:0], Processes()))  # of a process that has no rows


def test_there_must_be_a_game_for_each_process():
    together = Processes()
    together.count = 3
    with pytest.raises(ValueError, match=r"^envs is 2; 3 processes need at least one game each$"):
        Trainer(TINY.changed({"envs": 2}), processes=together)


def test_a_checkpoint_after_the_last_evaluations_needs_no_process_that_is_gone(monkeypatch):
    trainer = Trainer(TINY)
    trainer.load_state_dict(Trainer(TINY).state_dict())
    monkeypatch.setattr(trainer.processes, "gathered", None)
    assert trainer.state_dict()["games"]


class TwoOfIt(Processes):
    """The first of two processes; the other one does the same."""

    def sums(self, numbers):
        return 2 * numbers

    def gathered(self, value):
        return [value, value]


def test_processes_whose_time_ends_in_the_first_rollout_have_exchanged_their_games(monkeypatch):
    trainer = Trainer(TINY, processes=TwoOfIt(count=2))
    assert not trainer.self_play.collect([0], 1.0, is_cloning=False, goes_on=lambda: False)
    monkeypatch.setattr(TwoOfIt, "gathered", None)  # the other one has left
    assert trainer.state_dict()["games"]


def test_a_checkpoint_of_more_processes_is_refused():
    together = Processes()
    together.count = 3
    saved = Trainer(TINY).state_dict()
    with pytest.raises(ValueError, match=r"^its 16 games are in 2 groups, here in 3; go on with as many processes as"):
        Trainer(TINY, processes=together).load_state_dict(saved)
