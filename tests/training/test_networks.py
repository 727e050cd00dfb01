"""What the network sees of the board."""

import numpy as np
import pytest
import torch

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.board import NEIGHBOUR, OBSTACLE, Direction
from ursuppe_training.networks import BoardView, new_policy

from support.training import TINY


def test_the_board_view_sees_what_lies_where_amoebas_are():
    games = Games(300, seed=3)
    games.play_random(70)
    games = games.copy(np.flatnonzero(~games.finished))
    view = BoardView(new_policy(TINY).observation_space, 4, ())
    colours, viewed = np.split(
        view(torch.as_tensor(games.observe()))[:, games.observation_size :].numpy(), [19], axis=1
    )
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
