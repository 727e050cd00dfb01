"""How often the learner wins against each opponent, as it is now."""

from collections.abc import Mapping

_MEMORY = 400  # games: after so many a former estimate counts for a third
_DECAY = 1 - 1 / _MEMORY


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

    def state_dict(self) -> dict[str, float]:
        """All estimates."""
        return dict(self._estimates)

    def load_state_dict(self, saved: Mapping[str, float]) -> None:
        """Go on with these."""
        self._estimates = dict(saved)
