"""The benchmarks of critics look at the games that they say; how well a critic foretells is not asked here."""

import importlib
from pathlib import Path

import numpy as np
import pytest
import torch

from ursuppe_env import Games
from ursuppe_training.models import load_policy, save_policy
from ursuppe_training.policy_files import read_policy
from ursuppe_training.seat_critic import critic_losses

from support.policies import SMALL, random_policy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTED = ("hunter", "breeder", "hoarder", "collector")


@pytest.fixture
def critic(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("critic")


@pytest.fixture
def critic_fit(critic):
    return importlib.import_module("critic_fit")


def test_games_are_played_to_their_end_and_positions_are_looked_at_on_the_way(critic):
    games = Games(8, seed=1)
    looked_at = list(critic.played(games, SCRIPTED, "default", part=0.1, seed=2))
    assert games.finished.all()
    assert {row for index, _ in looked_at for row in index} == set(range(8))
    assert not any(seen.finished.any() for _, seen in looked_at)
    again = Games(8, seed=1)
    for (index, seen), (same_index, same) in zip(
        looked_at, critic.played(again, SCRIPTED, "default", part=0.1, seed=2), strict=True
    ):
        np.testing.assert_array_equal(index, same_index)
        np.testing.assert_array_equal(seen.markers, same.markers)


def test_a_critic_is_fitted_and_the_actor_stays_as_it_is(critic, critic_fit, monkeypatch, tmp_path):
    save_policy(random_policy(SMALL), SMALL, tmp_path / "before.zip", temperature=0.5)
    monkeypatch.setattr(critic_fit, "TABLES", (SCRIPTED,))
    monkeypatch.setattr(critic_fit.torch, "set_num_threads", lambda threads: None)  # other tests go on
    arguments = ["critic_fit.py", str(tmp_path / "before.zip"), str(tmp_path / "after.zip"), "--games", "40"]
    monkeypatch.setattr("sys.argv", arguments)
    critic_fit.main()
    before, after = (load_policy(tmp_path / f"{name}.zip")[0] for name in ("before", "after"))
    assert read_policy(tmp_path / "after.zip").temperature == 0.5
    for name, weights in after.actor.state_dict().items():
        assert torch.equal(weights, before.actor.state_dict()[name])
    view = critic_fit.InputsView(observe_rules=False)
    features, situation, outcomes = map(
        torch.from_numpy, critic_fit.seen_at(SCRIPTED, "default", 40, critic_fit._SEED, view, after.mlp_extractor)
    )
    losses = [
        critic_losses(policy.critic(features.float(), situation.float()), outcomes).mean() for policy in (before, after)
    ]
    assert losses[1] < losses[0]
    assert (outcomes[:, :, 0].sum(dim=1) == 1).all()  # one player wins
