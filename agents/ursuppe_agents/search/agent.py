"""Search by play-outs: after each of a decision's likeliest actions, a policy plays on in all seats for a round or two.

A critic cannot tell actions apart that have just been taken; one round later it can. So where the policy is unsure, its
likeliest actions are tried. Each is played on by the policy's likeliest actions, with the same dice and cards for all
of them, to the end of the round, and the policy's critic says who will win. Of what is bought, born or attacked in
phases 3 to 5 little is to be seen by then: there the *next* round is played too. With many play-outs it is one round
more: they are noisier, but the critic is less in the wrong.

Who sits in the other seats is not known. So in every second play-out another agent plays them: a search that takes them
all for the policy loses against those that play otherwise.

Play-outs stop where enough is known. After each pass the actions that are hardly worth another one leave, and by
sequential halving the worse half of them does at fixed shares of the budget (``contest.py``).

All decisions of a batch are searched together, so that the network is asked about hundreds of positions in one call.
"""

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.registry import agent_spec, foreign_code, make_agent, parameters_of
from ursuppe_agents.search.contest import AT_ONCE, Contest, is_open
from ursuppe_env import Games
from ursuppe_env.games import trusted_games
from ursuppe_env.rules.state import STATE, plain_memory
from ursuppe_env.teams import sides_of
from ursuppe_env.validation import checked_decisions

_SECONDS_A_PLAYOUT = 1e-3  # before any was played
_STEP = np.uint64(0x9E3779B97F4A7C15)  # from one play-out's dice to the next one's; odd, so that none comes twice


