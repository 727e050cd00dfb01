"""Random numbers of agents: each depends on the agent's key, the game and its position, and on nothing else.

So an agent that draws plays the same game whatever the batch, the row and the games beside it.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Games
from ursuppe_env.compilation.compiler import compiler_for
from ursuppe_env.rules.chance import mix
from ursuppe_env.rules.state import STATE, plain_memory

_compiled = compiler_for("draws", [Path(__file__).resolve()])

_WORD = 8  # bytes
_OFFSETS = STATE.fields
assert _OFFSETS is not None  # the record has fields
_KEY = _OFFSETS["key"][1] // _WORD
_POSITION = _OFFSETS["legal"][1] // _WORD  # the words from here on say what the record does but for its streams
_FLOAT_BITS = 53


def key_from(*numbers: int) -> int:
    """64 bits for ``Agent.key`` that depend on these numbers, 0 or more."""
    return int(np.random.default_rng(numbers).integers(2**64, dtype=np.uint64))


def bits_of(games: Games, rows: NDArray[np.int64], key: int) -> NDArray[np.uint64]:
    """(n,) 64 random bits for each of these rows, (n,), of the games, by the 64 bits of whoever draws."""
    words = plain_memory(games.state).view(np.uint64).reshape(len(games), STATE.itemsize // _WORD)
    drawn = np.empty(len(rows), np.uint64)
    _hash(words, rows, np.uint64(key), drawn)
    return drawn


def uniform_of(games: Games, rows: NDArray[np.int64], key: int) -> NDArray[np.float64]:
    """(n,) numbers, uniform on 0 ... 1 without 1, likewise."""
    return (bits_of(games, rows, key) >> np.uint64(64 - _FLOAT_BITS)) / 2.0**_FLOAT_BITS


def drawn_actions(weights: NDArray[np.float64], uniforms: NDArray[np.float64], power: float = 1.0) -> NDArray[np.int64]:
    """(n,) an action for each row, drawn in proportion to a power of the (n, A) weights.

    Weights are 0 or more, in each row not 0 alone; ``uniforms``, (n,), are uniform on 0 ... 1 without 1.
    """
    drawn = np.empty(len(weights), np.int64)
    _draw(weights, uniforms, power, drawn)
    return drawn


@_compiled
def _draw(weights, uniforms, power, drawn):
    for row in range(len(drawn)):
        largest, total, reached = 0.0, 0.0, 0.0
        for weight in weights[row]:
            largest = max(largest, weight)
        for weight in weights[row]:
            total += _raised(weight, largest, power)
        limit = uniforms[row] * total  # less than the total, rounded too
        for action in range(weights.shape[1]):
            reached += _raised(weights[row, action], largest, power)
            if reached > limit:
                drawn[row] = action
                break


@_compiled
def _raised(weight, largest, power):
    """The weight to the power, in proportion: as a share of the largest, since powers of small numbers vanish."""
    if power == 1 or weight == 0:
        return weight
    share = weight / largest
    return share * share if power == 2 else share**power


@_compiled
def _hash(words, rows, key, drawn):
    for number, row in enumerate(rows):
        value = mix(words[row, _KEY] ^ mix(key))
        for word in words[row, _POSITION:]:
            value = mix(value + word)
        drawn[number] = value
