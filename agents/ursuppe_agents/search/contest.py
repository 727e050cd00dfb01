"""Which of a decision's actions are tried, how often, and what is concluded from it."""

from math import ceil, erfc, exp, log2, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.search.playouts import stream_of
from ursuppe_env.rules.nodes import Phase

AT_ONCE = 1024  # positions in a batch
_SURE = 0.95  # an action as likely as this is taken without a search
_LEAST_LIKELY = 0.01  # of the actions that are tried
_MOST_ACTIONS = 4
_WORTH_OF_PRIOR = 0.01  # by so much chance of winning is an action better that the policy finds e times as likely ...
_SPREAD = 0.08  # ... give or take this much, one standard deviation
_LATE_PHASES = (Phase.SETUP, Phase.NEW_GENES, Phase.DIVISION, Phase.DEATHS)  # of decisions that the next round shows
_MANY = 64  # play-outs of a decision, from which on each is a round longer
_NOISE = (0.11, 0.13)  # standard deviation of one play-out's difference between two actions; of a longer one
_SEEN_NOISE = 8  # as many play-outs does that figure count for, against those that were seen
_LEAST_GAIN = 0.002  # chance of winning: actions that are expected to gain less by becoming the best leave
_FIRST_PASS = 4  # play-outs of each action: a network takes nearly as long for one position as for several


class Contest:
    """The actions that are tried at one decision, and what play-outs say of them.

    Args:
        state: (1,) the position.
        priors: (A,) the policy's probabilities of all actions.
        key: 64 bits, of whoever searches: with the position they give the dice.
        playouts: of all actions together, at most.
    """

    def __init__(self, state: NDArray[np.void], priors: NDArray[np.float64], key: int, playouts: int) -> None:
        likeliest = np.argsort(-priors, kind="stable")[: min(_MOST_ACTIONS, playouts)]
        self.state = state
        self.stream = np.uint64(stream_of(state, key.to_bytes(8, "little"), 0))
        self.actions = likeliest[priors[likeliest] >= _LEAST_LIKELY]  # (C,) likeliest first
        self.values = np.empty((len(self.actions), 0))  # (C, n) of the play-outs; NaN once the action has left
        self.standing = np.arange(len(self.actions))  # numbers of those that have not left, best first
        self._worth = _WORTH_OF_PRIOR * np.log(priors[self.actions] / priors[self.actions[0]])
        is_late, is_long = state["phase"][0] in _LATE_PHASES, playouts >= _MANY
        self.last_round = int(state["round"][0]) + is_late + is_long
        self._noise = _NOISE[is_long]
        self._least_gain = _LEAST_GAIN * min(1.0, sqrt(_MANY / playouts))
        self._played = 0
        self._playouts = playouts
        self._halvings = min(ceil(log2(len(self.actions))), playouts // len(self.actions))
        self._halving = 1  # that comes next

    @property
    def best(self) -> int:
        """The action that is to be played."""
        return int(self.actions[self.standing[0]])

    @property
    def wanted(self) -> int:
        """Play-outs of each standing action in the next pass, as many as so far or a few; 0: the contest is over."""
        if len(self.standing) == 1:
            return 0
        return min(max(self.values.shape[1], _FIRST_PASS), self._left // len(self.standing), AT_ONCE // _MOST_ACTIONS)

    @property
    def _left(self) -> int:
        """Play-outs until the next halving."""
        return self._playouts * self._halving // self._halvings - self._played

    def add(self, values: NDArray[np.float64]) -> None:
        """Add a pass, (standing, n) chances of winning, and let actions leave."""
        added = np.full((len(self.actions), values.shape[1]), np.nan)
        added[self.standing] = values
        self.values = np.hstack([self.values, added])
        self._played += values.size
        worth = self._expected_worth()
        self.standing = self.standing[np.argsort(-worth[self.standing], kind="stable")]
        best, others = self.standing[0], self.standing[1:]
        gains = [_expected_gain(worth[other] - worth[best], self._deviation(best, other)) for other in others]
        self.standing = self.standing[np.array([np.inf, *gains]) >= self._least_gain]
        while self._left < len(self.standing) and self._halving < self._halvings:
            self.standing = self.standing[: max(1, len(self.actions) >> self._halving)]
            self._halving += 1

    def votes(self, priors: NDArray[np.float64]) -> NDArray[np.float64]:
        """(A,) the improved policy: the priors of all actions, those that were tried shifted by what was seen."""
        worth = self._expected_worth()
        worth[np.isin(np.arange(len(worth)), self.standing, invert=True)] -= self._least_gain  # they do not come back
        likely = np.exp((worth - worth.max()) / _WORTH_OF_PRIOR)
        votes = priors.copy()
        votes[self.actions] = priors[self.actions].sum() * likely / likely.sum()
        return votes

    @property
    def visits(self) -> NDArray[np.int64]:
        """(C,) play-outs of each action."""
        return (~np.isnan(self.values)).sum(axis=1)

    def _expected_worth(self) -> NDArray[np.float64]:
        """(C,) the posterior mean of each action's chance of winning, less that of the first standing one's."""
        seen = np.maximum(self.visits, 1)
        differences = np.nansum(self.values - self.values[self.standing[0]], axis=1)
        before, after = 1 / _SPREAD**2, self.visits / self._noise**2
        relative = self._worth - self._worth[self.standing[0]]
        return (relative * before + differences / seen * after) / (before + after)

    def _deviation(self, best: int, other: int) -> float:
        """Of the difference between two standing actions, the posterior standard deviation."""
        differences = self.values[best] - self.values[other]
        count = len(differences)
        squares = _SEEN_NOISE * self._noise**2 + ((differences - differences.mean()) ** 2).sum()
        return float(1 / sqrt(1 / _SPREAD**2 + count * (_SEEN_NOISE + count - 1) / squares))


def _expected_gain(mean: float, deviation: float) -> float:
    """What a normally distributed difference, where it is more than 0, is expected to be worth."""
    distance = -mean / deviation
    return deviation * (exp(-(distance**2) / 2) / sqrt(2 * pi) - distance * erfc(distance / sqrt(2)) / 2)


def is_open(priors: NDArray[np.float64]) -> bool:
    """Is the policy unsure enough for a search? ``priors`` (A,) are its probabilities."""
    likeliest, second = np.sort(priors)[:-3:-1]
    return bool(likeliest < _SURE and second >= _LEAST_LIKELY)
