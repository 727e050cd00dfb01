"""Cycles among agents: who finishes before whom, round and round."""

from collections import deque
from collections.abc import Collection, Iterable

Step = tuple[str, str]
Cycle = tuple[str, ...]


def shortest_cycles(steps: Collection[Step]) -> list[Cycle]:
    """For each step that is in a cycle, the shortest one through it; each cycle once, the shortest first.

    A step is a pair of agents of which the first beats the second; in a cycle each beats the next, the last the first.
    """
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
