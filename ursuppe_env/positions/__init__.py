"""Positions: a game as a JSON object in the words of the rules, to be read, written and set up by hand."""

from ursuppe_env.positions.validation import read_position, why_impossible
from ursuppe_env.positions.vocabulary import FORMAT
from ursuppe_env.positions.write import write_position

__all__ = ["FORMAT", "read_position", "why_impossible", "write_position"]
