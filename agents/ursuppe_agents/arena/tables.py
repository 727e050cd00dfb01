"""Who plays whom: a table is a tuple of P codes of agents, and codes may repeat."""

from collections.abc import Sequence
from itertools import combinations, permutations

Table = tuple[str, ...]

ONE_VS_REST = "one-vs-rest"
ALL = "all"
DESIGNS = (ONE_VS_REST, ALL)


def make_tables(agents: Sequence[str], players: int, design: str | None = None) -> tuple[Table, ...]:
    """The tables at which these agents meet.

    Args:
        agents: codes of agents.
        players: P, the number of seats.
        design: ``"one-vs-rest"``: each agent alone against P-1 copies of each other one. ``"all"``: each choice of P
            different agents. None: P agents sit down as they are, with repetitions if there are any; fewer play
            ``"one-vs-rest"`` and more ``"all"``.

    Raises:
        ValueError: the agents do not fit the design; the message says what would.
    """
    if design is None:
        if len(agents) == players:
            return (tuple(agents),)
        design = ONE_VS_REST if len(agents) < players else ALL
    if design not in DESIGNS:
        raise ValueError(f"tables is {design!r}; it must be {' or '.join(DESIGNS)}")
    twice = next((agent for agent in agents if agents.count(agent) > 1), None)
    if twice is not None:
        raise ValueError(f"agent {twice} is named twice; only a table of exactly {players} agents may repeat one")
    least = 2 if design == ONE_VS_REST else players
    if len(agents) < least:
        raise ValueError(
            f"there are {len(agents)} agents; tables of {players} players by the design {design} need at least {least}"
        )
    if design == ONE_VS_REST:
        return tuple((one, *[rest] * (players - 1)) for one, rest in permutations(agents, 2))
    return tuple(combinations(agents, players))
