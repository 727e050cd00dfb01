"""The players beside the learner: plain callables that act in many games at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.games import Games

#: ``opponent(games, rows)``: the actions, (n,) integers, that it takes in these rows, (n,) int64, of the games. In
#: each of them ``games.player`` is about to act; an opponent that plays several seats finds there which.
Opponent = Callable[[Games, NDArray[np.int64]], ArrayLike]


def play_others(games: Games, seats: NDArray[np.int64], opponent: Opponent | None = None) -> None:
    """Let everyone else act until each game waits for its seat, or is over.

    Args:
        games: the games, changed in place.
        seats: (N,) the seat that is waited for in each game.
        opponent: who acts for all other seats; None: uniformly random, drawn from the games' own streams.

    Raises:
        ValueError: the opponent gave an illegal action; it is in no game carried out.
    """
    player = games.state["player"]  # a view: it follows the games
    rows = np.flatnonzero((player >= 0) & (player != seats))
    while rows.size > 0:
        if opponent is None:
            games.step_random(rows)
        else:
            games.step(opponent(games, rows), rows)
        acting = player[rows]
        rows = rows[(acting >= 0) & (acting != seats[rows])]
