"""The players beside the learner: plain callables that act in many games at once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.games import Games
from ursuppe_env.line import quoted
from ursuppe_env.teams import Teams
from ursuppe_env.threads import lent

Opponent = Callable[[Games, NDArray[np.int64]], ArrayLike]
"""``opponent(games, rows)``: the actions, (n,) integers, that it takes in these rows, (n,) int64, of the games. In
each of them ``games.player`` is about to act; an opponent that plays several seats finds there which."""

Opponents = Opponent | Sequence[Opponent | None] | None
"""Who plays the other seats: one opponent for all of them, or P-1 for the seats after the learner's, the next seat
first. None, also as one of them: uniformly random, drawn from the games' own streams. With teams: one for all other
teams, or T-1 for the teams after the learner's."""


def check_opponents(opponent: Any, players: int, teams: Teams | None = None) -> Opponents:
    """The opponents of one learner among so many players, or teams; ``ValueError``: none, or of another number."""
    others, sides = (players - 1, "seats") if teams is None else (len(teams) - 1, "teams")
    if isinstance(opponent, Sequence) and not isinstance(opponent, str):
        if len(opponent) == others and all(map(_can_play, opponent)):
            return tuple(opponent)
    elif _can_play(opponent):
        return opponent
    if isinstance(opponent, str):
        right = "it must be a callable, as ursuppe_agents.make_agent gives it"
        raise ValueError(f"opponent is {quoted(opponent)}; {right}")
    several = f"{others} of them for the {sides} after the learner's, or None for uniformly random"
    raise ValueError(f"opponent is {quoted(opponent)}; it must be a callable (games, rows) -> actions, {several}")


def _can_play(opponent: Any) -> bool:
    return opponent is None or (callable(opponent) and not isinstance(opponent, type))


def play_others(games: Games, seats: NDArray[np.int64], opponent: Opponents = None, teams: Teams | None = None) -> None:
    """Let everyone else act until each game waits for its seat, or its team, or is over.

    Args:
        games: the games, changed in place.
        seats: (N,) the seat that is waited for in each game; with teams the team.
        opponent: who acts in the other seats.
        teams: who plays together; None: each seat for itself.

    Raises:
        ValueError: an opponent gave an illegal action; it is in no game carried out.
    """
    player = games.state["player"]  # a view: it follows the games
    side_of = np.arange(games.num_players) if teams is None else teams.team_of
    if opponent is None:
        games.play_random(until=side_of == seats[:, np.newaxis])
        return
    rows = np.flatnonzero((player >= 0) & (side_of[player] != seats))
    while rows.size > 0:
        if callable(opponent):
            _act(games, rows, opponent)
        else:
            after = (side_of[player[rows]] - seats[rows]) % (len(opponent) + 1)  # 1: next to the one waited for
            for place, one in enumerate(opponent, start=1):
                _act(games, rows[after == place], one)
        acting = player[rows]
        rows = rows[(acting >= 0) & (side_of[acting] != seats[rows])]


def _act(games: Games, rows: NDArray[np.int64], opponent: Opponent | None) -> None:
    if rows.size == 0:
        return
    if opponent is None:
        games.step_random(rows)
        return
    with lent(games):
        actions = opponent(games, rows.copy())  # its own copy, which it may change
    try:
        games.step(actions, rows)
    except ValueError as error:
        raise ValueError(f"opponent {quoted(opponent)}: {error}") from None
