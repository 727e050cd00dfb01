"""What networks get of a game."""

import numpy as np
import pytest

from ursuppe_agents.policies.board_features import num_board_features
from ursuppe_agents.policies.inputs import InputsView, num_inputs, seat_inputs, situation_inputs
from ursuppe_agents.policies.rulesets import varied_rulesets
from ursuppe_agents.search.value import NUM_FEATURES, features_of
from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.board import NEIGHBOUR, OBSTACLE, Direction


def running_games():
    games = Games(300, seed=3)
    games.play_random(70)
    return games.copy(np.flatnonzero(~games.finished))


@pytest.mark.parametrize("observe_rules", [False, True])
def test_inputs_begin_with_the_observation(observe_rules):
    games = running_games()
    inputs = InputsView(observe_rules).of(games)
    assert inputs.shape == (len(games), num_inputs(4, observe_rules))
    np.testing.assert_array_equal(inputs[:, : games.observation_size], games.observe())
    masks = np.zeros((len(games), games.num_actions), np.int8)
    InputsView(observe_rules).of(games, out=inputs, masks=masks)
    np.testing.assert_array_equal(masks, games.legal())


def test_features_of_seats_begin_with_the_one_that_looks():
    games = running_games()
    features, rounds_left = features_of(games)
    for seat in (None, 2):
        inputs = InputsView(False).of(games, seat)[:, seat_inputs(4)].reshape(len(games), 4, -1)
        first = games.player if seat is None else np.full(len(games), seat)
        for place in range(4):
            seen, own = inputs[:, place], features[np.arange(len(games)), (first + place) % 4]
            np.testing.assert_allclose(seen[:, :NUM_FEATURES], own, rtol=1e-6)
            np.testing.assert_allclose(seen[:, NUM_FEATURES:-2], own / rounds_left[:, np.newaxis], rtol=1e-6)
            np.testing.assert_allclose(seen[:, -2], rounds_left / 10, rtol=1e-6)
            np.testing.assert_allclose(seen[:, -1], 1 / rounds_left, rtol=1e-6)


def test_the_situation_is_what_is_under_way_and_the_ruleset():
    seen = InputsView(True).of(running_games())
    under_way, ruleset = situation_inputs(4, observe_rules=True)
    assert situation_inputs(4, observe_rules=False) == [under_way]
    layout = Games(1).observation_layout
    parts = [name for name, part in layout.items() if under_way.start <= part.start < under_way.stop]
    assert {"supply", "card_direction", "phase", "decision", "mover", "victim", "owed"} < set(parts)
    assert not {"food", "amoebas", "damage", "genes"} & set(parts)
    assert seen[:, ruleset].shape[1] == num_inputs(4, True) - num_inputs(4, False)
    assert ruleset.stop == seen.shape[1]


def test_the_ruleset_is_standardised_and_what_never_varies_left_out():
    rulesets = varied_rulesets(4, 500, seed=1)
    inputs = InputsView(True).of(Games(500, rulesets, ruleset_index=np.arange(500)))[:, num_inputs(4, False) :]
    assert inputs.shape[1] < Games(1).observation_size_with_rules - Games(1).observation_size
    np.testing.assert_allclose(inputs.mean(axis=0), 0, atol=0.3)
    deviations = inputs.std(axis=0)
    assert deviations.max() < 1.5
    assert np.median(deviations) == pytest.approx(1, abs=0.05)
    assert len(np.unique(inputs, axis=1).T) == inputs.shape[1]  # no number twice
    games = Games(2, [Ruleset(), Ruleset(price={"speed": 9})], ruleset_index=[0, 1])
    cheap, dear = InputsView(True).of(games)[:, num_inputs(4, False) :]
    assert np.flatnonzero(cheap != dear).size == 1
    assert dear.max() > cheap.max()


def test_a_game_that_is_over_can_be_looked_at_from_a_seat():
    games = Games(3, seed=3)
    games.play_random()
    assert np.isfinite(InputsView(False).of(games, 1)).all()


def test_the_board_is_seen_where_amoebas_are():
    games = running_games()
    start = games.observation_size
    features = InputsView(False).of(games)[:, start : start + num_board_features(4)]
    colours, viewed = np.split(features, [19], axis=1)
    for game, lies_on, row in zip(games.state, colours, viewed.reshape(len(games), 9, 19), strict=True):
        me = int(game["player"])
        places = [int(space) for space in game["amoeba_space"][me]]
        direction = CARD_DIRECTION[game["card"]]
        drifted = [next_to(space, direction) for space in places]
        for place, space in enumerate(places + drifted):
            assert holds(row[:, place], game, me, space)
        for space in range(19):
            others = sum(game["food"][space, player] > 0 for player in range(4) if player != me)
            assert lies_on[space] == pytest.approx(others / 3)


CARD_DIRECTION = Ruleset().record[0]["card_direction"]


def next_to(space, direction):
    """Where the current takes an amoeba; -1 is off the board."""
    if space < 0 or direction == Direction.STAY or NEIGHBOUR[space, direction] == OBSTACLE:
        return space
    return int(NEIGHBOUR[space, direction])


def holds(seen, game, me, space):
    """Are the cubes, amoebas and other colours of this space what is seen?"""
    if space < 0:
        return not seen.any()
    players = [(me + seat) % 4 for seat in range(4)]
    food = [game["food"][space, player] / 4 for player in players]
    amoebas = [(game["amoeba_space"][player] == space).sum() for player in players]
    colours = np.count_nonzero(food[1:]) / 3
    return np.allclose(seen, [*food, *amoebas, colours])
