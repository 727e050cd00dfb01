"""Arguments of the public methods, checked: each function returns what it was given in one form, or says what is wrong.

All raise ``ValueError`` with the argument's name, its value, and what would be right.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ursuppe_env import kernels

_NUM_SEEDS = 2**64


def checked_seed(name: str, seed: Any) -> int:
    """A seed, 0 ... 2**64 - 1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < _NUM_SEEDS:
        raise ValueError(f"{name} is {seed!r}; it must be an integer from 0 to 2**64 - 1")
    return int(seed)


def checked_integers(name: str, values: ArrayLike, num_games: int) -> NDArray[np.int64]:
    """(N,) integers, one a game."""
    array = np.asarray(values)
    if array.shape != (num_games,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {array.shape} and dtype {array.dtype}; it must be ({num_games},) integers, one a game"
        )
    return np.ascontiguousarray(array, np.int64)


def checked_mask(mask: ArrayLike, num_games: int) -> NDArray[np.bool_]:
    """(N,) bool, one a game."""
    rows = np.asarray(mask)
    if rows.shape != (num_games,) or rows.dtype != bool:
        raise ValueError(
            f"mask has shape {rows.shape} and dtype {rows.dtype}; it must be ({num_games},) bool, one a game"
        )
    return rows


def checked_rows(rows: ArrayLike, num_games: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Different rows as (n,) int64, and the same as (N,) bool."""
    array = np.asarray(rows)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size > 0):
        raise ValueError(f"rows has shape {array.shape} and dtype {array.dtype}; it must be (n,) integers")
    array = np.ascontiguousarray(array, np.int64)
    asked = np.zeros(num_games, np.bool_)
    position = kernels.mark(array, asked)
    if position != kernels.ALL_ROWS_EXIST:
        row = int(array[position])
        if not 0 <= row < num_games:
            raise ValueError(f"rows has {row}; it must be 0 ... {num_games - 1}")
        raise ValueError(f"rows has {row} more than once; a game takes one action at a time")
    return array, asked


def spread_actions(rows: NDArray[np.int64], actions: ArrayLike, num_games: int) -> NDArray[np.int64]:
    """The (n,) actions of these rows as (N,) actions, ``NO_ACTION`` elsewhere."""
    array = np.asarray(actions)
    if array.shape != rows.shape or (array.dtype.kind not in "iu" and array.size > 0):
        raise ValueError(
            f"actions has shape {array.shape} and dtype {array.dtype}; "
            f"it must be ({len(rows)},) integers, one for each of rows"
        )
    spread = np.full(num_games, kernels.NO_ACTION, np.int64)
    spread[rows] = array
    return spread


def checked_seats(seat: ArrayLike, num_games: int, num_players: int) -> NDArray[np.int64]:
    """A seat for all games, or one a game, as (N,) seats."""
    seats = checked_integers("seat", np.broadcast_to(seat, num_games) if np.ndim(seat) == 0 else seat, num_games)
    bad = seats[(seats < 0) | (seats >= num_players)]
    if len(bad):
        raise ValueError(f"seat is {bad[0]}; it must be 0 ... {num_players - 1}")
    return seats


def checked_output(out: NDArray[Any] | None, shape: tuple[int, int], dtype: type) -> NDArray[Any]:
    """An array to write into; a new one for None."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != dtype or not out.flags.carray:
        raise ValueError(f"out must be a writeable C-contiguous array of shape {shape} and dtype {np.dtype(dtype)}")
    return out
