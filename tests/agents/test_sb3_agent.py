"""Models of Stable-Baselines3 as agents."""

from pathlib import Path

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO

from ursuppe_agents import make_agent
from ursuppe_agents.registry import check_foreign_code, foreign_code
from ursuppe_env import Games, Ruleset
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_training.networks.files import save_policy

from support.policies import SMALL, random_policy

KINDS = {"MaskablePPO": MaskablePPO, "PPO": PPO, "DQN": DQN}


def saved(folder: Path, kind: str = "MaskablePPO", **options) -> Path:
    path = folder / f"{kind}.zip"
    more = {"buffer_size": 100} if kind == "DQN" else {"policy_kwargs": {"activation_fn": torch.nn.ReLU}}
    KINDS[kind]("MlpPolicy", UrsuppeVecEnv(2, seed=0, **options), device="cpu", seed=1, **more).save(path)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_takes_legal_actions_whatever_the_batch(kind: str, tmp_path: Path):
    path = saved(tmp_path, kind)
    games = Games(70, seed=3)
    games.play_random(40)
    rows = np.flatnonzero(games.player >= 0)
    agent = make_agent(f"sb3:{path},deterministic=true", 0)
    actions = agent.act(games, rows)
    assert games.legal()[rows, actions].all()
    assert (agent.act(games, rows[40:45]) == actions[40:45]).all()


def test_drawn_actions_follow_the_seed_and_are_legal(tmp_path: Path):
    path = saved(tmp_path)
    games, rows = Games(50, seed=3), np.arange(50)
    one, same, other = (make_agent(f"sb3:{path}", seed).act(games, rows) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    assert games.legal()[rows, one].all()


@pytest.mark.parametrize("options", [{}, {"observe_rules": True}, {"dtype": np.uint8}])
def test_a_model_takes_what_it_would_take_itself_by_what_it_was_trained_on(tmp_path: Path, options):
    path = saved(tmp_path, **options)
    games, rows = Games(70, seed=3), np.arange(70)
    games.play_random(40)
    seen = games.observe(rules=options.get("observe_rules", False), dtype=options.get("dtype", np.float32))
    wanted, _ = MaskablePPO.load(path, device="cpu").predict(
        seen, deterministic=True, action_masks=games.legal().astype(bool)
    )
    assert (make_agent(f"sb3:{path},deterministic=true", 0).act(games, rows) == wanted).all()


def test_what_does_not_fit_is_said(tmp_path: Path):
    path = saved(tmp_path)
    with pytest.raises(ValueError, match=r"MaskablePPO.zip was trained with 4 players; these games have 3"):
        make_agent(f"sb3:{path}", 0).act(Games(1, Ruleset(players=3)), np.zeros(1, int))
    with pytest.raises(ValueError, match=r"is a model of Stable-Baselines3; it plays as sb3:.*MaskablePPO.zip"):
        make_agent(f"policy:{path}", 0)
    own = tmp_path / "own.zip"
    save_policy(random_policy(), SMALL, own)
    with pytest.raises(ValueError, match=r"is a policy of `ursuppe train`; it plays as policy:.*own.zip"):
        make_agent(f"sb3:{own}", 0)
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(b"no archive")
    with pytest.raises(ValueError, match=r"damaged.zip is damaged, or no model of Stable-Baselines3"):
        make_agent(f"sb3:{damaged}", 0)
    strange = tmp_path / "strange.zip"
    PPO("MlpPolicy", "CartPole-v1", device="cpu").save(strange)
    with pytest.raises(ValueError, match=r"sees observations of shape \(4,\) and has 2 actions; with 4 players"):
        make_agent(f"sb3:{strange}", 0).act(Games(1), np.zeros(1, int))


def test_a_file_alone_cannot_name_one():
    code = foreign_code("sb3:model.zip")
    with pytest.raises(ValueError, match="loads a file that may run a program, which a file alone cannot have loaded"):
        check_foreign_code("lineups: agent 'sb3:model.zip'", code, [])
    check_foreign_code("lineups: agent", code, ["sb3"])
