"""Balanced choices of some of many: every point is in as many blocks as every other one, and so is every pair.

A few base blocks are developed: 1 is added to all their points again and again, modulo the number of points. So every
point is in as many blocks as every other one, and how often two points meet depends on their difference alone. What is
searched are base blocks in which every difference occurs equally often.
"""

from itertools import combinations
from math import comb, gcd

import numpy as np
from numpy.typing import NDArray

Block = tuple[int, ...]

# The search takes some 0.1 ms a step. It finds most designs in a few hundred; where it gives up, more base blocks do.
_FEWEST_STEPS = 2000
_STEPS_A_BLOCK = 20
_TEMPERATURE = 0.25  # of choices between replacements that are nearly as good


def balanced_blocks(points: int, size: int) -> list[Block]:
    """Blocks in which all points, and all pairs of points, are equally often; no two blocks are the same.

    All blocks that there are if a balanced choice of them is not found; the same ones every time.

    Args:
        points: how many there are, 0 ... points - 1; at least 1.
        size: points in a block, 0 ... points.
    """
    everything = comb(points, size)
    if size >= 2:
        fewest = (points - 1) // gcd(
            points - 1, size * (size - 1)
        )  # with fewer the differences cannot be equally often
        for count in range(fewest, -(-everything // points), fewest):
            found = _base_blocks(points, size, count)
            if found is not None:
                return [tuple(((base + shift) % points).tolist()) for base in found for shift in range(points)]
    return list(combinations(range(points), size))


def _base_blocks(points: int, size: int, count: int) -> NDArray[np.int64] | None:
    """So many base blocks, (count, size), in which every difference occurs equally often; None if none are found.

    Local search: a point of a block is replaced by the one with which the numbers of the differences are most equal.
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
