"""Did the corrections of 1998 change the game, and did they make it fairer?

Fairer is told by two figures: how uneven the start places are, and how uneven the genes. Both are standard deviations,
less what chance alone gives, and the editions are compared in pairs of games with the same dice.
"""

from collections.abc import Hashable

import numpy as np

from studies.pages import Side, bold, how_many, judged, table
from studies.places import PLACES
from studies.results import NEW, OLD, Compared, Results
from ursuppe_lab.balance.figures.spread import spread
from ursuppe_lab.reports.text import value
from ursuppe_lab.statistics import FEWEST_SEEDS, Interval
from ursuppe_lab.statistics.ratios import Bootstrapped, ratios, sums_by_cluster

# What is compared: measure, figure, and its name on the page.
FIGURES = (
    ("rounds", "played", "rounds"),
    ("markers", "winner", "winner's place"),
    ("markers", "mean", "mean place"),
    ("markers", "winner ahead of second", "winner's lead"),
    ("deaths", "hunger", "deaths by hunger"),
    ("deaths", "attack", "deaths by attacks for food"),
    ("deaths", "aggression", "deaths by Aggression"),
    ("attacks", "for food", "attacks for food"),
    ("attacks", "by Aggression", "attacks by Aggression"),
)
_UNEVEN = "unevenness of start places, points"
_SPREAD = "spread of genes"


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


def changes(results: Results) -> dict[tuple[Hashable, ...], Interval | None]:
    """Each change from 1997 to 1998 that the page shows: by study, lineup and figure; by players, agent and figure."""
    found: dict[tuple[Hashable, ...], Interval | None] = {}
    for compared in results.editions:
        old, new = compared.variant_of(OLD), compared.variant_of(NEW)
        for lineup in range(len(compared.agents)):
            for measure, figure, name in FIGURES:
                difference = compared.comparison.of(lineup, old, measure)[figure].difference  # from the base, NEW
                found[compared.name, lineup, name] = difference and difference.times(-1)
            apart = unevenness(compared, lineup, new).minus(unevenness(compared, lineup, old))
            found[compared.name, lineup, _UNEVEN] = apart.interval()
    for key, spreads in gene_spreads(results).items():
        found[*key, _SPREAD] = spreads[NEW].minus(spreads[OLD]).interval()
    return found


def edition_tables(results: Results) -> dict[str, str]:
    """What changed from 1997 to 1998, for each number of players, and how uneven the genes are."""
    found = changes(results)
    sides = judged({key: (change, 0) for key, change in found.items()})

    def said(key: tuple[Hashable, ...], factor: float = 1) -> str:
        return bold(found[key], sides[key] != Side.AROUND, factor)

    tables = {"editions shown": how_many(sides)}
    for players, studies in results.editions_by_players.items():
        columns = [(compared, lineup) for compared in studies for lineup in range(len(compared.agents))]
        leading = studies[0]
        old = leading.variant_of(OLD)
        rows = []
        for measure, figure, name in FIGURES:
            before = value(leading.comparison.of(0, old, measure)[figure].value, ".2f")
            rows.append([name, before, *(said((compared.name, lineup, name)) for compared, lineup in columns)])
        before = value(unevenness(leading, 0, old).interval(), ".2f", 100)
        rows.append([_UNEVEN, before, *(said((compared.name, lineup, _UNEVEN), 100) for compared, lineup in columns)])
        games = [f"{compared.games_at(lineup, 0):,}" for compared, lineup in columns]
        rows.append(["games with each edition", games[0], *games])
        heading = ["", f"{OLD}, {leading.agents[0]}"]
        heading += [f"change, {compared.agents[lineup]}" for compared, lineup in columns]
        tables[f"editions {players}"] = table(heading, rows)
    rows = []
    for (players, agent), spreads in gene_spreads(results).items():
        before, after = (value(spreads[edition].interval(), ".2f", 100) for edition in (OLD, NEW))
        rows.append([str(players), agent, before, after, said((players, agent, _SPREAD), 100)])
    tables["editions genes"] = table(["players", "agents", OLD, NEW, f"{NEW} minus {OLD}"], rows, texts=2)
    return tables
