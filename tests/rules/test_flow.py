"""A record that no real game comes to, written past all checks: the game stands still, and says so."""

from collections.abc import Callable

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.kernels import RESUME
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED, Decision, Phase, Stage

SMALL = Ruleset(players=3, amoebas=2, amoeba_places=[0, 0, 0])


def without_a_number() -> Games:
    """Three games; in the second, player 0 is to place an amoeba, but has all of them on the board."""
    games = Games(3, SMALL, seed=1)
    games.play_random(60)
    game = games._states[1]
    game["amoeba_space"][:3, :2] = 4
    game["node"], game["player"], game["phase"], game["turn"] = Decision.PLACE, 0, Phase.SETUP, 0
    games._run(RESUME, np.array([NO_ACTION, 1, NO_ACTION]))  # finds the legal actions
    return games


def without_a_card() -> Games:
    """Three games; in the second, the next card is about to be turned up, but none is left."""
    games = Games(3, SMALL, seed=1, pause_after_rounds=True)
    games.play_random(60)
    game = games._states[1]
    game["drawn"] = (1 << len(SMALL.environment)) - 1
    game["node"], game["player"] = Stage.ENVIRONMENT, PAUSED
    return games


def test_without_a_legal_action_the_game_stops_with_an_error() -> None:
    games = without_a_number()
    others = games.copy([0, 2])
    with pytest.raises(RuntimeError, match="game 1 stands still without a legal action in decision number"):
        games.step([games.actions.id("space 9", 0)], rows=[1])
    assert games.player[1] == games.decision[1] == FINISHED
    assert not games.finished.any()
    assert games.winner[1] == -1
    assert not games.legal()[1].any()
    assert (games.copy([0, 2]).state == others.state).all()


def test_so_it_does_without_a_card() -> None:
    games = without_a_card()
    with pytest.raises(RuntimeError, match="game 1 stands still without a card to turn up"):
        games.resume()
    assert games.player[1] == FINISHED
    assert not games.finished.any()


@pytest.mark.parametrize("astray", [without_a_number, without_a_card])
def test_random_play_stops_there(astray: Callable[[], Games]) -> None:
    games = astray()
    one = games.copy([1])
    with pytest.raises(RuntimeError, match="game 1 stands still without"):
        games.play_random()
    assert games.finished.tolist() == [True, False, True]
    with pytest.raises(RuntimeError, match="game 0 stands still without"):
        one.play_random(40, restart=True)
    assert one.state == games.copy([1]).state


def test_it_stands_still_until_a_new_one_begins() -> None:
    games = without_a_number()
    with pytest.raises(RuntimeError):
        games.step_random()
    with pytest.raises(ValueError, match=r"game 1 .* its action must be -1, not 0"):
        games.step([0], rows=[1])
    before = games.copy([1])
    assert games.step_random()[1] == -1
    assert games.copy([1]).state == before.state
    games.reset(mask=games.player == FINISHED)
    games.play_random()
    assert games.finished.all()


def test_random_play_goes_on_to_the_next_game_and_stops_before_a_player_or_chance() -> None:
    games = Games(2, SMALL, seed=1)
    games.play_random(300, restart=True)
    assert (games.state["episode"] > 0).all()
    games.play_random(until=[[False, True, False]] * 2)
    assert np.isin(games.player, (1, FINISHED)).all()
    waiting = Games(2, SMALL, seed=1, explicit_chance=True)
    waiting.play_random(until=[[False, False, False]] * 2)
    assert (waiting.player == CHANCE_PLAYER).all()
    assert waiting.play_random(3).tolist() == [3, 3], "chance is drawn"


def test_a_row_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="rows has 1 more than once"):
        Games(2, SMALL).step([0, 0], rows=[1, 1])
