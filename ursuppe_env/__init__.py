"""Ursuppe (Primordial Soup) for machines that learn: the full rules, thousands of games at once."""

from ursuppe_env.games import Games
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset

__all__ = ["Decision", "Games", "Ruleset"]
__version__ = "0.1.0"
