"""Where each part of an observation is, how large its numbers can be, and the tables that say so."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.line import quoted
from ursuppe_env.observation.parts import Part, parts_of_game, rules_parts
from ursuppe_env.rules.ruleset import Ruleset

LARGEST_UINT8 = 255
DTYPES = tuple(map(np.dtype, (np.float32, np.float16, np.uint8)))


def parts_of(players: int, rules: bool = False) -> tuple[Part, ...]:
    """All parts of an observation with this many players, in order; with ``rules`` those of the ruleset too."""
    return (*parts_of_game(players), *rules_parts()) if rules else parts_of_game(players)


def _slices(parts: Iterable[Part]) -> Iterator[tuple[Part, slice]]:
    start = 0
    for part in parts:
        yield part, slice(start, start + part.size)
        start += part.size


@cache
def observation_layout(players: int, rules: bool = False) -> dict[str, slice]:
    """The named slices of an observation with this many players, in order: ``row[layout["bp"]]``.

    With ``rules`` also those of the ruleset: ``row[layout["rules_price"]]``.
    """
    return {part.name: where for part, where in _slices(parts_of(players, rules))}


@cache
def observation_size(players: int, rules: bool = False) -> int:
    """How many numbers an observation has, with ``rules`` the ruleset included."""
    return sum(part.size for part in parts_of(players, rules))


@cache
def per_number(players: int, rules: bool, attribute: str) -> NDArray[np.float32]:
    """(F,) float32, read-only: an attribute of its part, such as ``scale``, for each number of an observation."""
    parts = parts_of(players, rules)
    values = np.concatenate([np.full(part.size, getattr(part, attribute), np.float32) for part in parts])
    values.flags.writeable = False
    return values


def observation_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype of an observation; ``ValueError``: none of float32, float16, uint8."""
    try:
        found = np.dtype(dtype) if dtype is not None else None
    except TypeError:
        found = None
    if found not in DTYPES:
        raise ValueError(f"dtype is {quoted(dtype)}; it must be float32, float16 or uint8")
    return found


def observation_bounds(
    ruleset: Ruleset, rules: bool = False, dtype: DTypeLike = np.float32
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The smallest and largest value of each number of the observation: two (F,) arrays of the dtype.

    Those of the first part are what can happen under this ruleset, those of the second, with ``rules``, what any
    ruleset can have. ``ValueError``: the dtype is none that observations have.
    """
    return _bounds(ruleset, rules, observation_dtype(dtype))


@cache
def _bounds(ruleset: Ruleset, rules: bool, dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    parts = parts_of(ruleset.players, rules)
    counts = np.array([part.bounds(ruleset) for part in parts], np.float32)
    low, high = (np.repeat(bound, [part.size for part in parts]) for bound in counts.T)
    if dtype == np.uint8:
        offset = per_number(ruleset.players, rules, "offset")
        low, high = (np.clip(bound + offset, 0, LARGEST_UINT8) for bound in (low, high))
    else:
        scale = per_number(ruleset.players, rules, "scale")
        low, high = low * scale, high * scale
    low, high = low.astype(dtype), high.astype(dtype)
    low.flags.writeable = high.flags.writeable = False
    return low, high


def saturating_parts(ruleset: Ruleset) -> tuple[str, ...]:
    """The parts with numbers that this ruleset may let grow beyond what uint8 can hold; they stay at 0 or 255 then."""
    counts = {part.name: np.array(part.bounds(ruleset)) + part.offset for part in parts_of(ruleset.players, rules=True)}
    return tuple(name for name, (low, high) in counts.items() if low < 0 or high > LARGEST_UINT8)


def index_table(players: int) -> str:
    """The layout as a Markdown table: indices, name, shape, what 1.0 stands for, meaning."""
    return _table("indices", parts_of_game(players))


def rules_index_table() -> str:
    """The same of the second part, with indices from its beginning."""
    return _table("indices from F on", rules_parts())


def _table(indices: str, parts: Iterable[Part]) -> str:
    lines = [f"| {indices} | name | shape | 1.0 is | meaning |", "| --- | --- | --- | --- | --- |"]
    for part, where in _slices(parts):
        shape = " x ".join(map(str, part.shape))
        shown = f"{where.start}-{where.stop - 1}" if part.size > 1 else f"{where.start}"
        lines.append(f"| {shown} | `{part.name}` | {shape} | {part.unit:g} | {part.meaning} |")
    return "\n".join(lines)
