"""What the processor's code does in whole words and a GPU has to do byte by byte.

A processor writes eight bytes at once wherever they lie. A GPU does so at multiples of eight alone, and stops the
program elsewhere. ``device.py`` compiles the functions here in place of those that they are named after.
"""

import numpy as np


def write_mask(game, mask):
    """As ``rules.legal.write_mask``."""
    for action in range(len(mask)):
        mask[action] = (game["legal"][action >> 5] >> np.uint32(action & 31)) & np.uint32(1)


def copy_cards(cards, shown):
    """As ``observation.encoding.copy_cards``."""
    for gene in range(len(shown)):
        shown[gene] = cards[gene]


def show_cards_left(left, flags):
    """As ``observation.encoding.show_cards_left``."""
    for card in range(len(flags)):
        flags[card] = (left >> np.uint32(card)) & np.uint32(1)
