"""Scripted agents in games on a GPU choose what they choose on the processor (row by row, without a GPU)."""

import numpy as np
import pytest

from ursuppe_agents import make_agent
from ursuppe_agents.scripted.on_gpu import ScriptedSeats
from ursuppe_env import Games, Ruleset
from ursuppe_env.cuda import GamesCuda

from support.host_device import HostArray, HostDevice

NAMES = ("breeder", "collector", "grow", "hoarder", "hunter", "scavenger", "wanderer")


def chosen(games: Games, names: list[str], plays: np.ndarray) -> np.ndarray:
    """By the agents themselves; -1 where none of them plays."""
    actions = np.full(len(games), -1)
    player = games.player
    playing = np.where(player >= 0, plays[np.arange(len(games)), player], -1)
    for number, name in enumerate(names):
        rows = np.flatnonzero(playing == number)
        actions[rows] = make_agent(name, seed=0).act(games, rows)
    return actions


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_they_choose_as_on_the_processor(players: int):
    games = Games(7, [Ruleset(players=players), Ruleset(players=players, edition="1997")], seed=players)
    there = GamesCuda.from_games(games, HostDevice())
    plays = np.random.default_rng(players).integers(0, len(NAMES), (7, players))
    seats = ScriptedSeats(there, NAMES, plays)
    for _ in range(250):
        actions = chosen(games, list(NAMES), plays)
        np.testing.assert_array_equal(np.asarray(seats.act()), actions)
        games.step(actions)
        there.step(seats.act(), wait=False)
    there.play_random()
    assert (np.asarray(seats.act()) == -1).all()


def test_others_keep_their_actions():
    games = Games(6, seed=2)
    games.play_random(150)
    there = GamesCuda.from_games(games, HostDevice())
    plays = np.tile([0, -1, 0, -1], (6, 1))
    seats = ScriptedSeats(there, ["hunter"], plays)
    expected = chosen(games, ["hunter"], plays)
    assert (expected == -1).any()
    np.testing.assert_array_equal(np.asarray(seats.act()), expected)
    out = np.full(6, 77).view(HostArray)
    assert seats.act(out=out) is out
    np.testing.assert_array_equal(np.asarray(out), np.where(expected == -1, 77, expected))


def test_by_default_they_sit_by_turns_and_who_plays_may_change_on_the_gpu():
    games = Games(5, seed=1)
    device = HostDevice()
    there = GamesCuda.from_games(games, device)
    by_turns = chosen(games, ["grow", "hunter"], np.tile([0, 1, 0, 1], (5, 1)))
    np.testing.assert_array_equal(np.asarray(ScriptedSeats(there, ["grow", "hunter"]).act()), by_turns)
    plays = device.from_host(np.full((5, 4), -1))
    seats = ScriptedSeats(there, ["grow", "hunter"], plays)
    assert (np.asarray(seats.act()) == -1).all()
    plays[:] = 1
    np.testing.assert_array_equal(np.asarray(seats.act()), chosen(games, ["grow", "hunter"], np.ones((5, 4), int)))


@pytest.mark.parametrize(
    ("agents", "plays", "says"),
    [
        ([], None, r"^agents is empty; it must name scripted agents"),
        (["random"], None, r"^agents has 'random'; on a GPU scripted agents alone can play, such as 'breeder'$"),
        (["nobody"], None, r"^there is no agent 'nobody'; "),
        (["grow"], np.zeros((2, 3), int), r"^plays has shape \(2, 3\) and dtype int64; it must be \(2, 4\) integers$"),
        (["grow"], np.zeros((2, 4)), r"^plays has shape \(2, 4\) and dtype float64; "),
        (["grow"], np.ones((2, 4), int), r"^plays has 1; it must be -1 \.\.\. 0, the places in agents$"),
        (["grow"], np.full((2, 4), -2), r"^plays has -2; "),
    ],
)
def test_who_cannot_play_there_is_refused(agents, plays, says):
    there = GamesCuda(2, device=HostDevice())
    with pytest.raises(ValueError, match=says):
        ScriptedSeats(there, agents, plays)


def test_a_wrong_array_is_refused():
    there = GamesCuda(2, device=HostDevice())
    with pytest.raises(
        ValueError, match=r"^out is not on the GPU; it must be a C-contiguous array on the GPU of shape"
    ):
        ScriptedSeats(there, ["grow"]).act(out=np.zeros(2, int))
