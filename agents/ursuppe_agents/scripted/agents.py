"""The scripted agents: tactics that all of them share, and the strategy of each."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.scripted.tactics import STRATEGY
from ursuppe_agents.scripted.tactics.decide import decide
from ursuppe_env import Games
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.genes import PURCHASE_NAMES
from ursuppe_env.validation import checked_decisions


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """What distinguishes one scripted player from another, as a few numbers and a list of wishes."""

    wishes: tuple[str, ...] = ()  # the genes to buy, by their names in ``buy``, the dearest wish first
    colony: int = 7  # amoebas to have on the board before BP are saved for a gene
    reserve: int = 5  # BP kept back from divisions, for moves, attacks and answers to them in the next round
    debt: float = 0.0  # the highest gene defect to expect in a round, in BP, that a purchase may lead to
    ransom: int = 0  # the most BP to pay in a gene defect; if more is owed, a gene goes
    effort: float = 0.25  # what 1 BP is worth to an amoeba that looks for food, in meals

    @cached_property
    def record(self) -> NDArray[np.void]:
        """(1,) array of dtype STRATEGY, read-only."""
        record = np.zeros(1, STRATEGY)
        wishes = [PURCHASE_NAMES.index(name) for name in self.wishes]
        record["num_wishes"] = len(wishes)
        record["wishes"][0, : len(wishes)] = wishes
        record["rank"] = len(wishes)
        record["rank"][0, wishes] = np.arange(len(wishes))
        for name in ("colony", "reserve", "debt", "ransom", "effort"):
            record[name] = getattr(self, name)
        record.flags.writeable = False
        return record


class ScriptedAgent(Agent):
    """Plays a strategy with the tactics that all scripted agents share; a subclass has the ``strategy``."""

    deterministic = True
    strategy: ClassVar[Strategy]

    def act(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = checked_decisions(rows, games.player)
        actions = np.empty(len(rows), np.int64)
        soup = np.empty((2, NUM_SPACES))
        decide(games.state, games.rules, self.strategy.record, rows, soup, actions)
        return actions


class Grow(ScriptedAgent):
    """Divides as often as it can and never buys a gene: the measure of what genes are worth."""

    strategy = Strategy()


class Breeder(ScriptedAgent):
    """Divides at a lower price and into any space; a dead amoeba is soon replaced."""

    strategy = Strategy(
        wishes=("division_rate", "life_expectancy", "movement_1", "escape", "spores", "intelligence"),
        colony=2,
        reserve=2,
        debt=3.0,
        ransom=7,
        effort=0.65,
    )


class Collector(ScriptedAgent):
    """Works its way up to the advanced genes, which count twice, and takes Ray Protection to be able to keep them."""

    strategy = Strategy(
        wishes=(
            "movement_2",
            "endurance",
            "aggression",
            "intelligence",
            "movement_1",
            "speed",
            "struggle_for_survival",
            "ray_protection",
        ),
        colony=1,
        reserve=5,
        debt=1.5,
        ransom=5,
        effort=0.45,
    )


class Hoarder(ScriptedAgent):
    """Ray Protection first, BP put by to pay what is owed: so it can own many genes and keep them."""

    strategy = Strategy(
        wishes=(
            "ray_protection",
            "movement_1",
            "substitution",
            "movement_2",
            "escape",
            "intelligence",
            "life_expectancy",
        ),
        colony=6,
        reserve=6,
        debt=2.5,
        ransom=8,
        effort=0.35,
    )


class Hunter(ScriptedAgent):
    """Buys Struggle for Survival first: amoebas that are hungry and not alone eat a neighbour."""

    strategy = Strategy(
        wishes=("struggle_for_survival", "movement_1", "speed", "escape", "aggression", "frugality", "intelligence"),
        colony=5,
        reserve=7,
        debt=1.0,
        ransom=5,
        effort=0.3,
    )


class Scavenger(ScriptedAgent):
    """Collects the genes that make meals possible where others starve: less, other or somebody else's food."""

    strategy = Strategy(
        wishes=("frugality", "parasitism", "substitution", "escape", "intelligence", "division_rate"),
        colony=2,
        reserve=5,
        debt=2.5,
        ransom=3,
    )


class Wanderer(ScriptedAgent):
    """Buys everything that makes amoebas faster, cheaper to move and surer of their direction."""

    strategy = Strategy(
        wishes=("endurance", "movement_1", "streamlining", "speed", "tentacle", "escape"),
        colony=3,
        reserve=6,
        debt=3.0,
        ransom=5,
        effort=0.1,
    )
