"""The set of legal actions in the record."""

import numpy as np

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.state import NUM_LEGAL_WORDS

#: The bits of each byte as 0 and 1 in eight bytes, the lowest first, all in one word.
BYTES_OF_BITS = np.unpackbits(np.arange(256, dtype=np.uint8), bitorder="little").view(np.uint64)


@compiled
def forbid_all(game):
    """Empty the set."""
    for word in range(NUM_LEGAL_WORDS):
        game["legal"][word] = 0
    game["num_legal"] = 0


@compiled
def allow(game, action):
    """Put an action that is not in it yet into the set."""
    game["legal"][action >> 5] |= 1 << (action & 31)
    game["num_legal"] += 1


@compiled
def is_legal(game, action):
    """Is the action in the set? Any integer may be asked for."""
    if action < 0 or action >= 32 * NUM_LEGAL_WORDS:
        return False
    return (np.int64(game["legal"][action >> 5]) >> (action & 31)) & 1 == 1


@compiled
def write_mask(game, mask):
    """Write the set as 0 and 1 for each action id, eight at a time (on a GPU one by one: ``cuda/bytewise.py``)."""
    words = game["legal"]
    eight_actions = mask[: len(mask) & ~7].view(np.uint64)
    for group in range(len(eight_actions)):
        bits = (words[group >> 2] >> np.uint32(8 * (group & 3))) & np.uint32(255)
        eight_actions[group] = BYTES_OF_BITS[bits]
    for action in range(len(mask) & ~7, len(mask)):
        mask[action] = (words[action >> 5] >> np.uint32(action & 31)) & np.uint32(1)


@compiled
def _lowest_bit(bits):
    """The position of the lowest 1 in a word of 32 bits that is not 0."""
    position = 0
    for half in (16, 8, 4, 2, 1):
        if bits & ((1 << half) - 1) == 0:
            bits >>= half
            position += half
    return position


@compiled
def legal_action(game, number):
    """The action of this number (0 ... num_legal - 1) in the order of the ids."""
    word = 0
    bits = np.int64(game["legal"][0])
    while number > 0 or bits == 0:
        if bits == 0:
            word += 1
            bits = np.int64(game["legal"][word])
        else:
            bits &= bits - 1  # without its lowest 1
            number -= 1
    return 32 * word + _lowest_bit(bits)
