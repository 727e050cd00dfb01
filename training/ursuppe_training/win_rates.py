"""How often the learner wins against each opponent, as it is now, and which opponents that makes worth meeting.

Prioritised fictitious self-play (Vinyals et al. 2019, AlphaStar) draws opponents by (1 - x)^p, x being the chance to
beat one of them in a game of two. Here the learner is alone among P-1 of them, and an equal one wins 1/P of its games;
with teams P is their number. By the model of Plackett and Luce, one of strength a wins alone among P-1 of strength b
with the chance a / (a + (P-1) b), and is ahead of any one of them with x = a / (a + b): an equal one has 1/2 again.
"""

from collections.abc import Mapping

_MEMORY = 400  # games: after so many a former estimate counts for a third
_DECAY = 1 - 1 / _MEMORY
_LEAST_PRIORITY = 0.05  # nobody is forgotten


class WinRates:
    """Running estimates of the share of games that the learner wins, alone against P-1 of an opponent.

    Exponential averages over games. One whom it has not met yet counts as its equal.

    Args:
        sides: P; with teams their number.
    """

    def __init__(self, sides: int) -> None:
        self._sides = sides
        self._estimates: dict[str, float] = {}

    def __contains__(self, opponent: str) -> bool:
        return opponent in self._estimates

    def __getitem__(self, opponent: str) -> float:
        return self._estimates.get(opponent, 1 / self._sides)

    def take_in(self, opponent: str, games: int, wins: int) -> None:
        """So many more games are over, and the learner has won so many of them."""
        kept = _DECAY**games
        self._estimates[opponent] = kept * self[opponent] + (1 - kept) * wins / games

    def forget(self, opponent: str) -> None:
        """It will not be met again."""
        self._estimates.pop(opponent, None)

    def priority(self, opponent: str, strength: float) -> float:
        """How much it is worth to meet an opponent: from 1, if it always wins, down to 0.05.

        Args:
            opponent: whom to meet.
            strength: p; 0: all are worth the same.
        """
        win_rate = self[opponent]
        is_ahead = win_rate * (self._sides - 1)
        chance_to_lose = (1 - win_rate) / (is_ahead + 1 - win_rate)
        return max(chance_to_lose**strength, _LEAST_PRIORITY)

    def state_dict(self) -> dict[str, float]:
        """All estimates."""
        return dict(self._estimates)

    def load_state_dict(self, saved: Mapping[str, float]) -> None:
        """Go on with these."""
        self._estimates = dict(saved)
