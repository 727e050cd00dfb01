"""Who plays whom: a lineup is a tuple of P agent specs, one a seat, which may repeat; with teams of T, one a team."""

from collections.abc import Sequence
from itertools import combinations, permutations

Lineup = tuple[str, ...]

ONE_VS_REST = "one-vs-rest"
ALL = "all"
PAIRINGS = (ONE_VS_REST, ALL)


def make_lineups(agents: Sequence[str], players: int, pairing: str | None = None) -> tuple[Lineup, ...]:
    """The lineups in which these agents meet.

    Args:
        agents: agent specs.
        players: P, the number of seats; with teams T, their number.
        pairing: ``"one-vs-rest"``: each agent alone against P-1 copies of each other one. ``"all"``: each choice of P
            different agents. None: P agents are one lineup as they stand, with repetitions if there are any; fewer play
            ``"one-vs-rest"`` and more ``"all"``.

    Raises:
        ValueError: the agents do not fit the pairing; the message says what would.
    """
    if pairing is None:
        if len(agents) == players:
            return (tuple(agents),)
        pairing = ONE_VS_REST if len(agents) < players else ALL
    if pairing not in PAIRINGS:
        raise ValueError(f"pairing is {pairing!r}; it must be {' or '.join(PAIRINGS)}")
    twice = next((agent for agent in agents if agents.count(agent) > 1), None)
    if twice is not None:
        raise ValueError(f"agent {twice} is named twice; only a lineup of exactly {players} agents may repeat one")
    least = 2 if pairing == ONE_VS_REST else players
    if len(agents) < least:
        raise ValueError(
            f"there are {len(agents)} agents; the pairing {pairing} of {players} players needs at least {least}"
        )
    if pairing == ONE_VS_REST:
        return tuple((one, *[rest] * (players - 1)) for one, rest in permutations(agents, 2))
    return tuple(combinations(agents, players))
