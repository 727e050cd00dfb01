"""Evaluations beside a run: the same figures whenever they are over, also after an interruption, and clean ends."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ursuppe_env.cli import run as run_command
from ursuppe_training.evaluation.history import read_history
from ursuppe_training.networks.files import load_policy
from ursuppe_training.runs import evaluations as run_evaluations
from ursuppe_training.runs.checkpoints import Checkpoints
from ursuppe_training.runs.run import Run

from support.interrupting import interrupted
from support.training import BOTS, BRIEF, Here, are_equal, repair_bots, silent, stop_after, weights

BESIDE = True  # a process of its own plays them, where a test does not say otherwise

#: Evaluations after 32, 64 and 96 decisions, with a duel in the last two; checkpoints after 48 and 96.
CONFIG = BRIEF.changed(
    {"steps": 96, "evaluate_every": 32, "evaluation_games": 4, "checkpoint_every": 48, "report_games": 0}
    | {"evaluation_pool": ["random", "grow", "best"]}
)


class Late(Here):
    """Evaluations that are over only when they are waited for, at the end of the training."""

    def begin(self, job):
        super().begin(job)
        self.is_ready = False


def played_by(monkeypatch, kind):
    monkeypatch.setattr(run_evaluations, "Beside", kind)


def what_was_found(folder):
    """The evaluations and what follows from them, without the time that it took."""
    history = [replace(one, seconds=0.0) for one in read_history(folder / "evaluations.jsonl")]
    return history, (folder / "best.zip").read_bytes(), (folder / "latest.zip").read_bytes()


def pending_in(folder):
    """The steps of the policies that each checkpoint has as still to be evaluated, the newest first."""
    return [[kept["step"] for kept in saved["pending"]] for _, saved in Checkpoints(folder, 9).read()]


@pytest.fixture(scope="module")
def played_here(tmp_path_factory):
    """A run whose evaluations were played one by one in its own process, each as soon as it was due."""
    folder = tmp_path_factory.mktemp("here") / "run"
    with pytest.MonkeyPatch.context() as patch:
        played_by(patch, Here)
        Run.begin(folder, CONFIG, silent).train()
    return folder


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    """The same with evaluations that are over late; what it said, and how much training was left when it waited."""
    folder, said, waited_for = tmp_path_factory.mktemp("late") / "run", [], []

    class Noted(Late):
        def result(self):
            waited_for.append(run.trainer.progress_remaining)
            return super().result()

    with pytest.MonkeyPatch.context() as patch:
        played_by(patch, Noted)
        run = Run.begin(folder, CONFIG, said.append)
        run.train()
    assert max(one.seconds for one in read_history(folder / "evaluations.jsonl")) <= run.trainer.seconds
    return folder, said, waited_for


def with_bot(name):
    """A run that is over at once, but for an evaluation with this bot."""
    return CONFIG.changed({"evaluation_pool": [f"bots:{name}"], "evaluate_every": 48})


#: The command that goes on with it.
RESUME = ["train", "--resume", "run", "--allow-module", "bots", "--threads", "1"]


def test_a_process_beside_the_run_finds_what_the_run_itself_would(played_here, tmp_path):
    Run.begin(tmp_path / "run", CONFIG, silent).train()
    assert what_was_found(tmp_path / "run") == what_was_found(played_here)


def test_several_that_wait_are_played_in_order_each_against_the_best_until_then(late, played_here):
    folder, said, _ = late
    history, *_ = found = what_was_found(folder)
    assert found == what_was_found(played_here)
    assert {one.step for one in history if one.opponent == "best"} == {64, 96}
    assert [line.split(" decisions")[0] for line in said[:3]] == ["32", "64", "96"]


def test_training_does_not_wait_for_evaluations(late):
    folder, _, waited_for = late
    assert set(waited_for) == {0}  # of the training was left
    kept = sorted({one.seconds for one in read_history(folder / "evaluations.jsonl")})
    assert len(kept) == 3  # when each policy was kept, not when its evaluation was over


def test_tensorboard_has_each_evaluation_at_its_own_step(late):
    folder, *_ = late
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    history = read_history(folder / "evaluations.jsonl")
    for opponent in {one.opponent for one in history}:
        shown = {event.step: event.value for event in events.Scalars(f"evaluation/{opponent}")}
        of_history = {one.step: one.mean for one in history if one.opponent == opponent}
        assert shown == pytest.approx(of_history)


@pytest.mark.parametrize(("kind", "decisions"), [(Late, 52), (Here, 90)])
def test_what_was_pending_when_a_run_was_interrupted_is_played_again(
    kind, decisions, played_here, tmp_path, monkeypatch
):
    played_by(monkeypatch, Late)
    folder = tmp_path / "run"
    run = Run.begin(folder, CONFIG, silent)
    stop_after(run, decisions)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    assert pending_in(folder) == [[32]]
    played_by(monkeypatch, kind)
    Run.resume(folder, silent).train()
    assert what_was_found(folder) == what_was_found(played_here)
    assert are_equal(*(weights(load_policy(one / "latest.zip")) for one in (folder, played_here)))
    assert pending_in(folder)[0] == []


def test_interrupted_while_the_last_ones_are_waited_for_it_goes_on_with_them(played_here, tmp_path, monkeypatch):
    played_by(monkeypatch, Late)
    folder, run = tmp_path / "run", None
    run = Run.begin(folder, CONFIG, silent)

    def stop(now):
        if now.doing == "the last evaluations" and now.over == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.train(stop)
    assert pending_in(folder)[0] == [32, 64, 96]
    assert "What was learned up to 96 decisions is kept" in run.said_when_interrupted()
    Run.resume(folder, silent).train()
    assert what_was_found(folder) == what_was_found(played_here)


def test_a_checkpoint_whose_pending_policy_is_damaged_is_not_gone_on_from(played_here, tmp_path, monkeypatch):
    played_by(monkeypatch, Late)
    folder = tmp_path / "run"
    run = Run.begin(folder, CONFIG.changed({"checkpoint_every": 16}), silent)
    stop_after(run, 80)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    assert pending_in(folder)[0][-1] == 64
    policy, other = (folder / "policies" / f"{step:012}.zip" for step in (64, 32))
    for content in (policy.read_bytes()[:-9], other.read_bytes(), None):  # cut, another one, none
        if content is None:
            policy.unlink()
        else:
            policy.write_bytes(content)
        said = []
        resumed = Run.resume(folder, said.append)
        assert "cannot be used" in said[0]
        assert str(policy) in said[0]
    resumed.train()
    assert what_was_found(folder)[0] == what_was_found(played_here)[0]


class Died(Here):
    """A process that dies at its first job."""

    def begin(self, job):
        self.is_busy = self.is_ready = True

    def result(self):
        raise ChildProcessError(f"{self.name} died")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Here, "ursuppe: agent bots:Crashing crashed: ValueError: no food"),
        (Died, "ursuppe: the process that plays the evaluations died"),
    ],
)
def test_what_goes_wrong_beside_the_run_is_one_line_and_the_run_can_go_on(kind, message, bots, monkeypatch, capsys):
    played_by(monkeypatch, kind)
    after_its_trial = BOTS.replace("parent_process()", "games.rounds[rows].max() > 1")
    Path("bots.py").write_text(after_its_trial)
    Run.begin(Path("run"), with_bot("Crashing"), silent)
    assert run_command(RESUME) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith(message)
    assert not list(bots.rglob("*.unfinished"))
    for file in Path("run/policies").iterdir():
        load_policy(file)
    played_by(monkeypatch, Here)
    repair_bots()
    assert run_command(RESUME) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there Ctrl-C is no signal that one process can send another")
def test_ctrl_c_ends_the_process_of_the_evaluations_too(bots):
    Run.begin(Path("run"), with_bot("Slow").changed({"steps": 10**9}), silent)
    *_, kept, last = interrupted(RESUME, "playing")
    assert kept.startswith("What was learned up to ")
    assert kept.endswith("continue with: ursuppe train --resume run --allow-module bots")
    assert last == "ursuppe: interrupted"
    assert not list(bots.rglob("*.unfinished"))
    assert json.loads(Path("run/provenance.json").read_text())
