"""The agent that searches by play-outs."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.registry import agent_spec, foreign_code, make_agent, parameters_of
from ursuppe_agents.search.rollouts import Contest, Guide, is_open, play_pass
from ursuppe_env import Games
from ursuppe_env.validation import checked_decisions

_SECONDS_A_PLAYOUT = 1e-3  # before any was played


class SearchAgent(Agent):
    """Search by play-outs (``ursuppe_agents.search.rollouts``), where the policy that guides it is unsure.

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
        if not isinstance(guide, Evaluator):
            raise ValueError(f"policy of agent 'search' is {policy!r}, which evaluates no positions")
        self.evaluator = guide
        self._others = _predictable(others)

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        began = time.perf_counter()
        priors = self.evaluator.priors(games, rows)
        contests = self._contests(games, rows, priors, began + self._ms / 1000 * len(rows))
        return np.array(
            [
                likeliest if contest is None else contest.best
                for likeliest, contest in zip(priors.argmax(axis=1), contests, strict=True)
            ]
        )

    @property
    def _salt(self) -> bytes:
        """Of the dice of its play-outs."""
        return self.key.to_bytes(8, "little")

    def prepare(self, games: Games) -> None:
        """As of every agent; what a play-out needs is what one evaluation does."""
        row = np.zeros(1, np.int64)
        self.evaluator.priors(games, row)
        self.evaluator.values(games, row)

    def contest(self, games: Games, playouts: int | None = None) -> Contest | None:
        """The contest of a decision; None: the policy is sure of it.

        Args:
            games: a batch of one, as it stands; left as it is.
            playouts: that it may have, and ``go_on`` plays; None: it has had those of the agent's budget.
        """
        priors = self.evaluator.priors(games, np.zeros(1, np.int64))
        if playouts is None:
            return self._contests(games, np.zeros(1, np.int64), priors, time.perf_counter() + self._ms / 1000)[0]
        return Contest(games.state, priors[0], self._salt, playouts) if is_open(priors[0]) else None

    def go_on(
        self, games: Games, *contests: Contest, is_time_for: Callable[[int], bool] = lambda playouts: True
    ) -> bool:
        """Play one more pass of contests, if there is time for so many play-outs; False if they are over or it is."""
        others = self._others if self.teams is None else None  # most agents play every seat for itself
        return play_pass(self.evaluator, games, contests, self.teams, others, is_time_for)

    def _contests(
        self, games: Games, rows: NDArray[np.int64], priors: NDArray[np.float64], deadline: float
    ) -> list[Contest | None]:
        """The contests of these rows, (n,), with their priors, (n, A), after the budget; None where it is clear."""
        unsure = [is_open(of_row) for of_row in priors]
        began = time.perf_counter()
        playouts = self._sims
        if playouts is None:
            playouts = max(int((deadline - began) / self._seconds_a_playout / max(sum(unsure), 1)), 1)
        states = games.state
        contests = [
            Contest(states[row : row + 1], priors[place], self._salt, playouts) if unsure[place] else None
            for place, row in enumerate(rows)
        ]
        open_ones = [contest for contest in contests if contest is not None]

        def is_time_for(playouts: int) -> bool:
            if self._sims is not None:
                return True
            return time.perf_counter() + playouts * self._seconds_a_playout / 2 < deadline  # as near to it as possible

        while self.go_on(games, *open_ones, is_time_for=is_time_for):
            played = sum(int(contest.visits.sum()) for contest in open_ones)
            self._seconds_a_playout = (time.perf_counter() - began) / played
        return contests


def search_against(search: str, spec: str, policy: str | None = None) -> str:
    """The spec of a search for games against an agent: in its play-outs that agent has the seats of the others.

    Args:
        search: its spec.
        spec: of the agent. A policy is taken with its likeliest actions; if the agent is not of the package, or draws,
            the others stay as the search has them.
        policy: that guides; None: as the search has it.
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
