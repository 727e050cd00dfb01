"""Search by play-outs: after each of a decision's likeliest actions, a policy plays on in all seats for a round or two.

A critic cannot tell actions apart that have just been taken; one round later it can. So where the policy is unsure, its
likeliest actions are tried. Each is played on by the policy's likeliest actions, with the same dice and cards for all
of them, to the end of the round, and the policy's critic says who will win. Of what is bought, born or attacked in
phases 3 to 5 little is to be seen by then: there the *next* round is played too. With many play-outs it is one round
more: they are noisier, but the critic is less in the wrong.

Who sits in the other seats is not known. So in every second play-out another agent plays them: a search that takes them
all for the policy loses against those that play otherwise.

Play-outs stop where enough is known. After each pass the actions that are hardly worth another one leave, and by
sequential halving the worse half of them does at fixed shares of the budget.

All decisions of a batch are searched together, so that the network is asked about hundreds of positions in one call.
"""

from collections.abc import Callable, Sequence
from math import ceil, erfc, exp, log2, pi, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.search.playouts import stream_of
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.nodes import Phase
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_env.teams import Teams

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
_AT_ONCE = 1024  # positions in a batch
_STEP = np.uint64(0x9E3779B97F4A7C15)  # from one play-out's dice to the next one's; odd, so that none comes twice


class Guide(Evaluator, Protocol):
    """A policy that plays its likeliest actions; a trained one (``policy:...,deterministic=true``) is one."""

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games."""


class Contest:
    """The actions that are tried at one decision, and what play-outs say of them.

    Args:
        state: (1,) the position.
        priors: (A,) the policy's probabilities of all actions.
        key: of whoever searches: with the position it gives the dice.
        playouts: of all actions together, at most.
    """

    def __init__(self, state: NDArray[np.void], priors: NDArray[np.float64], key: bytes, playouts: int) -> None:
        likeliest = np.argsort(-priors, kind="stable")[: min(_MOST_ACTIONS, playouts)]
        self.state = state
        self.stream = np.uint64(stream_of(state, key, 0))
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
        return min(max(self.values.shape[1], _FIRST_PASS), self._left // len(self.standing), _AT_ONCE // _MOST_ACTIONS)

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


def play_pass(
    guide: Guide,
    games: Games,
    contests: Sequence[Contest],
    teams: Teams | None = None,
    others: Agent | None = None,
    is_time_for: Callable[[int], bool] = lambda playouts: True,
) -> bool:
    """Play what the contests want next.

    Args:
        guide: the policy.
        games: that the contests are in, for their rulesets.
        contests: some that are over, too.
        teams: who plays together; None: each seat for itself.
        others: plays the seats of the others in every second play-out; None: the policy does in all.
        is_time_for: so many play-outs?

    Returns:
        Were there any, and time for them?
    """
    open_ones = [(contest, wanted) for contest in contests if (wanted := contest.wanted)]
    playouts = sum(wanted * len(contest.standing) for contest, wanted in open_ones)
    if not playouts or not is_time_for(playouts):
        return False
    states, actions, last_rounds, numbers, keys = [], [], [], [], []
    for contest, wanted in open_ones:
        tried = contest.actions[contest.standing]
        begun = contest.values.shape[1]
        states.append(np.repeat(plain_memory(contest.state), wanted * len(tried), axis=0))
        actions.append(np.repeat(tried, wanted))
        last_rounds.append(np.full(wanted * len(tried), contest.last_round))
        numbers.append(np.tile(np.arange(begun, begun + wanted, dtype=np.uint64), len(tried)))
        keys.append(contest.stream + _STEP * numbers[-1])
    begun_games = np.concatenate(states).view(STATE)
    begun_games["key"], begun_games["draws"] = np.concatenate(keys), 0
    by_others = (np.concatenate(numbers) % 2 == 1) & (others is not None)
    by_each = (begun_games, np.concatenate(actions), np.concatenate(last_rounds), by_others)
    parts = ([array[first : first + _AT_ONCE] for array in by_each] for first in range(0, len(begun_games), _AT_ONCE))
    values = np.concatenate([_values_after(guide, others, games, teams, *part) for part in parts])
    for contest, wanted in open_ones:
        own, values = np.split(values, [wanted * len(contest.standing)])
        contest.add(own.reshape(len(contest.standing), wanted))
    return True


def _values_after(
    guide: Guide,
    others: Agent | None,
    games: Games,
    teams: Teams | None,
    states: NDArray[Any],
    actions: NDArray[Any],
    last_rounds: NDArray[Any],
    by_others: NDArray[Any],
) -> NDArray[np.float64]:
    """(n,) chances of winning of those who act in these (n,) positions, after a play-out each to the end of a round.

    Where ``by_others`` says so, the others play the seats that are not their own.
    """
    team_of = np.arange(games.num_players) if teams is None else teams.team_of
    own = np.equal.outer(team_of, team_of)[states["player"]]
    batch = trusted_games(states, games.rulesets, threads=1)
    batch.step(actions)
    while len(rows := np.flatnonzero((batch.player >= 0) & (batch.rounds <= last_rounds))):
        is_own = ~by_others[rows] | own[rows, batch.player[rows]]
        taken = np.empty(len(rows), np.int64)
        for by, player in ((is_own, guide), (~is_own, others)):
            if player is not None and by.any():
                taken[by] = player.act(batch, rows[by])
        batch.step(taken, rows)
    chances = np.zeros((len(batch), batch.num_players))
    if len(rows := np.flatnonzero(~batch.finished)):
        chances[rows] = guide.values(batch, rows)
    winner = batch.winner if teams is None else teams.winner(batch.markers)
    won = winner[:, np.newaxis] == team_of
    # A team's chance is that of its seats together; its win is one.
    return np.where(batch.finished, (won & own).any(axis=1), (chances * own).sum(axis=1))
