"""What the end of a game is worth to each player; every kind is zero-sum.

| kind | reward |
| --- | --- |
| ``win`` | +1 to the winner, -1/(P-1) to each other player |
| ``rank`` | evenly from +1 to -1 in the order of the markers: +1, 1/3, -1/3, -1 with 4 players |
| ``margin`` | (marker - mean of all markers) / first place of the end zone |

With teams they are those of teams: P is their number then, and a marker is a team's place (``ursuppe_env.teams``).
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ursuppe_env.line import quoted
from ursuppe_env.observation import furthest_place
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.teams import Teams

RewardKind = Literal["win", "rank", "margin"]
REWARDS: tuple[str, ...] = get_args(RewardKind)

#: Of a learner whose illegal action ended its game.
ILLEGAL_ACTION_REWARD = -1.0


def check_reward(kind: object) -> str:
    """The kind of reward itself; ``ValueError``: there is no such kind."""
    if not isinstance(kind, str) or kind not in REWARDS:
        raise ValueError(f"reward is {quoted(kind)}; it must be one of {', '.join(map(repr, REWARDS))}")
    return kind


def reward_bounds(kind: str, ruleset: Ruleset, teams: Teams | None = None) -> tuple[float, float]:
    """The smallest and largest reward of this kind that a player, or a team, can get.

    With ``margin`` and the sums of teams they are bounds that no reward reaches.
    """
    check_reward(kind)
    sides = ruleset.players if teams is None else len(teams)
    if kind == "margin":
        sizes = [1] if teams is None or teams.score != "sum" else [len(seats) for seats in teams.seats]
        longest = max(sizes) * furthest_place(ruleset) - min(sizes)  # of a marker, or a team's place, over another
        lead = longest / ruleset.end_zone
        return -lead * (sides - 1) / sides, lead * (sides - 1) / sides
    return (-1.0, 1.0) if kind == "rank" else (-1 / (sides - 1), 1.0)


def final_rewards(
    kind: str,
    markers: ArrayLike,
    ruleset: Ruleset | Sequence[Ruleset],
    dtype: DTypeLike = np.float32,
    teams: Teams | None = None,
) -> NDArray[np.floating[Any]]:
    """The rewards at the end of games.

    Args:
        kind: one of ``REWARDS``.
        markers: (..., P) places on the track at the end, as ``Games.markers``; no two of a game are equal.
        ruleset: what was played; or what each game was played with, n of them for (n, P) markers.
        dtype: of the rewards, which sum to 0 as exactly as it allows.
        teams: who played together; None: each player alone.

    Returns:
        (..., P) of this dtype, the reward of each player, or (..., T), of each team; their sum is 0.

    Raises:
        ValueError: there is no such kind, or ``markers`` has another number of players.
    """
    check_reward(kind)
    places = np.asarray(markers, np.float64)
    if isinstance(ruleset, Ruleset):
        players, end_zone = ruleset.players, np.array(ruleset.end_zone)
    else:
        players, end_zone = ruleset[0].players, np.array([[one.end_zone] for one in ruleset])
    if places.ndim == 0 or places.shape[-1] != players:
        raise ValueError(f"markers has shape {places.shape}; its last axis must have {players} entries, one a player")
    if teams is not None:
        places = teams.places(places).astype(np.float64)
    if kind == "margin":
        return ((places - places.mean(axis=-1, keepdims=True)) / end_zone).astype(dtype)
    if teams is None:
        ahead = (places[..., np.newaxis, :] > places[..., np.newaxis]).sum(axis=-1)  # how many are in front of each
    else:
        ahead = teams.ahead(markers)
    others = places.shape[-1] - 1
    return (1 - 2 * ahead / others if kind == "rank" else np.where(ahead == 0, 1, -1 / others)).astype(dtype)
