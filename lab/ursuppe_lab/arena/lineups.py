"""Who plays whom: a lineup is a tuple of P agent specs, one a seat, which may repeat; with teams of T, one a team.

Tables are balanced by block designs. A few base blocks are developed: 1 is added to all their points again and again,
modulo the number of points. So how often two points meet depends on their difference alone, and what is searched are
base blocks in which every difference occurs equally often.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from math import comb, gcd

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.validation import checked_seed

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
        schedule: ``"mixed"``: balanced random tables. Every agent has as many seats as every other one, and every pair
            meets equally often; with more agents than seats all at a table are different, with fewer their seats there
            differ by at most one. ``"one-vs-rest"``: each agent alone against P-1 copies of each other one.
            ``"two-and-two"``: each pair with two seats each, of 4: neighbours and opposite. None: P agents are one
            lineup as they stand, with repetitions if there are any; any other number plays ``"mixed"``.
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
        allowed = f"{players} agents that are one lineup, without a schedule, may repeat"
        raise ValueError(f"agent {twice} is named twice; only {allowed}")
    if len(agents) < 2:
        raise ValueError(f"there is {len(agents)} agent; the schedule {schedule} needs at least 2")
    if schedule == TWO_AND_TWO:
        if players != 4:
            other = f"there are {players}; mixed is for any number"
            raise ValueError(f"the schedule two-and-two is for 4 seats, and {other}")
        return tuple(seated for a, b in combinations(agents, 2) for seated in ((a, a, b, b), (a, b, a, b)))
    if schedule == ONE_VS_REST:
        if players == 2:
            raise ValueError("the schedule one-vs-rest of 2 sides is that of all pairs: it is called mixed")
        return tuple((one, *[rest] * (players - 1)) for one, rest in permutations(agents, 2))
    if len(agents) > MOST_AGENTS:
        raise ValueError(f"there are {len(agents)} agents; the schedule mixed is for at most {MOST_AGENTS}")
    generator = np.random.default_rng(checked_seed("seed", seed))
    seats_each, left = divmod(players, len(agents))  # a balanced choice of the agents has one seat more
    shuffled = generator.permutation(len(agents))
    tables = [
        [agents[shuffled[point]] for point in [*range(len(agents))] * seats_each + list(block)]
        for block in balanced_blocks(len(agents), left)
    ]
    return tuple(tuple(table[place] for place in generator.permutation(players)) for table in tables)


def num_rotations(lineup: Lineup) -> int:
    """In how many rotations a lineup is seated differently: ``a b a b`` in 2, ``a a b b`` in 4."""
    return next(shift for shift in range(1, len(lineup) + 1) if lineup[shift:] + lineup[:shift] == lineup)


Block = tuple[int, ...]

# The search takes some 0.1 ms a step. It finds most designs in a few hundred; where it gives up, more base blocks do.
_FEWEST_STEPS = 2000
_STEPS_A_BLOCK = 20
_TEMPERATURE = 0.25  # of choices between replacements that are nearly as good


def balanced_blocks(points: int, size: int) -> list[Block]:
    """Blocks of so many points in which all points, at least 1, and all their pairs are equally often; no block twice.

    All blocks that there are if a balanced choice of them is not found; the same ones every time.
    """
    everything = comb(points, size)
    if size >= 2:
        # With fewer the differences cannot be equally often.
        fewest = (points - 1) // gcd(points - 1, size * (size - 1))
        for count in range(fewest, -(-everything // points), fewest):
            found = _base_blocks(points, size, count)
            if found is not None:
                return [tuple(((base + shift) % points).tolist()) for base in found for shift in range(points)]
    return list(combinations(range(points), size))


def _base_blocks(points: int, size: int, count: int) -> NDArray[np.int64] | None:
    """So many base blocks, (count, size), in which every difference occurs equally often; None if none are found.

    Local search: a point is replaced by the one with which the numbers of the differences are most equal.
    """
    generator = np.random.default_rng([points, size, count])
    blocks = np.zeros((count, size), np.int64)
    gaps: list[Block | None] = [None] * count  # what tells developed blocks apart
    for block in range(count):
        while gaps[block] is None:
            blocks[block] = generator.choice(points, size, replace=False)
            gaps[block] = _gaps_if_new(blocks[block], points, gaps)
    differences = (blocks[:, :, None] - blocks[:, None, :]) % points
    excess = np.bincount(differences.ravel(), minlength=points) - count * size * (size - 1) // (points - 1)
    excess[0] = 0
    everyone = np.arange(points)[:, None]
    for _ in range(_FEWEST_STEPS + _STEPS_A_BLOCK * count):
        if not excess.any():
            return blocks
        block, place = int(generator.integers(count)), int(generator.integers(size))
        rest = np.delete(blocks[block], place)
        old = blocks[block, place] - rest
        np.subtract.at(excess, np.concatenate([old, -old]) % points, 1)
        to_rest = np.concatenate([everyone - rest, rest - everyone], axis=1) % points
        added = np.zeros((points, points), np.int64)
        np.add.at(added, (everyone, to_rest), 1)
        costs = (added * (added + 2 * excess)).sum(axis=1) - _TEMPERATURE * generator.gumbel(size=points)
        others = [*gaps[:block], *gaps[block + 1 :]]
        for point in np.argsort(costs).tolist():
            found = None if point in rest else _gaps_if_new(np.append(rest, point), points, others)
            if found is not None:
                blocks[block, place], gaps[block] = point, found
                break
        np.add.at(excess, to_rest[blocks[block, place]], 1)
    return None


def _gaps_if_new(block: NDArray[np.int64], points: int, others: list[Block | None]) -> Block | None:
    """The gaps from each point to the next, in the order that comes first; blocks with the same develop alike.

    None if the block is one of the others, or if it comes back to itself before it has been developed everywhere.
    """
    ordered = np.sort(block)
    gaps = ((np.roll(ordered, -1) - ordered) % points).tolist()
    turned = {tuple(gaps[start:] + gaps[:start]) for start in range(len(gaps))}
    least = min(turned)
    return None if len(turned) < len(gaps) or least in others else least
