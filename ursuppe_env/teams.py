"""Teams: who plays several colours, and which of their places counts.

A team's *place* on the track is that of its worst colour, of its best one, or the sum of all:

| score | a team's place | |
| --- | --- | --- |
| ``worst`` | of its last marker | the authors' way of playing with two colours each: "double play" |
| ``best`` | of its first marker | |
| ``sum`` | of all its markers together | of teams with the same sum, that with the better best marker is in front |

Two markers never share a place, so there is always a strict order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env.line import quoted
from ursuppe_env.parsing import is_integer

Score = Literal["worst", "best", "sum"]
SCORES: tuple[str, ...] = get_args(Score)

Partition = Sequence[Sequence[int]]
"""The seats of each team, such as ``((0, 2), (1, 3))``: each seat in exactly one team, at least two teams."""

#: Two players with two colours each. Each has the seat opposite to its own, whichever of its colours decides.
DUEL = ((0, 2), (1, 3))

_PLACE: dict[str, Callable[..., Any]] = {"worst": np.min, "best": np.max, "sum": np.sum}  # of a team, from its markers
_FURTHER = 2**20  # than any marker stands: a place more counts for more than any best marker


@dataclass(frozen=True)
class Teams:
    """A partition of all seats among teams.

    Args:
        seats: of each team, in any order; kept as tuples in ascending order.
        score: "worst", "best" or "sum".

    Raises:
        ValueError: it is no partition, or there is no such score; in methods: markers of another number of players.
    """

    seats: tuple[tuple[int, ...], ...]
    score: str = "worst"

    def __post_init__(self) -> None:
        if not isinstance(self.score, str) or self.score not in SCORES:
            raise ValueError(f"score is {quoted(self.score)}; it must be one of {', '.join(map(repr, SCORES))}")
        object.__setattr__(self, "seats", _checked(self.seats))

    def __len__(self) -> int:
        return len(self.seats)

    def __str__(self) -> str:
        """As the command line takes them: ``0+2,1+3``."""
        return ",".join("+".join(map(str, seats)) for seats in self.seats)

    @property
    def players(self) -> int:
        """P, the number of seats."""
        return sum(map(len, self.seats))

    @property
    def names(self) -> list[str]:
        """T names of agents: ``team_0``, ..."""
        return [f"team_{team}" for team in range(len(self))]

    @cached_property
    def first_seats(self) -> NDArray[np.int64]:
        """(T,) the lowest seat of each team; read-only."""
        return _read_only(np.array([seats[0] for seats in self.seats]))

    @cached_property
    def team_of(self) -> NDArray[np.int64]:
        """(P,) the team of each seat; read-only."""
        teams = np.empty(self.players, np.int64)
        for team, seats in enumerate(self.seats):
            teams[list(seats)] = team
        return _read_only(teams)

    @cached_property
    def own_seats(self) -> NDArray[np.int8]:
        """(P, P) as each seat sees it: 1 for a seat of the same team, counted from that seat as observations count.

        Read-only. ``own_seats[2, 1]`` is 1 if seats 2 and 3 belong together; ``own_seats[:, 0]`` is 1.
        """
        seats = np.arange(self.players)
        around = (seats[:, np.newaxis] + seats) % self.players
        return _read_only((self.team_of[around] == self.team_of[:, np.newaxis]).astype(np.int8))

    def places(self, markers: ArrayLike) -> NDArray[np.int64]:
        """The teams' places on the track, (..., T), from the markers', (..., P)."""
        return self._scored(self.score, markers)

    def ahead(self, markers: ArrayLike) -> NDArray[np.int64]:
        """How many teams are in front of each, (..., T), from the markers, (..., P): 0 for the first."""
        order = self.places(markers) * _FURTHER + self._scored("best", markers)
        return (order[..., np.newaxis, :] > order[..., np.newaxis]).sum(axis=-1)

    def winner(self, markers: ArrayLike) -> NDArray[np.int64]:
        """The team in front, (...), from the markers, (..., P)."""
        return self.ahead(markers).argmin(axis=-1)

    def _scored(self, score: str, markers: ArrayLike) -> NDArray[np.int64]:
        places = np.asarray(markers, np.int64)
        if places.ndim == 0 or places.shape[-1] != self.players:
            right = f"its last axis must have {self.players} entries, one a player"
            raise ValueError(f"markers has shape {places.shape}; {right}")
        return np.stack([_PLACE[score](places[..., list(seats)], axis=-1) for seats in self.seats], axis=-1)


def checked_teams(teams: Any, score: Any, players: int) -> Teams:
    """The teams of so many players; ``ValueError``: they are no partition of these seats, or there is no such score."""
    made = Teams(teams, score)
    if made.players != players:
        right = f"there are {players} players, so the seats are 0 ... {players - 1}"
        raise ValueError(f"teams is {quoted(teams)}, of {made.players} seats; {right}")
    return made


def teams_or_none(teams: Any, score: Any, players: int) -> Teams | None:
    """The same where there may be no teams; then a score is a ``ValueError``, too."""
    if teams is not None:
        return checked_teams(teams, score, players)
    if score != "worst":
        raise ValueError(f"score is {quoted(score)}, but there are no teams; give teams, such as {DUEL}")
    return None


def sides_of(teams: Teams | None, players: int) -> Teams:
    """Who plays together; where there are no teams, each seat is a team of its own."""
    return _each_alone(players) if teams is None else teams


@cache
def _each_alone(players: int) -> Teams:
    return Teams(tuple((seat,) for seat in range(players)))


def tell_teams(players: Sequence[Any], teams: Teams | None) -> None:
    """Tell those of the players that are agents who plays together."""
    for player in players:
        if hasattr(player, "teams"):
            player.teams = teams


def read_teams(text: str) -> tuple[tuple[int, ...], ...]:
    """The partition that a text such as ``0+2,1+3`` means; whether it is one is for ``Teams`` to say.

    ``ValueError``: it does not consist of numbers with + and commas between them.
    """
    teams = [seats.split("+") for seats in text.split(",")]
    if not all(seat.strip().isdecimal() for seats in teams for seat in seats):
        raise ValueError(f"teams is {quoted(text)}; it must be the seats of each team, such as 0+2,1+3")
    return tuple(tuple(int(seat) for seat in seats) for seats in teams)


def _checked(teams: Any) -> tuple[tuple[int, ...], ...]:
    right = f"it must be the seats of each team, such as {DUEL}"
    if not _is_listed(teams) or not all(_is_listed(seats) and len(seats) for seats in teams):
        raise ValueError(f"teams is {quoted(teams)}; {right}")
    seats = [seat for seats in teams for seat in seats]
    wrong = next((seat for seat in seats if not is_integer(seat)), None)
    if wrong is not None:
        raise ValueError(f"teams is {quoted(teams)}, with the seat {quoted(wrong)}; {right}")
    if len(teams) < 2:
        raise ValueError(f"teams is {quoted(teams)}; there must be at least 2 teams")
    if sorted(seats) != list(range(len(seats))):
        right = f"each of the seats 0 ... {max(len(seats) - 1, *seats)} must be in exactly one team"
        raise ValueError(f"teams is {quoted(teams)}; {right}")
    return tuple(tuple(sorted(int(seat) for seat in seats)) for seats in teams)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _is_listed(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)
