"""Chance events (rules.md sections 3 and 8): uniform draws, and cards that are gone."""

from collections import Counter

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules import kernels

from support.positions import Position, position, struggling


def drawn(games: Games, times: int) -> Counter:
    """The values of the pending chance event in so many futures."""
    futures = games.copy([0] * times)
    futures._states["index"] = np.arange(times)
    with np.errstate(over="ignore"):  # the streams count modulo 2**64; uncompiled code warns
        kernels.restart_streams(futures._states)
    return Counter(repr(value) for value in futures.draw())


def assert_uniform(counts: Counter, values: int) -> None:
    """Each value within five standard deviations of its share."""
    assert len(counts) == values
    expected = counts.total() / values
    assert max(abs(count - expected) for count in counts.values()) < 5 * np.sqrt(expected)


def test_no_two_games_of_any_seeds_and_indices_have_the_same_dice():
    keys = [Games(64, seed=seed).state["key"] for seed in (*range(64), 2**32 - 1, 2**32, 2**63)]
    assert len(np.unique(keys)) == 67 * 64


def test_a_card_is_drawn_uniformly_from_those_not_yet_drawn():
    game = position(phase=2, card=("west", 6), turned_up=[("west", 9), ("south", 13), ("none", 14)], round=4)
    counts = drawn(game.games, 3500)
    assert counts.pop("['east', 10]") == pytest.approx(1000, abs=5 * np.sqrt(1000))  # two of the seven
    assert_uniform(counts, 5)
    assert set(counts) == {"['west', 12]", "['east', 8]", "['north', 9]", "['north', 11]", "['south', 10]"}


def test_the_start_order_is_uniform():
    game = Position(Games(1, Ruleset(players=3), explicit_chance=True))
    game.turn_up("west", 6)
    assert_uniform(drawn(game.games, 3000), 6)


@pytest.mark.parametrize(("genes", "faces"), [([], 6), (["movement_1"], 36)])
def test_dice_are_uniform(genes: list[str], faces: int):
    game = position(amoebas={"0.1": 13}, genes={0: genes})
    game.act("move")
    assert_uniform(drawn(game.games, 200 * faces), faces)


def test_each_side_wins_a_fight_with_probability_one_half():
    game = struggling(victim=("defense",))
    game.act("attack 1.1", "defense")
    assert game.games.chance(0) == ("fight", [("attacker", 0.5), ("defender", 0.5)])
    assert_uniform(drawn(game.games, 2000), 2)


def test_of_equal_cards_the_one_with_the_lowest_number_is_turned_up_first():
    """Which of two equal cards lies on the table makes no difference, and is no difference in the state."""
    games = Games(20, Ruleset(environment=[["west", 3], ["east", 3], ["west", 3]]), explicit_chance=True)
    games.draw()
    assert set(games.state["card"].tolist()) == {0, 1}
    probabilities = {name: p for (name, _), p in Games(1, games.ruleset, explicit_chance=True).chance(0)[1]}
    assert probabilities == pytest.approx({"west": 2 / 3, "east": 1 / 3})
    while (games.rounds < 2).any():
        games.draw()
        games.step_random()
    assert (games.state["drawn"] != 0b110).all()
    assert (games.state["drawn"] != 0b100).all()


def test_a_copy_with_other_dice_has_those_of_no_game_of_its_seed():
    games = Games(50, seed=5)
    assert not np.isin(games.copy(reseed=5).state["key"], games.state["key"]).any()
