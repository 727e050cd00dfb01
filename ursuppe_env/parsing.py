"""JSON, TOML and integers from outside: what they hold, or one line that says what is wrong; with limits.

Parsers, and whatever prints or compares what they give, call themselves for each level: a few thousand brackets end in
a ``RecursionError`` somewhere.
"""

import json
import operator
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ursuppe_env.line import quoted

T = TypeVar("T")

_DEEPEST = 20  # levels of lists and objects; records and positions have eight at most
_TOO_DEEP = "nested too deeply"
_BYTE_ORDER_MARK = "\ufeff"  # with which editors on Windows begin a file


def is_integer(value: object) -> bool:
    """Python's or NumPy's, but no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def checked_integer(name: str, value: Any, low: int, high: int) -> int:
    """An integer from ``low`` to ``high``; the ``ValueError`` for anything else names it."""
    if not is_integer(value) or not low <= value <= high:
        raise ValueError(f"{name} is {quoted(value)}; it must be an integer from {low} to {high}")
    return int(value)


def parse_json(text: str | bytes) -> Any:
    """The value that a JSON text stands for; ``ValueError``: it is not UTF-8 or not JSON (``NaN`` is not), a key occurs
    twice in an object, a number has too many digits, or it is nested too deeply.
    """
    try:
        decoded = text if isinstance(text, str) else text.decode()
        value = _DECODER.decode(decoded.removeprefix(_BYTE_ORDER_MARK))
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"not JSON: {error.msg} at {place}column {error.colno}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return _not_too_deep(value)


def parse_toml(text: str) -> dict[str, Any]:
    """The table that a TOML text stands for; ``ValueError``: it is not TOML, or nested too deeply."""
    try:
        table = tomllib.loads(text.removeprefix(_BYTE_ORDER_MARK))
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not TOML: {error}") from None
    return _not_too_deep(table)


def read_toml(file: Path) -> dict[str, Any]:
    """The table in a TOML file; ``ValueError`` as for ``parse_toml``, ``OSError``: the file cannot be read."""
    try:
        return parse_toml(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{file}: not UTF-8 text") from None
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def first_difference(
    name: str, one: Any, other: Any, alike: Callable[[Any, Any], bool] = operator.eq
) -> tuple[str, Any, Any] | None:
    """Where two values of JSON first differ, such as ``lineups[0][2]``, and what both have there; None: nowhere.

    What is compared by ``alike`` is inside lists of the same length and objects with the same keys.
    """
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        parts = [(f"{name}.{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = [(f"{name}[{number}]", *pair) for number, pair in enumerate(zip(one, other, strict=True))]
    else:
        return None if alike(one, other) else (name, one, other)
    return next((found for part in parts if (found := first_difference(*part, alike))), None)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return value


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python's own limit, against numbers that take minutes to read
        raise ValueError(f"a number in it has too many digits: {len(digits):,}") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"not JSON: {name} is no number there")


def _not_too_deep(value: T) -> T:
    """The value, if it has no more levels than that; counted without recursion, which could be too deep."""
    level = _containers([value])
    for _ in range(_DEEPEST):
        level = _containers(part for outer in level for part in (outer.values() if isinstance(outer, dict) else outer))
        if not level:
            return value
    raise ValueError(_TOO_DEEP)


def _containers(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, (dict, list))]


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_number)
