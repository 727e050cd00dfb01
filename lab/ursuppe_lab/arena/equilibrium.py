"""What there is to say of agents that have no order: cycles, and Nash averaging.

Who finishes before whom is a game of two players, who name an agent each. Its equilibrium is a mixture that no agent
beats on average; of several the one of greatest entropy, so that a copy of an agent only shares its part. An agent's
value is how often it finishes before the mixture (Balduzzi et al., Re-evaluating Evaluation, 2018).
"""

from collections import deque
from collections.abc import Collection, Iterable

import numpy as np
import scipy  # type: ignore[import-untyped]
from numpy.typing import NDArray

from ursuppe_lab.statistics import Floats

Step = tuple[str, str]
Cycle = tuple[str, ...]

_LEAST = 1e-12  # a share below it counts as none in an entropy
_ACCURACY = 1e-9


def equilibria(margins: Floats) -> Floats:
    """The equilibria of many games among the same agents, (N, K, K), such as resamples of one: (N, K).

    Equal games are solved once. Most others have an equilibrium of the same agents as one before them: that is tried
    first, in a hundredth of the time of a linear program.
    """
    known: dict[bytes, NDArray[np.bool_]] = {}
    solved: dict[bytes, Floats] = {}
    for game in margins:
        if game.tobytes() in solved:
            continue
        tried = (_only_equilibrium_of(shared, game) for shared in known.values())
        shares = next((shares for shares in tried if shares is not None), None)
        if shares is None:
            shares = equilibrium(game)
            known.setdefault((shares > 0).tobytes(), shares > 0)
        solved[game.tobytes()] = shares
    return np.stack([solved[game.tobytes()] for game in margins])


def equilibrium(margins: Floats) -> Floats:
    """(K,) the shares of the agents, which sum to 1, in the equilibrium of greatest entropy.

    ``margins``, (K, K), antisymmetric: how much more often the row's agent finishes before the column's than behind it.
    """
    num_agents = len(margins)
    unbeaten = (margins > 0).sum(axis=1) == num_agents - 1
    if unbeaten.any():
        return unbeaten.astype(np.float64)
    # The equilibria are x with x margins >= 0, scaled to a sum of 1. Unscaled, with x = rest + base and base at most
    # 1, the greatest sum of the base makes it 1 for every agent that has a share in any of them, and 0 for the others.
    program = scipy.optimize.linprog(
        np.repeat([0.0, -1.0], num_agents),
        A_ub=-np.tile(margins.T, 2),
        b_ub=np.zeros(num_agents),
        bounds=[(0, None)] * num_agents + [(0, 1)] * num_agents,
    )
    rest, base = program.x.reshape(2, num_agents)
    shared = base > 0.5
    shares: Floats = np.where(shared, rest + base, 0)
    shares /= shares.sum()
    # The other equilibria differ from this one in directions that leave all agents with a share at 0.
    directions = scipy.linalg.null_space(np.vstack([margins[np.ix_(shared, shared)].T, np.ones(shared.sum())]))
    if directions.shape[1] > 0:
        shares[shared] = _most_even(shares[shared], directions, margins[np.ix_(shared, ~shared)])
    return shares


def _only_equilibrium_of(shared: NDArray[np.bool_], margins: Floats) -> Floats | None:
    """The equilibrium in which these agents have a share and nobody else, if there is one and no other at all.

    There is no other one if the margins of these agents leave one direction for it, and all others lose to it.
    """
    system = margins[np.ix_(shared, shared)].T.copy()
    system[-1] = 1  # of equations that say the same as one less, with the sum in place of one
    sums = np.zeros(len(system))
    sums[-1] = 1
    try:
        inside = np.linalg.solve(system, sums)
    except np.linalg.LinAlgError:
        return None
    shares = np.zeros(len(margins))
    shares[shared] = inside
    against = shares @ margins
    is_one = inside.min() > _ACCURACY and np.abs(against[shared]).max() < _ACCURACY
    return shares if is_one and against[~shared].min(initial=1) > _ACCURACY else None


def _most_even(shares: Floats, directions: Floats, against: Floats) -> Floats:
    """The point of greatest entropy in these directions from (n,) shares, where nobody outside, (n, m), wins."""

    def moved(steps: Floats) -> Floats:
        return shares + directions @ steps

    def loss(steps: Floats) -> float:
        found = np.maximum(moved(steps), _LEAST)
        return float((found * np.log(found)).sum())

    limits = [{"type": "ineq", "fun": moved}, {"type": "ineq", "fun": lambda steps: against.T @ moved(steps)}]
    best = scipy.optimize.minimize(
        loss, np.zeros(directions.shape[1]), method="SLSQP", constraints=limits, options={"ftol": 1e-12}
    )
    found = np.maximum(moved(best.x), 0)
    return found / found.sum()


def shortest_cycles(steps: Collection[Step]) -> list[Cycle]:
    """For each step, one agent that beats another, the shortest cycle through it; each once, the shortest first."""
    beaten: dict[str, list[str]] = {}
    for agent, other in steps:
        beaten.setdefault(agent, []).append(other)
    found: dict[Cycle, None] = {}
    for agent, other in steps:
        way_back = _shortest_way(other, agent, beaten)
        if way_back is not None:
            loop = [agent, *way_back[:-1]]
            start = loop.index(min(loop))  # the name that comes first
            found[(*loop[start:], *loop[:start])] = None
    return sorted(found, key=len)


def _shortest_way(start: str, goal: str, beaten: dict[str, list[str]]) -> list[str] | None:
    """From start to goal, both included; breadth first."""
    reached, ways = {start}, deque([[start]])
    while ways:
        way = ways.popleft()
        if way[-1] == goal:
            return way
        for other in beaten.get(way[-1], ()):
            if other not in reached:
                reached.add(other)
                ways.append([*way, other])
    return None


def in_words(cycle: Iterable[str]) -> str:
    """``a before b before c before a``."""
    agents = list(cycle)
    return " before ".join([*agents, agents[0]])
