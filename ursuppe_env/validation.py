"""Arguments of the public methods, checked: each function returns what it was given in one form, or says what is wrong.

All that check raise ``ValueError`` with the argument's name, its value, and what would be right.
"""

import sys
from collections.abc import Mapping
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ursuppe_env.line import counted, quoted
from ursuppe_env.parsing import is_integer
from ursuppe_env.rules import kernels
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import STATE

ALIGNMENT = 64  # bytes: what JAX asks for, and a line of the processor's cache

_NUM_SEEDS = 2**64
_MOST_GAMES = sys.maxsize // STATE.itemsize
_MOST_RULESETS = np.iinfo(STATE["ruleset"]).max
_INT64 = np.dtype(np.int64)
_LARGEST = int(np.iinfo(np.int64).max)


def checked_count(name: str, value: Any, smallest: int, otherwise: str = "") -> int:
    """An integer of at least so much; ``otherwise`` is what else would have been right, for the message."""
    if not is_integer(value) or value < smallest:
        raise ValueError(f"{name} is {quoted(value)}; it must be an integer of at least {smallest}{otherwise}")
    return int(value)


def checked_num_games(name: str, value: Any) -> int:
    """How many games a batch has: at least 1, and no more than memory has addresses for."""
    num_games = checked_count(name, value, 1)
    if num_games > _MOST_GAMES:
        raise ValueError(f"{name} is {num_games}; no memory is large enough for so many")
    return num_games


def checked_most(max_decisions: Any, restart: Any) -> tuple[int, bool]:
    """The arguments of ``play_random``: at most so many decisions a game, and whether games follow each other."""
    restart = checked_flag("restart", restart)
    if max_decisions is None and restart:
        raise ValueError("restart is True without max_decisions; give a number of decisions to stop after")
    most = _LARGEST if max_decisions is None else checked_count("max_decisions", max_decisions, 0, ", or None")
    return min(most, _LARGEST), restart


def checked_flag(name: str, value: Any) -> bool:
    """True or False; what else counts as true in Python is more likely to be a slip."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} is {quoted(value)}; it must be True or False")
    return bool(value)


def checked_seed(name: str, seed: Any) -> int:
    """A seed, 0 ... 2**64 - 1."""
    if not is_integer(seed) or not 0 <= seed < _NUM_SEEDS:
        raise ValueError(f"{name} is {quoted(seed)}; it must be an integer from 0 to 2**64 - 1")
    return int(seed)


def checked_rulesets(rulesets: Any) -> tuple[Ruleset, ...]:
    """The rulesets of a batch, all for the same number of players; one may be the fields in which it differs."""
    if isinstance(rulesets, Ruleset):
        return (rulesets,)
    if isinstance(rulesets, Mapping):
        if not all(isinstance(name, str) for name in rulesets):
            right = "its keys must be names of fields, such as 'players'"
            raise ValueError(f"ruleset is {quoted(dict(rulesets))}; {right}")
        return (Ruleset(**rulesets),)
    right = "it must be a Ruleset, such as Ruleset(players=4)"
    if not isinstance(rulesets, (list, tuple)) or not 1 <= len(rulesets) <= _MOST_RULESETS:
        what = f"{len(rulesets)} values" if isinstance(rulesets, (list, tuple)) else repr(rulesets)
        raise ValueError(f"ruleset is {what}; {right}, a dict of its fields, or a list of rulesets")
    for number, ruleset in enumerate(rulesets):
        if not isinstance(ruleset, Ruleset):
            raise ValueError(f"ruleset[{number}] is {quoted(ruleset)}; {right}")
        if ruleset.players != rulesets[0].players:
            numbers = f"for {ruleset.players} players and ruleset[0] for {rulesets[0].players}"
            raise ValueError(f"ruleset[{number}] is {numbers}; all games of a batch must have the same number")
    return tuple(rulesets)


def checked_ruleset_index(index: ArrayLike, rows: NDArray[np.bool_], num_rulesets: int) -> NDArray[np.int64]:
    """(N,) which of its rulesets each game of a batch is played with; it counts in these (N,) rows."""
    array = checked_integers("ruleset_index", index, len(rows))
    if len(wrong := array[rows & ((array < 0) | (array >= num_rulesets))]):
        right = f"with {counted(num_rulesets, 'ruleset')} it must be 0 ... {num_rulesets - 1}"
        raise ValueError(f"ruleset_index has {wrong[0]}; {right}")
    return array


def checked_row(i: Any, num_games: int) -> int:
    """The row of one game."""
    if not is_integer(i) or not 0 <= i < num_games:
        raise ValueError(f"i is {quoted(i)}; it must be the row of a game, an integer from 0 to {num_games - 1}")
    return int(i)


def checked_array(name: str, values: ArrayLike) -> NDArray[Any]:
    """Any array; lists of uneven length are none."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} cannot be read as an array: {error}") from None


def checked_integers(name: str, values: ArrayLike, num_games: int) -> NDArray[np.int64]:
    """(N,) integers, one a game."""
    array = values if type(values) is np.ndarray else checked_array(name, values)
    if array.dtype is _INT64 and array.shape == (num_games,) and array.flags.carray:
        return array
    return _integers(name, array, (num_games,), f"({num_games},) integers, one a game")


