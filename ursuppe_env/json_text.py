"""JSON from strangers: what it holds, or one line that says what is wrong, with limits to what it may take."""

import json
from collections import Counter
from typing import Any

_DEEPEST = 20  # levels of lists and objects; records and positions have eight at most


def read_json(text: bytes) -> Any:
    """The value that a JSON text stands for.

    Raises:
        ValueError: it is not UTF-8 or not JSON (``NaN`` is not), a key occurs twice in an object, a number has too many
            digits, or it is nested too deeply.
    """
    try:
        value = _DECODER.decode(text.decode())
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"not JSON: {error.msg} at {place}column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _is_deeper(value, _DEEPEST):
        raise ValueError("nested too deeply")
    return value


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


def _is_deeper(value: Any, levels: int) -> bool:
    """Are there lists or objects on more than so many levels? Level by level: no recursion that could be too deep."""
    containers = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        containers = [
            part
            for container in containers
            for part in (container.values() if isinstance(container, dict) else container)
            if isinstance(part, (dict, list))
        ]
        if not containers:
            return False
    return True


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_constant=_no_number)
