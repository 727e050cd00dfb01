"""The PettingZoo AEC environment: conformance, rewards, determinism, copies, wrong input."""

import re
from functools import partial

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test
from pettingzoo.utils.env_logger import EnvLogger

from ursuppe_env import Games, Ruleset, ursuppe_v0
from ursuppe_env.envs.rewards import REWARDS, final_rewards
from ursuppe_env.teams import DUEL, Teams

UNEVEN = ((1,), (0, 2, 3))
CONFIGURATIONS = [
    {},
    {"num_players": 3},
    {"num_players": 5, "edition": "1997", "reward": "rank"},
    {"num_players": 6, "reward": "margin"},
    {"ruleset": {"start_bp": 30, "income": 25, "start_food": 0}},
    {"ruleset": [Ruleset(players=3, end_zone=zone) for zone in (20, 25, 30)]},
    {"teams": DUEL},
    {"num_players": 3, "teams": ((2,), (0, 1)), "score": "best", "reward": "margin"},
    {"num_players": 6, "teams": ((5, 0), (1, 4), (2, 3)), "score": "sum", "reward": "rank"},
]


def play(env, choices: np.random.Generator, decisions: int = 10_000) -> list[int]:
    """Play random legal actions; returns the actions taken."""
    actions = []
    for _agent in env.agent_iter(decisions):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            actions.append(int(choices.choice(np.flatnonzero(observation["action_mask"]))))
            env.step(actions[-1])
    return actions


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_pettingzoo_api(configuration: dict, capsys):
    api_test(ursuppe_v0.env(**configuration), num_cycles=1000)


