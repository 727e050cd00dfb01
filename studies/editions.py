"""Did the corrections of 1998 change the game, and did they make it fairer?

Fairer is told by two figures: how uneven the start places are, and how uneven the genes. Both are standard deviations,
less what chance alone gives, and the editions are compared in pairs of games with the same dice.
"""

import numpy as np

from studies.pages import Side, how_many, judged, table
from studies.places import PLACES
from studies.results import NEW, OLD, Compared, Results
from ursuppe_lab.balance.figures.spread import spread
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FEWEST_SEEDS
from ursuppe_lab.statistics.ratios import Bootstrapped, ratios, sums_by_cluster


def unevenness(compared: Compared, lineup: int, variant: int) -> Bootstrapped:
    """The standard deviation of the wins over the start places, less what chance alone gives them."""
    study = compared.study
    players = study.ruleset(variant).players
    games = compared.games.filter(lineup=lineup, variant=variant)
    names = [f"{PLACES}/place {number}" for number in range(1, players + 1)]
    sums = sums_by_cluster(games, study.num_seeds(variant, lineup), dict.fromkeys(names))
    found = ratios(sums, study.generator(variant))
    if study.num_seeds(variant, lineup) < FEWEST_SEEDS:
        return Bootstrapped(np.nan, np.empty(0))
    estimates = np.array([found[name].estimate for name in names])
    resampled = np.stack([found[name].resampled for name in names], axis=1)
    # Resamples scatter around estimates, which scatter around the truth: chance is in them twice.
    noise = float(resampled.var(axis=0).mean())
    return Bootstrapped(
        max(float(estimates.var()) - noise, 0) ** 0.5, np.sqrt(np.maximum(resampled.var(axis=1) - 2 * noise, 0))
    )


def gene_spreads(results: Results) -> dict[tuple[int, str], dict[str, Bootstrapped]]:
    """By players and agent: the spread of the genes in each edition; without what had too few games."""
    found: dict[tuple[int, str], dict[str, Bootstrapped]] = {}
    for worths in results.leading:
        if worths.gains is not None:
            key = worths.setting.players, worths.agent
            found.setdefault(key, {})[worths.setting.edition] = spread([worths.gains])
    return {key: of_editions for key, of_editions in found.items() if {NEW, OLD} <= set(of_editions)}


def edition_tables(results: Results) -> dict[str, str]:
    """How uneven start places and genes are in each edition, and which changes are shown: all are judged together."""
    found: dict[tuple[str, int, str], dict[str, Bootstrapped]] = {}
    for compared in results.editions:
        for lineup, agent in enumerate(compared.agents):
            of_editions = {one: unevenness(compared, lineup, compared.variant_of(one)) for one in (OLD, NEW)}
            found["start places", compared.players, agent] = of_editions
    for (players, agent), spreads in gene_spreads(results).items():
        found["genes", players, agent] = spreads
    changes = {key: of_editions[NEW].minus(of_editions[OLD]).interval() for key, of_editions in found.items()}
    sides = judged({key: (change, 0) for key, change in changes.items()})
    rows = []
    for key, of_editions in found.items():
        what, players, agent = key
        before, after = (value(of_editions[edition].interval(), ".2f", 100) for edition in (OLD, NEW))
        change = value(changes[key], "+.2f", 100)
        shown = change if sides[key] == Side.AROUND else f"**{change}**"
        rows.append([what, str(players), agent, before, after, shown])
    heading = ["unevenness, points", "players", "agents", OLD, NEW, f"{NEW} minus {OLD}"]
    return {"editions": table(heading, rows, texts=3), "editions shown": how_many(sides)}
