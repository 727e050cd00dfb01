"""Who plays whom: a lineup is a tuple of P agent specs, one a seat, which may repeat; with teams of T, one a team."""

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np

from ursuppe_env.validation import checked_seed
from ursuppe_lab.arena.designs import balanced_blocks

Lineup = tuple[str, ...]

MIXED = "mixed"
ONE_VS_REST = "one-vs-rest"
TWO_AND_TWO = "two-and-two"
SCHEDULES = (MIXED, ONE_VS_REST, TWO_AND_TWO)
#: More agents than this have no balanced tables: those of 60 are already 3,540.
MOST_AGENTS = 60


def make_lineups(agents: Sequence[str], players: int, schedule: str | None = None, seed: int = 0) -> tuple[Lineup, ...]:
    """The lineups in which these agents meet.

    Args:
        agents: agent specs, K of them.
        players: P, the number of seats; with teams T, their number.
        schedule: ``"mixed"``: balanced random tables. Every agent sits at as many as every other one, as often, and
            every pair meets equally often; with more agents than seats all at a table are different, with fewer each
            has as many seats as every other one, or one more. ``"one-vs-rest"``: each agent alone against P-1 copies of
            each other one. ``"two-and-two"``: each pair with two seats each, of 4: neighbours and opposite.
            None: P agents are one lineup as they stand, with repetitions if there are any; any other number plays
            ``"mixed"``.
        seed: draws who has which place at mixed tables.

    Raises:
        ValueError: the agents do not fit the schedule; the message says what would.
    """
    if schedule is None:
        if len(agents) == players:
            return (tuple(agents),)
        schedule = MIXED
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule is {schedule!r}; it must be {', '.join(SCHEDULES[:-1])} or {SCHEDULES[-1]}")
    twice = next((agent for agent in agents if agents.count(agent) > 1), None)
    if twice is not None:
        raise ValueError(
            f"agent {twice} is named twice; only {players} agents that are one lineup, without a schedule, may repeat"
        )
    if len(agents) < 2:
        raise ValueError(f"there is {len(agents)} agent; the schedule {schedule} needs at least 2")
    if schedule == TWO_AND_TWO:
        if players != 4:
            raise ValueError(
                f"the schedule two-and-two is for 4 seats, and there are {players}; mixed is for any number"
            )
        return tuple(seated for a, b in combinations(agents, 2) for seated in ((a, a, b, b), (a, b, a, b)))
    if schedule == ONE_VS_REST:
        if players == 2:
            raise ValueError("the schedule one-vs-rest of 2 sides is that of all pairs: it is called mixed")
        return tuple((one, *[rest] * (players - 1)) for one, rest in permutations(agents, 2))
    return _mixed(agents, players, seed)


def num_rotations(lineup: Lineup) -> int:
    """In how many rotations a lineup is seated differently: ``a b a b`` in 2, ``a a b b`` in 4."""
    return next(shift for shift in range(1, len(lineup) + 1) if lineup[shift:] + lineup[:shift] == lineup)


def _mixed(agents: Sequence[str], players: int, seed: int) -> tuple[Lineup, ...]:
    """Balanced tables: everybody has so many seats at each, and a balanced choice of the agents has one more."""
    if len(agents) > MOST_AGENTS:
        raise ValueError(f"there are {len(agents)} agents; the schedule mixed is for at most {MOST_AGENTS}")
    generator = np.random.default_rng(checked_seed("seed", seed))
    seats_each, left = divmod(players, len(agents))
    shuffled = generator.permutation(len(agents))
    tables = [
        [agents[shuffled[point]] for point in [*range(len(agents))] * seats_each + list(block)]
        for block in balanced_blocks(len(agents), left)
    ]
    return tuple(tuple(table[place] for place in generator.permutation(players)) for table in tables)
