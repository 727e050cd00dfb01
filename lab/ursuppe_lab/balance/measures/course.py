"""How a game goes: its length, its scores, and who leads."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ursuppe_lab.balance.measures import Ratio
from ursuppe_lab.balance.measures.chronicle import Chronicle


def rounds(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """How many are played."""
    return {"played": chronicle.rounds}


def markers(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Places on the track at the end."""
    last_first = np.sort(chronicle.markers[-1], axis=1)
    return {
        "winner": last_first[:, -1],
        "mean": last_first.mean(axis=1),
        "last": last_first[:, 0],
        "winner ahead of second": last_first[:, -1] - last_first[:, -2],
    }


def lead(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Who is ahead after each scoring: how often that changes, and when the winner leads for good."""
    leader = chronicle.markers.argmax(axis=2)  # (R, N)
    changes = ((leader[1:] != leader[:-1]) & chronicle.is_played[1:]).sum(axis=0)
    behind = (leader != chronicle.winner) & chronicle.is_played
    last_behind = np.where(behind.any(axis=0), len(behind) - behind[::-1].argmax(axis=0), 0)
    return {
        "changes": changes,
        "winner leads for good after round": last_behind + 1,
        "part of the game": (last_behind + 1) / chronicle.rounds,
    }


def decisions(chronicle: Chronicle) -> Mapping[str, NDArray[np.generic]]:
    """Choices among two or more actions."""
    return {"a game": np.bincount(chronicle.decisions["game"], minlength=chronicle.num_games)}


def wins_of_leader(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """Wins of the player who is ahead after each round, in the games that go on."""
    return _wins_after(chronicle, chronicle.markers.argmax(axis=2))


def wins_of_last(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """Wins of the player who is last after each round, in the games that go on; and of those who ever were."""
    last = chronicle.markers.argmin(axis=2)
    was_last = ((last == chronicle.winner) & _goes_on(chronicle)).any(axis=0)
    return {**_wins_after(chronicle, last), "winner was ever last": Ratio(was_last, np.ones_like(was_last))}


def amoebas(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """On the board a player, after each round."""
    return _by_round(chronicle, chronicle.amoebas)


def bp(chronicle: Chronicle) -> Mapping[str, Ratio]:
    """Biopoints a player, after each round."""
    return _by_round(chronicle, chronicle.bp)


def _goes_on(chronicle: Chronicle) -> NDArray[np.bool_]:
    """(R, N) is there another round after this one?"""
    return np.arange(1, len(chronicle.states) + 1)[:, None] < chronicle.rounds


def _wins_after(chronicle: Chronicle, player: NDArray[np.int64]) -> dict[str, Ratio]:
    """How often a player, (R, N), of each round wins, in the games that go on; none goes on after the last one."""
    goes_on = _goes_on(chronicle)
    wins = (player == chronicle.winner) & goes_on
    return {f"round {number + 1}": Ratio(wins[number], goes_on[number]) for number in range(len(wins) - 1)}


def _by_round(chronicle: Chronicle, values: NDArray[np.generic]) -> dict[str, Ratio]:
    """The mean of the players in the games that have this round."""
    means = values.mean(axis=2) * chronicle.is_played
    return {f"round {number + 1}": Ratio(means[number], chronicle.is_played[number]) for number in range(len(means))}