def _integers(name: str, values: ArrayLike, shape: tuple[int, ...] | None, right: str) -> NDArray[np.int64]:
    """Integers of this shape, or (n,), as the kernels take them: read-only arrays would be compiled for anew."""
    array = checked_array(name, values)
    has_shape = array.ndim == 1 if shape is None else array.shape == shape
    if has_shape and array.dtype is _INT64 and array.flags.carray:  # what np.require would find, but sooner
        return array
    if not has_shape or (array.dtype.kind not in "iu" and array.size > 0):
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}; it must be {right}")
    if array.dtype.kind == "u" and array.size > 0 and array.max() > _LARGEST:
        raise ValueError(f"{name} has {array.max()}; it must be at most 2**63 - 1")
    return np.require(array, np.int64, ("C", "A", "W"))


def checked_mask(
    mask: ArrayLike, num_games: int, name: str = "mask", num_players: int | None = None
) -> NDArray[np.bool_]:
    """(N,) bool, one a game; or (N, P), one a game and player."""
    array = checked_array(name, mask)
    shape, of = ((num_games,), "game") if num_players is None else ((num_games, num_players), "game and player")
    if array.shape != shape or array.dtype != bool:
        raise ValueError(f"{name} has shape {array.shape} and dtype {array.dtype}; it must be {shape} bool, one a {of}")
    return array


def checked_rows(rows: ArrayLike, num_games: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Different rows as (n,) int64, and the same as (N,) bool."""
    array = _integers("rows", rows, None, "(n,) integers")
    asked = np.zeros(num_games, np.bool_)
    position = kernels.mark(array, asked)
    if position != kernels.NO_ROW:
        row = int(array[position])
        if not 0 <= row < num_games:
            raise ValueError(f"rows has {row}; it must be 0 ... {num_games - 1}")
        raise ValueError(f"rows has {row} more than once; a game takes one action at a time")
    return array, asked


def checked_selection(index: Any, num_games: int) -> slice | NDArray[Any]:
    """Which rows, and in which order: for NumPy to index an (N,) array with; at least one."""
    right = f"it must be a slice, a mask (N,) or integers from {-num_games} to {num_games - 1} that select rows"
    rows = np.empty(0, np.int64)
    if isinstance(index, slice):
        with suppress(TypeError, ValueError):
            rows = np.arange(*index.indices(num_games))
    else:
        array = checked_array("index", index)
        if array.dtype == bool and array.shape == (num_games,):
            rows = np.flatnonzero(array)
        elif array.ndim <= 1 and array.dtype.kind in "iu":
            rows = np.atleast_1d(array)
        elif array.shape != (0,):
            raise ValueError(f"index has shape {array.shape} and dtype {array.dtype}; {right}")
    if len(rows) == 0:
        raise ValueError(f"index {quoted(index)} selects no rows of {num_games} games; {right}")
    if rows.min() < -num_games or rows.max() >= num_games:
        wrong = rows[(rows < -num_games) | (rows >= num_games)][0]
        raise ValueError(f"index has {wrong}; {right}")
    return index if isinstance(index, slice) else rows


def checked_decisions(rows: ArrayLike, players: NDArray[np.int8]) -> NDArray[np.int64]:
    """Rows in each of which somebody is about to act, as (n,) int64; ``players`` (N,) are who decides in all games."""
    array = _integers("rows", rows, None, "(n,) integers")
    if len(wrong := array[(array < 0) | (array >= len(players))]):
        raise ValueError(f"rows has {wrong[0]}; it must be 0 ... {len(players) - 1}")
    if len(wrong := array[players[array] < 0]):
        raise ValueError(f"rows has {wrong[0]}; nobody is about to act in that game")
    return array


def spread_actions(rows: NDArray[np.int64], actions: ArrayLike, num_games: int) -> NDArray[np.int64]:
    """The (n,) actions of these rows as (N,) actions, ``NO_ACTION`` elsewhere."""
    array = _integers("actions", actions, rows.shape, f"({len(rows)},) integers, one for each of rows")
    spread = np.full(num_games, NO_ACTION, np.int64)
    spread[rows] = array
    return spread


def checked_seats(seat: ArrayLike, num_games: int, num_players: int) -> NDArray[np.int64]:
    """A seat for all games, or one a game, as (N,) seats."""
    given = checked_array("seat", seat)
    seats = checked_integers("seat", np.broadcast_to(given, num_games) if given.ndim == 0 else given, num_games)
    if len(wrong := seats[(seats < 0) | (seats >= num_players)]):
        raise ValueError(f"seat is {wrong[0]}; it must be 0 ... {num_players - 1}")
    return seats


def checked_output(
    out: NDArray[Any] | None, shape: tuple[int, int], dtype: DTypeLike, name: str = "out"
) -> NDArray[Any]:
    """An array to write into; a new one for None."""
    if out is None:
        # Of one game an aligned array would take as long as all the rest.
        return np.empty(shape, dtype) if shape[0] == 1 else aligned_empty(shape, dtype)
    check_output(out, shape, dtype, name)
    return out


def check_output(out: Any, shape: tuple[int, ...], dtype: DTypeLike, name: str) -> None:
    """See that this is an array to write into."""
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype or not out.flags.carray:
        raise ValueError(f"{name} must be a writeable C-contiguous array of shape {shape} and dtype {np.dtype(dtype)}")


def aligned_empty(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """As ``np.empty``, but its memory begins at a multiple of ``ALIGNMENT``.

    PyTorch takes such an array as it is (``torch.from_numpy``), and so does JAX (``jax.dlpack.from_dlpack``), which
    copies what begins elsewhere.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    first = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[first : first + size].view(dtype).reshape(shape)
