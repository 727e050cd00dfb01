"""Properties of every game, under any valid ruleset, number of players, edition and seed."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ursuppe_env import Games, Ruleset
from ursuppe_env.observation import observation_bounds
from ursuppe_env.records import Record, check, record_games
from ursuppe_env.rules.nodes import CHANCE_PLAYER, FINISHED, PAUSED

from support.rulesets import SEEDS, examples, rulesets

GAMES = 8
STOPS = {"explicit_chance": True, "pause_after_rounds": True}


def positions(ruleset: Ruleset, seed: int) -> Games:
    """Every position of some random games in which somebody decides, and their ends, as one batch."""
    games = Games(GAMES, ruleset, seed, threads=1)
    seen = []
    while not games.finished.all():
        seen.append(games.state[~games.finished])
        games.step_random()
    seen.append(games.state)
    return batch(games, np.concatenate(seen))


def stops(ruleset: Ruleset, seed: int) -> Games:
    """Every position of a random game at which it can be made to stop: decisions, chance events, pauses, the end."""
    games = Games(1, ruleset, seed, **STOPS)
    seen = [games.state.copy()]
    while not games.finished[0]:
        player = games.player[0]
        if player == CHANCE_PLAYER:
            games.draw()
        elif player == PAUSED:
            games.resume()
        else:
            games.step_random()
        seen.append(games.state.copy())
    return batch(games, np.concatenate(seen))


def batch(games: Games, states: np.ndarray) -> Games:
    """Games like these with other states."""
    collected = games.copy(np.zeros(len(states), int))
    collected._states[:] = states
    return collected


def under_any_ruleset(number: int) -> Callable[[Callable], Callable]:
    """With so many random rulesets and seeds."""
    return lambda test: examples(number)(given(ruleset=rulesets(), seed=SEEDS)(test))


@under_any_ruleset(40)
def test_an_illegal_action_is_refused_and_changes_nothing(ruleset: Ruleset, seed: int):
    games = positions(ruleset, seed).copy(slice(None, None, 7))
    before = games.state.copy()
    masks = games.legal()
    actions = np.array([int(np.argmax(mask)) if mask.any() else -1 for mask in masks])
    choices = np.random.default_rng(seed)
    for row in choices.integers(0, len(games), 40):
        wrong = actions.copy()
        wrong[row] = choices.choice([*np.flatnonzero(masks[row] == 0), games.num_actions, 319, 320, 10**15, -2])
        with pytest.raises(ValueError, match=f"game {row}"):
            games.step(wrong)
    assert games.state.tobytes() == before.tobytes()


@under_any_ruleset(60)
def test_every_game_ends_at_the_last_card_or_in_the_end_zone(ruleset: Ruleset, seed: int):
    games = Games(GAMES, ruleset, seed)
    assert (games.play_random() > 0).all()
    assert (games.player == FINISHED).all()
    assert (games.winner == games.markers.argmax(axis=1)).all()
    cards = len(ruleset.environment)
    assert (games.rounds >= 1).all()
    assert (games.rounds <= cards - 1).all()
    assert (np.bitwise_count(games.state["drawn"]) == games.rounds + 1).all()
    assert ((games.markers.max(axis=1) >= ruleset.end_zone) | (games.rounds == cards - 1)).all()


@under_any_ruleset(60)
@example(ruleset=Ruleset(environment=[("west", 9)] * 10), seed=0)  # round 9 and ozone 9 in units of 10
@example(ruleset=Ruleset(start_bp=9, income=0), seed=0)
def test_observations_are_inside_their_declared_bounds(ruleset: Ruleset, seed: int):
    low, high = observation_bounds(ruleset)
    for games in (positions(ruleset, seed), stops(ruleset, seed)):
        seats = np.random.default_rng(seed).integers(0, ruleset.players, len(games))
        rows = games.observe(seats)
        assert np.isfinite(rows).all()
        outside = np.flatnonzero(((rows < low) | (rows > high)).any(axis=0))
        names = [name for name, where in games.observation_layout.items() if set(outside) & set(range(1000)[where])]
        assert not names


@under_any_ruleset(50)
def test_every_position_can_be_stored(ruleset: Ruleset, seed: int):
    """So cubes and gene cards are conserved, no two markers share a place, nothing is left of what is over, each
    decision has two legal actions or more, and so on: whatever the door demands of a state (positions/). And nobody has
    more BP than there were to have."""
    for games in (positions(ruleset, seed), stops(ruleset, seed)):
        state = games.state[::17]
        assert (Games.from_state(state, ruleset, **STOPS).state == state).all()
        assert (state["bp"] <= ruleset.start_bp + ruleset.income * state["round"][:, None].astype(int)).all()


@examples(25)
@given(ruleset=rulesets(most_cards=6), seed=st.integers(0, 2**32), legal=st.booleans(), rounds=st.booleans())
def test_records_of_random_games_pass_the_check(ruleset: Ruleset, seed: int, legal: bool, rounds: bool):
    for record in record_games(2, ruleset, seed=seed, legal=legal, rounds=rounds):
        stored = Record.from_dict(json.loads(json.dumps(record.to_dict())))
        assert stored == record
        assert check(stored) is None
        assert len(record.rounds or ()) == record.result["rounds"] * rounds
        games = Games(1, ruleset, record.seed)  # without stops: recording does not change the game
        games.play_random()
        assert games.markers[0].tolist() == record.result["markers"]
        assert len(record.legal or ()) == sum(len(event) == 3 for event in record.events) * legal


@examples(60)
@given(ruleset=rulesets(most_cards=32))
def test_a_ruleset_can_be_written_down_and_read_again(ruleset: Ruleset):
    changes = json.loads(json.dumps(ruleset.changes()))
    again = Ruleset.from_changes(ruleset.players, ruleset.edition, changes)
    assert again == ruleset
    assert hash(again) == hash(ruleset)
    assert again.record.tobytes() == ruleset.record.tobytes()
    assert ruleset.replace() == ruleset
    assert eval(repr(ruleset)) == ruleset
