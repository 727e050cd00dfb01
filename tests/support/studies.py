"""Small studies of genes."""

from ursuppe_env import Ruleset
from ursuppe_lab.balance import GeneStudy


def gene_study(ruleset: Ruleset | None = None, agent: str = "hunter", **changes) -> GeneStudy:
    """Of one agent in every seat with one ruleset, for 3 players as printed."""
    common = {"name": "test", "lineups": ((agent,),), "num_games": 24, "seed": 2, "rounds": (1, 2, 3), "bonus": 5}
    return GeneStudy(**common | {"variants": (("base", ruleset or Ruleset(players=3)),)} | changes)
