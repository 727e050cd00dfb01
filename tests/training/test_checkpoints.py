"""Checkpoints: damage is noticed, and nothing in them is executed."""

import io
import os
import pickle

import pytest
import torch

from ursuppe_env.files import sealed, unsealed
from ursuppe_training.runs.checkpoints import Checkpoints
from ursuppe_training.runs.run import Run

from support.training import RUN, silent


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


class Trap:
    """Makes the folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


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
    assert said == [
        f"{path} cannot be used, the one before it is tried: "
        "it holds more than numbers and settings, which this package never writes"
    ]
    assert not (tmp_path / "sprung").exists()
