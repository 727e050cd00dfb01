"""What a network gets of a game: the observation, features of the board, and features of each seat.

The features of a seat are those by which ``greedy`` and ``search`` judge a position (``ursuppe_agents.search.value``):
what it has, what threatens it, and what it can still reach. They come once as they are and once by how near the end is,
for the actor and the critic alike.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_agents.search.value import NUM_FEATURES, features_of
from ursuppe_env import Games
from ursuppe_env.envs.rulesets import RulesetSource
from ursuppe_env.envs.view import View
from ursuppe_env.observation import observation_size
from ursuppe_training.board_features import num_board_features, write_features
from ursuppe_training.outcomes import relative_seats

#: S: of each seat, as they are and by nearness of the end; then the rounds left, and this nearness.
NUM_SEAT_FEATURES = 2 * NUM_FEATURES + 2
_MANY_ROUNDS = 10


class InputsView(View):
    """Games as networks see them, in place of observations, for the environments of ``ursuppe_env.envs``.

    Args:
        observe_rules: show the ruleset of each game, too.
    """

    def __init__(self, observe_rules: bool) -> None:
        super().__init__(observe_rules, np.float32)

    def size(self, players: int) -> int:
        """I, how many numbers a network gets."""
        return num_inputs(players, self._rules)

    def bounds(self, source: RulesetSource) -> tuple[NDArray[Any], NDArray[Any]]:
        """Two (I,) arrays: no bounds."""
        size = self.size(source.players)
        return np.full(size, -np.inf, np.float32), np.full(size, np.inf, np.float32)

    def of(
        self,
        games: Games,
        seat: ArrayLike | None = None,
        out: NDArray[Any] | None = None,
        masks: NDArray[np.int8] | None = None,
    ) -> NDArray[Any]:
        """The (N, I) inputs of the deciding player, or of the seat or the (N,) seats given; as ``Games.observe``."""
        players = games.num_players
        inputs = np.empty((len(games), self.size(players)), np.float32) if out is None else out
        observations = games.observe(seat, None, self._rules, masks=masks)
        inputs[:, : observations.shape[1]] = observations
        write_features(inputs, observations.shape[1], players)
        seats = games.player if seat is None else np.broadcast_to(seat, len(games))
        inputs[:, seat_inputs(players, self._rules)] = _seat_features(games, seats).reshape(len(games), -1)
        return inputs


def num_inputs(players: int, observe_rules: bool) -> int:
    """I, how many numbers a network gets."""
    return seat_inputs(players, observe_rules).stop


@cache
def seat_inputs(players: int, observe_rules: bool) -> slice:
    """Where the inputs have the features of the seats, the one that looks first."""
    start = observation_size(players, observe_rules) + num_board_features(players)
    return slice(start, start + players * NUM_SEAT_FEATURES)


def _seat_features(games: Games, seats: NDArray[np.int8]) -> NDArray[np.float32]:
    """(N, P, S) the features of all seats, beginning with the (N,) given."""
    features, rounds_left = features_of(games)
    order = relative_seats(games.num_players)[seats]
    features = np.take_along_axis(features, order[:, :, np.newaxis], axis=1)
    nearness = np.broadcast_to(1 / rounds_left[:, np.newaxis, np.newaxis], (*order.shape, 1))
    return np.concatenate([features, features * nearness, 1 / (_MANY_ROUNDS * nearness), nearness], axis=2).astype(
        np.float32
    )
