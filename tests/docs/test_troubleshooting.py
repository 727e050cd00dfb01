"""Every message that docs/troubleshooting.md explains is one that a user meets."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset, extras, ursuppe_v0
from ursuppe_env.cli import run
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_training import read_config

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
EXPLAINED = re.findall(r"^\| `(.+?)` \|", PAGE.partition("## No message")[0], re.MULTILINE)


def illegal_in_pettingzoo():
    env = ursuppe_v0.env(num_players=3)
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))


def ppo_without_masks():
    from stable_baselines3 import PPO

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PPO("MlpPolicy", UrsuppeVecEnv(4, seed=0), n_steps=16, batch_size=16, device="cpu").learn(64)


def damaged_policy():
    Path("policy.zip").write_bytes(b"no policy")
    make_agent("policy:policy.zip", 0)


def two_recordings():
    for _ in range(2):
        run(["record", "--games", "1", "games.jsonl"])


def two_arenas_in_a_folder():
    for opponent in ("grow", "wanderer"):
        run(["arena", "random", opponent, "--games", "4", "--out", "arena", "--workers", "1"])


def an_extra_is_missing():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(extras, "find_spec", lambda name: None)
        extras.require_extra("train")


MET: dict[str, Callable[[], object]] = {
    "is not legal in decision": lambda: Games(1, seed=1).step([0]),
    "it must be (2,) integers, one a game": lambda: Games(2, seed=1).step([0]),
    "Illegal move made, game terminating with current player losing": illegal_in_pettingzoo,
    "nobody has asked for the action masks": ppo_without_masks,
    "reset() needs to be called before step": lambda: ursuppe_v0.env(num_players=3).step(0),
    "a ruleset has no field": lambda: Ruleset(move_csot=2),
    "there is no setting": lambda: read_config("quick").changed({"learning_rte": 1}),
    "there is no preset": lambda: run(["train", "fast"]),
    "there is no agent": lambda: make_agent("huntr", 0),
    "cannot be loaded: there is no module": lambda: make_agent("nobodys_bots:Bot", 0),
    "players is 7; it must be": lambda: Games(1, {"players": 7}),
    "exists already; give another name, or --force": two_recordings,
    "holds another run": two_arenas_in_a_folder,
    "is damaged": damaged_policy,
    "is not installed; install it with": an_extra_is_missing,
}
# What the compiler says is provoked by tests/env/test_compile_cache.py.
COMPILING = [
    "compiling the rules of the game for this computer, once",
    "compiled code cannot be kept in",
    "waiting for another process, which is compiling",
]


def test_each_message_is_met_by_a_test():
    assert sorted(EXPLAINED) == sorted([*MET, *COMPILING])


@pytest.mark.parametrize("message", MET)
def test_the_message_is_as_explained(message: str, tmp_path: Path, monkeypatch, capsys, caplog):
    monkeypatch.chdir(tmp_path)
    said = ""
    try:
        MET[message]()
    except Exception as error:
        said = str(error)
    assert message in said + caplog.text + "".join(capsys.readouterr())


def test_what_the_compiler_says_is_as_explained():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "ursuppe_env").rglob("*.py"))
    for message in ("for this computer, once", *COMPILING[1:]):
        assert message in sources
