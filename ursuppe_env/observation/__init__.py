"""What a player sees, as numbers: everything that can matter for the future, and the rules themselves if asked for.

All information of the game is public, so every seat sees the same facts, only turned: seat 0 is the observer, seat 1
the next player, and so on. ``parts.py`` declares what is shown and in which order. Everything else derives from that:
``layout.py`` names slices, bounds and dtypes, ``encoding.py`` fills the rows.
"""

from ursuppe_env.observation.layout import (
    index_table,
    observation_bounds,
    observation_layout,
    observation_size,
    rules_index_table,
    saturating_parts,
)
from ursuppe_env.observation.parts import furthest_place

__all__ = [
    "furthest_place",
    "index_table",
    "observation_bounds",
    "observation_layout",
    "observation_size",
    "rules_index_table",
    "saturating_parts",
]