def test_it_is_registered_with_pettingzoo_under_its_name():
    env = pettingzoo.make("aec", "ursuppe_v0", num_players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert str(env) == str(ursuppe_v0.raw_env()) == "ursuppe_v0"


@pytest.mark.parametrize(
    ("reward", "seats"),
    [*((reward, None) for reward in REWARDS), *(("margin", seats) for seats in (DUEL, ((3, 0), (2, 1)), UNEVEN))],
)
def test_the_environment_plays_the_same_games_as_games_and_rewards_come_at_the_end(reward: str, seats):
    games = Games(1, Ruleset(players=5 if seats is None else 4), seed=4)
    env = ursuppe_v0.raw_env(num_players=games.num_players, reward=reward, teams=seats)
    env.reset(seed=4)
    teams = Teams(seats or tuple((seat,) for seat in range(5)))
    names = [f"{'player' if seats is None else 'team'}_{number}" for number in range(len(teams))]
    assert env.possible_agents == env.agents == names
    sees_as = [own[0] for own in teams.seats]  # a team: its first colour until it decides, then the last that decided
    choices = np.random.default_rng(0)
    while not games.finished[0]:
        player = int(games.player[0])
        acting = int(teams.team_of[player])
        sees_as[acting] = player
        assert env.agent_selection == names[acting]
        *_, received, terminated, truncated, info = env.last()
        assert (received, terminated, truncated) == (0.0, False, False)
        assert type(info["decision"]) is int
        assert env.action_space(env.agent_selection).n == games.num_actions
        assert (env.state() == games.observe(0)[0]).all()
        for number, name in enumerate(names):
            shown, info = env.observe(name), env.infos[name]
            assert (shown["observation"] == games.observe(sees_as[number])[0]).all()
            assert (shown["action_mask"] == games.legal()[0] * (number == acting)).all()
            assert info["decision"] == (games.decision[0] if number == acting else -1)
            assert info.keys() == ({"decision"} if seats is None else {"decision", "seat", "own_seats"})
            if seats is not None:
                assert info["seat"] == sees_as[number]
                around = [teams.team_of[(sees_as[number] + turn) % 4] for turn in range(4)]
                assert info["own_seats"].tolist() == [team == number for team in around]
        action = choices.choice(np.flatnonzero(games.legal()[0]))
        env.step(action)
        games.step([action])
    assert all(env.terminations.values())
    assert all(info["decision"] == -1 for info in env.infos.values())
    totals = [env._cumulative_rewards[agent] for agent in env.possible_agents]
    expected = final_rewards(reward, games.markers, games.ruleset, teams=env.teams)[0].tolist()
    assert totals == list(env.rewards.values()) == expected
    assert all(type(value) is float for value in [*env.rewards.values(), *totals])
    assert (env.observe(names[1])["observation"] == games.observe(sees_as[1])[0]).all()
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(0)


MAKERS = [ursuppe_v0.env, ursuppe_v0.raw_env, partial(ursuppe_v0.env, teams=DUEL)]
BEFORE_RESET = {
    "step": (lambda env: env.step(0), AssertionError, "reset() needs to be called before step."),
    "observe": (lambda env: env.observe("player_0"), AssertionError, "reset() needs to be called before observe."),
    "state": (lambda env: env.state(), AssertionError, "reset() needs to be called before state."),
    "render": (lambda env: env.render(), AssertionError, "reset() needs to be called before render."),
    "agent_iter": (lambda env: env.agent_iter(), AssertionError, "reset() needs to be called before agent_iter()."),
    "last": (lambda env: env.last(), AttributeError, "agent_selection"),
    **{
        name: (lambda env, name=name: getattr(env, name), AttributeError, "agents" if name == "num_agents" else name)
        for name in ("agents", "agent_selection", "num_agents", "rewards", "terminations", "truncations", "infos")
    },
}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("what", BEFORE_RESET)
def test_before_reset_come_the_errors_of_pettingzoo(make, what: str):
    env = make(render_mode="ansi")
    call, error, says = BEFORE_RESET[what]
    with pytest.raises(error, match=re.escape(says)):
        call(env)
    env.reset(seed=1)  # and nothing is broken
    assert env.agent_selection in env.agents


@pytest.mark.parametrize("make", MAKERS)
def test_after_the_end_a_step_is_warned_about_and_the_last_of_nobody_an_error(make, capsys):
    env = make()
    env.reset(seed=0)
    play(env, np.random.default_rng(0))
    before = env.unwrapped.games.state.copy()
    EnvLogger.flush()
    for action in (0, None):
        env.step(action)
        assert EnvLogger.mqueue.pop().startswith("[WARNING]: step() called after all agents are terminated")
    with pytest.raises(AssertionError, match=re.escape("reset() needs to be called before last.")):
        env.last()
    assert env.agents == []
    assert list(env.agent_iter()) == []
    assert (env.unwrapped.games.state == before).all()
    assert env.observe(env.possible_agents[1])["observation"].any()
    env.reset(seed=0)
    assert len(play(env, np.random.default_rng(0))) > 0


def test_an_illegal_action_or_an_unknown_agent_changes_nothing_in_the_raw_environment():
    env = ursuppe_v0.raw_env()
    env.reset(seed=1)
    before = env.games.copy()
    for action, says in ((0, "action 0 "), (10**9, "action 1000000000 "), ("pass", r"must be \(1,\) integers")):
        with pytest.raises(ValueError, match=says):
            env.step(action)
    with pytest.raises(KeyError, match="player_9"):
        env.observe("player_9")
    assert (env.games.state == before.state).all()


@pytest.mark.parametrize("teams", [None, DUEL])
def test_an_illegal_action_ends_the_wrapped_game(teams, monkeypatch):
    monkeypatch.setattr("pettingzoo.utils.wrappers.terminate_illegal.EnvLogger.warn_on_illegal_move", lambda: None)
    env = ursuppe_v0.env(teams=teams)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(0)
    assert all(env.terminations.values())
    assert env.rewards == {name: -1.0 if name == agent else 0 for name in env.possible_agents}
    assert not any(env.observe(name)["action_mask"].any() for name in env.possible_agents)
