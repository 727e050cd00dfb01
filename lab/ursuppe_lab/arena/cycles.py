"""Cycles among agents: who finishes before whom, round and round."""

from collections import deque
from collections.abc import Collection, Iterable

Step = tuple[str, str]
Cycle = tuple[str, ...]


def shortest_cycles(steps: Collection[Step]) -> list[Cycle]:
    """For each step that is in a cycle, the shortest one through it; each cycle once, the shortest first.

    Args:
        steps: pairs of agents of which the first beats the second.

    Returns:
        Cycles of three or more agents, each of which beats the next, and the last one the first.
    """
    beaten: dict[str, list[str]] = {}
    for agent, other in steps:
        beaten.setdefault(agent, []).append(other)
    found: dict[Cycle, None] = {}
    for agent, other in steps:
        way_back = _shortest_way(other, agent, beaten)
        if way_back is not None:
            found[_rotated([agent, *way_back[:-1]])] = None
    return sorted(found, key=len)


def _shortest_way(start: str, goal: str, beaten: dict[str, list[str]]) -> list[str] | None:
    """From start to goal, both included; breadth first."""
    came_from: dict[str, str | None] = {start: None}
    waiting = deque([start])
    while waiting:
        agent = waiting.popleft()
        if agent == goal:
            way = [agent]
            while (before := came_from[way[-1]]) is not None:
                way.append(before)
            return way[::-1]
        for other in beaten.get(agent, ()):
            if other not in came_from:
                came_from[other] = agent
                waiting.append(other)
    return None


def _rotated(agents: list[str]) -> Cycle:
    """The same cycle, begun with the agent whose name comes first."""
    start = agents.index(min(agents))
    return (*agents[start:], *agents[:start])


def in_words(cycle: Iterable[str]) -> str:
    """``a before b before c before a``."""
    agents = list(cycle)
    return " before ".join([*agents, agents[0]])
