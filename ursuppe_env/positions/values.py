"""Read values of a position: each function gives back what it was asked for, or says what would be right."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ursuppe_env.line import quoted
from ursuppe_env.parsing import checked_integer
from ursuppe_env.rules.actions import Amoeba
from ursuppe_env.rules.board import NUM_SPACES


def known_keys(name: str, value: Any, keys: Sequence[str]) -> Mapping[str, Any]:
    """An object with none but these keys."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is {quoted(value)}; it must be an object with keys of {', '.join(keys)}")
    for key in value:
        if key not in keys:
            close = difflib.get_close_matches(str(key), keys, 1, cutoff=0.75)
            hint = f"did you mean {quoted(close[0])}? " if close else ""
            raise ValueError(f"{name} has the unknown key {quoted(key)}; {hint}keys are {', '.join(keys)}")
    return value


def truth(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} is {quoted(value)}; it must be true or false")
    return value


def choice(name: str, value: Any, options: Iterable[str]) -> str:
    """One of these words."""
    options = tuple(options)
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} is {quoted(value)}; it must be one of {', '.join(options)}")
    return value


def entries(name: str, value: Any, what: str, length: int | None = None) -> Sequence[Any]:
    """A list, of this length if one is given."""
    if not isinstance(value, (list, tuple)) or (length is not None and len(value) != length):
        count = "" if length is None else f"{length} "
        raise ValueError(f"{name} is {quoted(value)}; it must be a list of {count}{what}")
    return value


def integers(name: str, value: Any, length: int, low: int, high: int) -> list[int]:
    """A list of integers, one a player."""
    values = entries(name, value, "integers, one a player", length)
    return [checked_integer(f"{name} of player {player}", number, low, high) for player, number in enumerate(values)]


def space(name: str, value: Any) -> int:
    """A space, counted from 0."""
    return checked_integer(name, value, 1, NUM_SPACES) - 1


def amoeba(name: str, value: Any, players: int, amoebas: int) -> Amoeba:
    """An amoeba that reads ``2.3``: (player, number counted from 0)."""
    if isinstance(value, str):
        player, _, number = value.partition(".")
        if player.isdecimal() and number.isdecimal() and int(player) < players and 1 <= int(number) <= amoebas:
            return int(player), int(number) - 1
    right = f"with players 0 to {players - 1} and numbers 1 to {amoebas}"
    raise ValueError(f"{name} is {quoted(value)}; it must be an amoeba such as '0.1', number 1 of player 0, {right}")


def answers(name: str, value: Any, bits: Mapping[str, int]) -> int:
    """A list of answers to attacks, as the bits that they have in the state."""
    return sum({bits[choice(f"an answer in {name}", answer, bits)] for answer in entries(name, value, "answers")})
