"""Mutations of states and positions."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from ursuppe_env import Ruleset
from ursuppe_env.positions.state_checks import field_ranges
from ursuppe_env.rules.state import STATE

Generator = np.random.Generator

_FREE = ("seed", "index", "key", "episode", "layout", "draws")  # no kernel uses them as an index
_NAMES = tuple(name for name in STATE.names or () if name not in _FREE)


def mutated_state(generator: Generator, state: np.ndarray, other: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    """A copy of the (1,) state that differs in one or several places; ``other`` is another real one."""
    mutated = state.copy()
    for _ in range(1 if generator.random() < 0.6 else int(generator.integers(2, 6))):
        change = _STATE_CHANGES[generator.integers(len(_STATE_CHANGES))]
        change(generator, mutated, other, ruleset)
    return mutated


def in_range(generator: Generator, state: np.ndarray, other: np.ndarray, ruleset: Ruleset) -> np.ndarray:
    """A copy of the (1,) state with any values in some fields, each in its range."""
    mutated = state.copy()
    ranges = [entry for entry in field_ranges(ruleset) if entry[0] not in ("node", "player")]
    for number in generator.permutation(len(ranges))[: generator.integers(1, 12)]:
        name, low, high = ranges[number]
        if generator.random() < 0.3:
            mutated[name] = other[name]
        else:
            values = mutated[name].reshape(-1)
            places = generator.integers(len(values), size=generator.integers(1, len(values) + 1))
            values[places] = generator.integers(low, high, len(places), endpoint=True)
            mutated[name] = values.reshape(mutated[name].shape)
    return mutated


def _place(generator: Generator, state: np.ndarray) -> tuple[np.ndarray, int]:
    """A field as a flat view, and a place in it."""
    name = _NAMES[generator.integers(len(_NAMES))]
    values = state[name].reshape(-1)
    return values, int(generator.integers(len(values)))


def _near(generator: Generator, state: np.ndarray, *_: Any) -> None:
    values, at = _place(generator, state)
    with np.errstate(over="ignore"):
        values[at] += values.dtype.type(generator.integers(1, 4)) * values.dtype.type(generator.choice([-1, 1]) % 256)


def _small(generator: Generator, state: np.ndarray, *_: Any) -> None:
    values, at = _place(generator, state)
    values[at] = generator.integers(0 if values.dtype.kind == "u" else -3, 20)


def _extreme(generator: Generator, state: np.ndarray, *_: Any) -> None:
    values, at = _place(generator, state)
    info = np.iinfo(values.dtype)
    values[at] = generator.choice([int(info.min), int(info.max), 0])


def _ranged(generator: Generator, state: np.ndarray, other: np.ndarray, ruleset: Ruleset) -> None:
    ranges = list(field_ranges(ruleset))
    name, low, high = ranges[generator.integers(len(ranges))]
    values = state[name].reshape(-1)
    values[generator.integers(len(values))] = generator.integers(low, high, endpoint=True)


def _flip(generator: Generator, state: np.ndarray, *_: Any) -> None:
    data = state.view(np.uint8)
    data[generator.integers(len(data))] ^= np.uint8(1 << int(generator.integers(8)))


def _swap_places(generator: Generator, state: np.ndarray, *_: Any) -> None:
    values, at = _place(generator, state)
    to = int(generator.integers(len(values)))
    values[at], values[to] = values[to], values[at]


def _swap_fields(generator: Generator, state: np.ndarray, *_: Any) -> None:
    name, to = (_NAMES[number] for number in generator.choice(len(_NAMES), 2, replace=False))
    if STATE[name] == STATE[to]:
        state[name], state[to] = state[to].copy(), state[name].copy()


def _transplant(generator: Generator, state: np.ndarray, other: np.ndarray, ruleset: Ruleset) -> None:
    for _ in range(int(generator.integers(1, 4))):
        name = _NAMES[generator.integers(len(_NAMES))]
        state[name] = other[name]


_STATE_CHANGES: tuple[Callable[[Generator, np.ndarray, np.ndarray, Ruleset], None], ...] = (
    *(_near, _near, _small, _small, _extreme, _ranged, _ranged, _flip),
    *(_swap_places, _swap_fields, _transplant),
)


def differences(state: np.ndarray, mutated: np.ndarray) -> str:
    """The fields in which they differ, for a report."""
    found = []
    for name in STATE.names or ():
        before, after = state[name].reshape(-1), mutated[name].reshape(-1)
        found += [
            f"{name}[{at}]: {before[at]} -> {after[at]}" if len(before) > 1 else f"{name}: {before[at]} -> {after[at]}"
            for at in np.flatnonzero(before != after)
        ]
    return ", ".join(found)


_STRANGE: tuple[Any, ...] = (None, True, -1, 0, 1, 2, 7, 99, 128, 2**31, 1.5, "", "0.1", "2.3", [], {}, [0], "west")


def mutated_position(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A copy of a position with some keys or values changed; ``other`` is another real one."""
    mutated = copy.deepcopy(position)
    for _ in range(1 if generator.random() < 0.6 else int(generator.integers(2, 6))):
        change = _POSITION_CHANGES[generator.integers(len(_POSITION_CHANGES))]
        change(generator, mutated, other)
    return mutated


def _leaf(generator: Generator, position: Any) -> tuple[Any, Any]:
    """A container in the position and a key of it, all depths alike."""
    container, key = position, None
    while True:
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        if not keys:
            return None, None
        key = keys[generator.integers(len(keys))]
        part = container[key]
        if not isinstance(part, (dict, list)) or not part or generator.random() < 0.15:
            return container, key
        container = part


def _nudge(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    container, key = _leaf(generator, position)
    if container is not None and type(container[key]) is int:
        container[key] += int(generator.integers(-3, 4))


def _drop(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    container, key = _leaf(generator, position)
    if container is not None:
        del container[key]


def _drop_key(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    del position[list(position)[generator.integers(len(position))]]


def _replace(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    container, key = _leaf(generator, position)
    if container is not None:
        container[key] = copy.deepcopy(_STRANGE[generator.integers(len(_STRANGE))])


def _swap_parts(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    container, key = _leaf(generator, position)
    if container is not None:
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        to = keys[generator.integers(len(keys))]
        container[key], container[to] = container[to], container[key]


def _take_over(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    for _ in range(int(generator.integers(1, 4))):
        key = list(other)[generator.integers(len(other))]
        position[key] = copy.deepcopy(other[key])


def _ask_otherwise(generator: Generator, position: dict[str, Any], other: dict[str, Any]) -> None:
    """What happens next is what happens next in the other one."""
    for key in ("decision", "chance", "paused", "finished", "player", "phase"):
        position.pop(key, None)
        if key in other:
            position[key] = other[key]


_POSITION_CHANGES: tuple[Callable[[Generator, dict[str, Any], dict[str, Any]], None], ...] = (
    *(_nudge, _nudge, _nudge, _drop, _drop_key, _drop_key, _replace, _swap_parts, _take_over, _ask_otherwise),
)
