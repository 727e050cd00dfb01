"""Observations in fewer bytes: what is encoded as float32, written as float16 or as counts in uint8."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.line import quoted

LARGEST_UINT8 = 255
DTYPES = tuple(map(np.dtype, (np.float32, np.float16, np.uint8)))

# float16 has 13 bits less after the point than float32, and its exponents count from 112 lower.
_FEWER_BITS = np.uint32(13)
_HALF = np.uint32((1 << 12) - 1)  # with the last bit that is kept: rounds halves to even
_OTHER_EXPONENT = np.uint32(112 << 10)
_SIGN_32 = np.uint32(1 << 31)
_TO_SIGN_16 = np.uint32(16)
_ONE = np.uint32(1)


def observation_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype of an observation; ``ValueError``: none of float32, float16, uint8."""
    try:
        found = np.dtype(dtype) if dtype is not None else None
    except TypeError:
        found = None
    if found not in DTYPES:
        raise ValueError(f"dtype is {quoted(dtype)}; it must be float32, float16 or uint8")
    return found


def write_smaller(
    rows: NDArray[np.float32], units: NDArray[np.float32], offsets: NDArray[np.float32], out: NDArray[Any]
) -> None:
    """Write (n, F) observations as those of another dtype.

    float16 gets the same numbers, rounded to the nearest; uint8 the numbers of the state, each plus its offset, at
    least 0 and at most 255.
    """
    if out.dtype == np.uint8:
        _write_counts(rows, units, offsets, out)
    else:
        _write_halves(rows.view(np.uint32), out.view(np.uint16))


@compiled
def _write_counts(rows, units, offsets, out):
    for row in range(len(rows)):
        shown, counts = rows[row], out[row]
        for i in range(len(shown)):
            count = np.int32(np.rint(shown[i] * units[i] + offsets[i]))
            counts[i] = min(max(count, 0), LARGEST_UINT8)


@compiled
def _write_halves(bits, out):
    """float32 to float16, both as their bits; for 0 and for what is neither too large nor too small to be exact."""
    for row in range(len(bits)):
        shown, halves = bits[row], out[row]
        for i in range(len(shown)):
            sign = shown[i] & _SIGN_32
            size = shown[i] ^ sign
            rounded = (size + _HALF + ((size >> _FEWER_BITS) & _ONE)) >> _FEWER_BITS
            halves[i] = (sign >> _TO_SIGN_16) | (rounded - _OTHER_EXPONENT if size else np.uint32(0))
