"""Runs that are killed or interrupted at any moment end as if they had not been."""

import json
import shlex
import shutil
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w
import torch

from ursuppe_agents.policies import files as policy_files
from ursuppe_env.cli import run as run_command
from ursuppe_env.files import SEAL_LENGTH, write_atomically
from ursuppe_training.evaluation import history, job
from ursuppe_training.evaluation.history import read_history
from ursuppe_training.runs import checkpoints
from ursuppe_training.runs import evaluations as run_evaluations
from ursuppe_training.runs import run as runs
from ursuppe_training.runs.checkpoints import Checkpoints
from ursuppe_training.runs.run import Run

from support.training import BRIEF, TINY, evaluate_by, evaluation_of, silent, stop_begun


class Killed(BaseException):
    """What a kill at this moment is like: nothing is tidied up by us."""


def count_writes(monkeypatch, die_before):
    """Die instead of the write or removal of this number; returns a list that has as many items as there were."""
    done = []

    def counted(function):
        def write(*arguments):
            if len(done) == die_before:
                raise Killed
            done.append(arguments)
            return function(*arguments)

        return write

    for module in (runs, run_evaluations, checkpoints, history, policy_files):
        monkeypatch.setattr(module, "write_atomically", counted(write_atomically))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))
    return done


def quick_evaluation(model, pool, num_games, seed, ruleset, **_):
    """In place of games: a figure that every bit of the weights has its part in."""
    share = zlib.crc32(model.read_bytes()[: -2 * SEAL_LENGTH]) / 2**32
    return evaluation_of(share, "random", num_games, seed)


def what_a_run_has(folder):
    """All that a run must have in the end, without the time that it took."""
    names = ("config.toml", "latest.zip", "best.zip", "curves.svg", "evaluation.json")
    found = {name: (folder / name).read_bytes() for name in names}
    found["policies"] = {path.name: path.read_bytes() for path in (folder / "policies").iterdir()}
    found["history"] = [replace(figure, seconds=0.0) for figure in read_history(folder / "evaluations.jsonl")]
    found["provenance"] = sorted(json.loads((folder / "provenance.json").read_text()))
    for path, saved in Checkpoints(folder, 1).read():
        saved["trainer"].pop("seconds")
        for figure in (*saved["evaluations"], *saved["pending"]):
            figure.pop("seconds")
        found[path.name] = plain(saved)
    return found


def plain(value):
    """The value with its tensors as bytes, to be compared."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, torch.Tensor):
        return value.shape, value.flatten().view(torch.uint8).numpy().tobytes()
    return value


def test_a_run_that_is_killed_at_any_write_ends_as_an_uninterrupted_one_which_has_nothing_left_to_do(
    tmp_path, monkeypatch
):
    # The last of the evaluations and the last of the checkpoints are due at the last decision.
    config = BRIEF.changed({"evaluate_every": 24, "checkpoint_every": 16, "checkpoints": 2})
    evaluate_by(monkeypatch, quick_evaluation)
    monkeypatch.setattr(job, "draw_curves", lambda figures: str([replace(one, seconds=0) for one in figures]).encode())
    whole = tmp_path / "whole"
    with monkeypatch.context() as patch:
        writes = count_writes(patch, die_before=None)
        Run.begin(whole, config, silent).train()
    expected = what_a_run_has(whole)
    assert len({figure.step for figure in expected["history"]}) == 2
    assert len(writes) > 12
    for number in range(1, len(writes)):  # before the first one there is no run to resume
        folder = tmp_path / f"{number}"
        with monkeypatch.context() as patch:
            count_writes(patch, die_before=number)
            with pytest.raises(Killed):
                Run.begin(folder, config, silent).train()
        Run.resume(folder, silent).train()
        assert what_a_run_has(folder) == expected, writes[number]
        shutil.rmtree(folder)
    writes = count_writes(monkeypatch, die_before=0)
    Run.resume(whole, silent).train()
    assert writes == []


@pytest.mark.parametrize(
    ("checkpoint_every", "says"),
    [
        (10**6, "Nothing that was learned is kept, because there was no checkpoint yet; begin anew with: "),
        (100, "What was learned up to 512 decisions is kept; continue with: "),
    ],
)
def test_ctrl_c_says_what_is_kept(checkpoint_every, says, tmp_path, monkeypatch, capsys):
    stop_begun(monkeypatch, 1, decisions=700)
    (tmp_path / "study").mkdir()
    file = tmp_path / "study" / "tiny.toml"
    file.write_bytes(tomli_w.dumps(TINY.changed({"checkpoint_every": checkpoint_every}).model_dump()).encode())
    folder = tmp_path / "it's mine"
    assert run_command(["train", str(file), "--out", str(folder)]) == 130
    assert f"{says}ursuppe train --resume {shlex.quote(str(folder))}\n" in capsys.readouterr().err
