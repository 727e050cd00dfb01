"""Features of each seat, those by which ``greedy`` and ``search`` judge a position (``ursuppe_agents.search.value``).

They say what a seat has, what threatens it, and what it can still reach. They come once as they are and once by how
near the end is, for the actor and the critic alike.
"""

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies import compiled
from ursuppe_agents.search.value import NUM_FEATURES, features_of
from ursuppe_env import Games

#: S: of each seat, as they are and by nearness of the end; then the rounds left, and this nearness.
NUM_SEAT_FEATURES = 2 * NUM_FEATURES + 2
_MANY_ROUNDS = 10


def write_seat_features(inputs: NDArray[np.float32], start: int, games: Games, seats: NDArray[np.int8]) -> None:
    """Write the features of all seats of each game, (P, S), into its inputs.

    Args:
        inputs: (N, I) float32.
        start: where they begin.
        games: N of them.
        seats: (N,) that look: each comes first, and the others follow it around the table.
    """
    features, rounds_left = features_of(games)
    fill_seat_features(inputs, start, features, rounds_left, np.ascontiguousarray(seats))


@compiled
def fill_seat_features(inputs, start, features, rounds_left, seats):
    """Write the features, in the order of the seats from one on.

    Args:
        inputs: as for ``write_seat_features``.
        start: as above.
        features: (N, P, K) of each player.
        rounds_left: (N,).
        seats: (N,) int8.
    """
    num_games, players, count = features.shape
    for row in range(num_games):
        nearness = 1 / rounds_left[row]
        at = start
        for behind in range(players):
            seat = (seats[row] + behind) % players
            for feature in range(count):
                inputs[row, at + feature] = np.float32(features[row, seat, feature])
                inputs[row, at + count + feature] = np.float32(features[row, seat, feature] * nearness)
            at += 2 * count
            inputs[row, at] = np.float32(rounds_left[row] / _MANY_ROUNDS)
            inputs[row, at + 1] = np.float32(nearness)
            at += 2
