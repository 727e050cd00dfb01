"""The mean of several policies."""

from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_agents import make_agent
from ursuppe_agents.policies.files import read_provenance, read_temperature
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_env import Games
from ursuppe_training.networks.averaging import average_policies
from ursuppe_training.networks.files import load_policy, new_policy, save_policy
from ursuppe_training.provenance import provenance_of

from support.command import printed, refusal
from support.policies import SMALL, random_policy

LEARNED = (5_000, 90_000, 1_000)


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"{name}.zip" for name in "abc"]
    for seed, (path, learned) in enumerate(zip(paths, LEARNED, strict=True)):
        config = SMALL.changed({"seed": seed})
        save_policy(random_policy(seed=seed), config, path, provenance_of(config, learned), temperature=1 + seed)
    return paths


def parameters_of(path):
    return list(load_policy(path).parameters())


def test_each_weight_is_the_mean_of_theirs(files, tmp_path):
    average_policies(files, tmp_path / "mean.zip")
    for mean, *theirs in zip(*map(parameters_of, (tmp_path / "mean.zip", *files)), strict=True):
        expected = sum(weights.double() for weights in theirs) / 3
        torch.testing.assert_close(mean.double(), expected, rtol=2e-3, atol=1e-6)  # files have half precision
    games = Games(5, seed=1)
    make_agent(f"policy:{tmp_path / 'mean.zip'}", 0).act(games, np.arange(5))


def test_it_says_of_which_files_and_what_the_one_learned_that_learned_most(files, tmp_path):
    found = average_policies(files, tmp_path / "mean.zip")
    assert found == read_provenance(tmp_path / "mean.zip")
    assert found.mean_of == tuple(map(file_digest, files))
    assert (found.decisions, found.seed, read_temperature(tmp_path / "mean.zip")) == (90_000, 1, 2.0)
    assert found.in_words().endswith(f"; the mean of policies {', '.join(found.mean_of)}")


def test_the_command_writes_it(files, tmp_path, capsys):
    average_policies(files, tmp_path / "expected.zip")
    told = printed(capsys, "average", *files, "--out", tmp_path / "mean.zip")
    assert told.startswith(f"{tmp_path / 'mean.zip'}: trained with 4 players")
    assert (tmp_path / "mean.zip").read_bytes() == (tmp_path / "expected.zip").read_bytes()


def test_what_has_no_mean_is_refused_and_nothing_is_written(files, tmp_path, capsys):
    first = files[0]
    refused = {
        (first,): "there is 1 policy to average; there must be at least 2",
        (first, files[1], first): f"{first} is the same policy as {first}",
        (first, tmp_path / "none.zip"): "No such file",
        (first, tmp_path / "damaged.zip"): "is damaged, or no policy",
    }
    (tmp_path / "damaged.zip").write_bytes(first.read_bytes()[:-9])
    for name, value in {"players": 5, "edition": "1997", "teams": "0+2,1+3", "ruleset": {"income": 9}}.items():
        config = SMALL.changed({"ruleset_changes" if name == "ruleset" else name: value})
        path = tmp_path / f"{name}.zip"
        save_policy(random_policy(config), config, path)
        refused[first, path] = f"{name} of {path} is {value!r}, of {first} "
    provenance = provenance_of(SMALL)
    wide, varied = (tmp_path / f"{name}.zip" for name in ("wide", "varied"))
    save_policy(new_policy(SMALL), SMALL, wide)
    refused[first, wide] = f"widths of {wide} is (32, 64, 64, 32, 32), of {first} (16, 16, 16, 16, 16)"
    save_policy(random_policy(seed=9), SMALL, varied, provenance.changed({"rulesets": "varied"}))
    refused[first, varied] = f"rulesets of {varied} is 'varied', of {first} 'given'"
    for paths, message in refused.items():
        assert message in refusal(capsys, "average", *paths, "--out", tmp_path / "mean.zip")
    assert not (tmp_path / "mean.zip").exists()
    assert "exists already" in refusal(capsys, "average", wide, varied, "--out", first)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_a_file_without_an_end_is_refused(tmp_path):
    with pytest.raises(ValueError, match="/dev/zero is damaged, or no policy"):
        average_policies([Path("/dev/zero"), Path("/dev/zero")], tmp_path / "mean.zip")