class Guide(Evaluator, Protocol):
    """A policy that plays its likeliest actions; a trained one (``policy:...,deterministic=true``) is one."""

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The actions, (n,), in these rows, (n,), of the games."""


class SearchAgent(Agent):
    """Search by play-outs, where the policy that guides it is unsure.

    Args:
        generator: gives it its key.
        ms: milliseconds for a decision; the decisions of one call have their time together.
        sims: play-outs for a decision, at most, in place of ``ms``; then the same games give the same actions, whatever
            the machine.
        policy: that guides: a file of ``ursuppe train``; or ``default``, that of the package for as many players as
            there are.
        others: the spec of who plays the seats of the others in every second play-out, but for games in teams: an agent
            of the package that takes the same action in the same position.

    Raises:
        OSError: the policy's file cannot be read.
        ValueError: a budget is not positive, it is no policy, or the others are no such agent.

    Attributes:
        evaluator: the policy.

    What a search draws depends on the position and the agent's key: not on the real game's streams, on other rows, or
    on what was searched before.
    """

    evaluator: Guide

    def __init__(
        self,
        generator: np.random.Generator,
        *,
        ms: float = 20.0,
        sims: int | None = None,
        policy: str = "default",
        others: str = "greedy",
    ) -> None:
        super().__init__(generator)
        for name, value in (("ms", ms), ("sims", sims)):
            if value is not None and not 0 < value < np.inf:
                raise ValueError(f"{name} of agent 'search' is {value!r}; it must be more than 0")
        self._ms = ms
        self._sims = sims
        self._seconds_a_playout = _SECONDS_A_PLAYOUT  # as they were in the last call
        guide = make_agent(agent_spec("policy", model=policy, deterministic=True), seed=0)
        assert isinstance(guide, Evaluator)
        self.evaluator = guide
        self._others = _predictable(others)

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        began = time.perf_counter()
        priors = self.evaluator.priors(games, rows)
        actions = priors.argmax(axis=1)
        for place, contest in self._contests(games, rows, priors, began).items():
            actions[place] = contest.best
        return actions

    def prepare(self, games: Games) -> None:
        """As of every agent; what a play-out needs is what one evaluation does."""
        row = np.zeros(1, np.int64)
        self.evaluator.priors(games, row)
        self.evaluator.values(games, row)

    def contest(self, games: Games, playouts: int | None = None) -> Contest | None:
        """The contest of the decision in ``games``, a batch of one; None: the policy is sure of it.

        It may have so many play-outs, and ``go_on`` plays them; None: it has had those of the agent's budget.
        """
        row = np.zeros(1, np.int64)
        priors = self.evaluator.priors(games, row)
        if playouts is None:
            return self._contests(games, row, priors, time.perf_counter()).get(0)
        return Contest(games.state, priors[0], self.key, playouts) if is_open(priors[0]) else None

    def go_on(
        self, games: Games, *contests: Contest, is_time_for: Callable[[int], bool] = lambda playouts: True
    ) -> bool:
        """Play what the contests in these games want next; was there anything, and time for so many play-outs?"""
        open_ones = [(contest, wanted) for contest in contests if (wanted := contest.wanted)]
        playouts = sum(wanted * len(contest.standing) for contest, wanted in open_ones)
        if not playouts or not is_time_for(playouts):
            return False
        begun = []
        for contest, wanted in open_ones:
            tried, played = contest.actions[contest.standing], contest.values.shape[1]
            numbers = np.tile(np.arange(played, played + wanted, dtype=np.uint64), len(tried))
            memory = np.repeat(plain_memory(contest.state), len(numbers), axis=0)
            rounds = np.full(len(numbers), contest.last_round)
            begun.append((memory, np.repeat(tried, wanted), rounds, numbers % 2 == 1, contest.stream + _STEP * numbers))
        memory, actions, last_rounds, by_others, keys = map(np.concatenate, zip(*begun, strict=True))
        states = memory.view(STATE)
        states["key"], states["draws"] = keys, 0
        by_others &= self.teams is None  # most agents play every seat for itself
        by_each = (states, actions, last_rounds, by_others)
        parts = ([array[first : first + AT_ONCE] for array in by_each] for first in range(0, playouts, AT_ONCE))
        values = np.concatenate([self._values_after(games, *part) for part in parts])
        for contest, wanted in open_ones:
            own, values = np.split(values, [wanted * len(contest.standing)])
            contest.add(own.reshape(len(contest.standing), wanted))
        return True

    def _values_after(
        self, games: Games, states: NDArray[Any], actions: NDArray[Any], rounds: NDArray[Any], by_others: NDArray[Any]
    ) -> NDArray[np.float64]:
        """(n,) chances of winning of those who act in (n,) positions, after a play-out to the end of these rounds.

        Where ``by_others`` says so, the others play the seats that are not their own.
        """
        sides = sides_of(self.teams, games.num_players)
        own = np.equal.outer(sides.team_of, sides.team_of)[states["player"]]
        batch = trusted_games(states, games.rulesets, threads=1)
        batch.step(actions)
        while len(rows := np.flatnonzero((batch.player >= 0) & (batch.rounds <= rounds))):
            is_own = ~by_others[rows] | own[rows, batch.player[rows]]
            taken = np.empty(len(rows), np.int64)
            for by, player in ((is_own, self.evaluator), (~is_own, self._others)):
                if by.any():
                    taken[by] = player.act(batch, rows[by])
            batch.step(taken, rows)
        chances = np.zeros((len(batch), batch.num_players))
        if len(rows := np.flatnonzero(~batch.finished)):
            chances[rows] = self.evaluator.values(batch, rows)
        won = sides.winner(batch.markers)[:, np.newaxis] == sides.team_of
        # A team's chance is that of its seats together; its win is one.
        return np.where(batch.finished, (won & own).any(axis=1), (chances * own).sum(axis=1))

    def _contests(
        self, games: Games, rows: NDArray[np.int64], priors: NDArray[np.float64], asked: float
    ) -> dict[int, Contest]:
        """The contests after the budget, by place in these rows, (n,), with priors, (n, A), that are not sure."""
        deadline = asked + self._ms / 1000 * len(rows) if self._sims is None else np.inf
        unsure = [place for place, of_row in enumerate(priors) if is_open(of_row)]
        began = time.perf_counter()
        playouts = self._sims
        if playouts is None:
            playouts = max(int((deadline - began) / self._seconds_a_playout / max(len(unsure), 1)), 1)
        states = games.state
        contests = {place: Contest(states[rows[place] :][:1], priors[place], self.key, playouts) for place in unsure}

        def is_time_for(playouts: int) -> bool:  # to end as near to the deadline as possible
            return time.perf_counter() + playouts * self._seconds_a_playout / 2 < deadline

        while self.go_on(games, *contests.values(), is_time_for=is_time_for):
            played = sum(int(contest.visits.sum()) for contest in contests.values())
            self._seconds_a_playout = (time.perf_counter() - began) / played
        return contests


def search_against(search: str, spec: str, policy: str | None = None) -> str:
    """The spec of a search for games against an agent: in its play-outs that agent has the seats of the others.

    A policy has them with its likeliest actions. If the agent is not of the package, or draws, the others stay as the
    search has them; so does the policy that guides, unless another one is given.
    """
    parameters = {} if policy is None else {"policy": policy}
    if foreign_code(spec) is None:
        name, of_agent = parameters_of(spec)
        known = agent_spec(name, **of_agent | ({"deterministic": True} if name == "policy" else {}))
        if make_agent(known, 0).deterministic:
            parameters["others"] = known
    name, of_search = parameters_of(search)
    return agent_spec(name, **of_search | parameters)


def _predictable(spec: str) -> Agent:
    """The agent of a spec, if it is of the package and draws nothing."""
    agent = make_agent(spec, seed=0) if foreign_code(spec) is None else None
    if agent is None or not agent.deterministic:
        raise ValueError(
            f"others of agent 'search' is {spec!r}; it must be an agent of the package that takes the same action in "
            "the same position, such as greedy or policy:default,deterministic=true"
        )
    return agent
