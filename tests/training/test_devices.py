"""Devices: named by torch's names, refused where they are not."""

import pytest
import torch

from ursuppe_env.cli import run as run_command
from ursuppe_training.devices import device_named
from ursuppe_training.runs.run import Run

from support.training import SMALL_OPTIONS, TINY, silent


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:7", "mps", "meta", "xla", "abacus", "cpu:3", ""])
def test_a_device_that_is_not_here_is_refused_before_anything_is_written(device, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    out = tmp_path / "run"
    assert run_command(["train", "quick", *SMALL_OPTIONS, "--device", device, "--out", str(out)]) == 2
    printed = capsys.readouterr().err
    assert printed == f"ursuppe: device is {device!r}, which is not here; there are auto, cpu\n"
    assert not out.exists()
    Run.begin(out, TINY, silent)
    with pytest.raises(ValueError, match=r"which is not here; there are auto, cpu$"):
        Run.resume(out, silent, device)


def test_a_gpu_is_named_by_its_number(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    named = [str(device_named(name)) for name in ("auto", "cuda", "cuda:1", "cpu")]
    assert named == ["cuda:0", "cuda:0", "cuda:1", "cpu"]
    with pytest.raises(ValueError, match=r"device is 'cuda:2', .*; there are auto, cpu, cuda:0, cuda:1$"):
        device_named("cuda:2")


@pytest.mark.parametrize(("local_rank", "device"), [("0", "cuda:0"), ("1", "cuda:1"), ("2", "cuda:0")])
def test_processes_of_a_machine_take_its_gpus_by_turns(local_rank, device, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", local_rank)  # as torchrun sets it
    assert str(device_named("auto")) == device
