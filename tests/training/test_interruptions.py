"""Runs that are killed or interrupted at any moment end as if they had not been; damaged checkpoints are noticed."""

import io
import json
import pickle
import shlex
import shutil
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
import tomli_w
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from ursuppe_agents.policies import files as policy_files
from ursuppe_env.files import SEAL_LENGTH, sealed, unsealed, write_atomically
from ursuppe_training.evaluation import history, job
from ursuppe_training.evaluation.history import read_history
from ursuppe_training.runs import checkpoints
from ursuppe_training.runs import evaluations as run_evaluations
from ursuppe_training.runs import run as runs
from ursuppe_training.runs.checkpoints import Checkpoints
from ursuppe_training.runs.run import Run

from support.command import ursuppe
from support.policies import Trap
from support.training import BRIEF, RUN, TINY, evaluate_by, evaluation_of, silent, stop_begun


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


def test_ctrl_c_before_the_first_checkpoint_says_that_nothing_is_kept(tmp_path, monkeypatch, capsys):
    stop_begun(monkeypatch, 1, decisions=700)
    file, folder = tmp_path / "tiny.toml", tmp_path / "it's mine"
    file.write_text(tomli_w.dumps(TINY.model_dump()))
    status, _, told = ursuppe(capsys, "train", file, "--out", folder)
    assert status == 130
    says = "Nothing that was learned is kept, because there was no checkpoint yet; begin anew with: "
    assert f"{says}ursuppe train --resume {shlex.quote(str(folder))}\n" in told
    monkeypatch.undo()
    Run.resume(folder, silent).train()
    events = EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    shown = [[event.step for event in events.Scalars(name)] for name in events.Tags()["scalars"]]
    assert {steps == sorted(set(steps)) for steps in shown} == {True}  # what was begun anew is not there twice


def test_a_run_without_a_checkpoint_says_so(tmp_path):
    said = []
    Run.begin(tmp_path / "run", RUN, silent)
    Run.resume(tmp_path / "run", said.append)
    assert said == [f"{tmp_path / 'run'} has no checkpoint yet; beginning anew."]


def test_whatever_damages_a_checkpoint_is_noticed(tmp_path):
    checkpoints = Checkpoints(tmp_path, 3)
    checkpoints.write(7, {"weights": torch.arange(3000.0), "settings": "{}", "rollouts": 4})
    [path] = (tmp_path / "checkpoints").iterdir()
    content = path.read_bytes()
    length = len(content)
    places = [*range(0, length, length // 40), *range(length - 72, length, 6)]
    damaged = [content[:place] + bytes([content[place] ^ 64]) + content[place + 1 :] for place in places]
    damaged += [content[: length * part // 8] for part in range(8)]
    damaged += [content[:start] + bytes(512) + content[start + 512 :] for start in range(0, length - 512, 1500)]
    damaged += [content[:-1], content + b"\n", content * 2, unsealed(content)]
    for one in damaged:
        assert one != content
        path.write_bytes(one)
        [(_, found)] = checkpoints.read()
        assert isinstance(found, ValueError)
        assert "digest" in str(found)
        assert "\n" not in str(found)
    path.write_bytes(content)
    [(_, found)] = checkpoints.read()
    assert found["weights"].tolist() == list(range(3000))


@pytest.mark.parametrize("write", [torch.save, pickle.dump])
def test_no_code_of_a_checkpoint_is_run_and_nobody_is_told_how_to(write, tmp_path):
    Run.begin(tmp_path / "run", RUN, silent)
    content = io.BytesIO()
    write({"trainer": Trap(tmp_path / "sprung")}, content)
    path = tmp_path / "run" / "checkpoints" / "000000000005.pt"
    path.parent.mkdir()
    path.write_bytes(sealed(content.getvalue()))
    said = []
    with pytest.raises(ValueError, match="none of its 1 checkpoints can be used"):
        Run.resume(tmp_path / "run", said.append)
    why = "it holds more than numbers and settings, which this package never writes"
    assert said == [f"{path} cannot be used: {why}"]
    assert not (tmp_path / "sprung").exists()
