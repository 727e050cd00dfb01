"""Did the corrections of 1998 change the game, and did they make it fairer?

Fairer is told by two figures: how uneven the start places are, and how uneven the genes. Both are standard deviations,
less what chance alone gives, and the editions are compared in pairs of games with the same dice.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from studies.pages import Side, Verdicts, bold, table
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


def place_changes(studies: Sequence[Compared]) -> dict[tuple[str, int], Interval | None]:
    """By study and lineup: how much more uneven the start places are in 1998 than in 1997."""
    return {
        (compared.name, lineup): unevenness(compared, lineup, compared.variant_of(NEW))
        .minus(unevenness(compared, lineup, compared.variant_of(OLD)))
        .interval()
        for compared in studies
        for lineup in range(len(compared.agents))
    }


def gene_spreads(results: Results) -> dict[tuple[int, str], dict[str, Bootstrapped]]:
    """By players and agent: the spread of the genes in each edition; without what had too few games."""
    found: dict[tuple[int, str], dict[str, Bootstrapped]] = {}
    for worths in results.leading:
        if worths.gains is not None:
            key = worths.setting.players, worths.agent
            found.setdefault(key, {})[worths.setting.edition] = spread([worths.gains])
    return {key: of_editions for key, of_editions in found.items() if {NEW, OLD} <= set(of_editions)}


def gene_changes(results: Results) -> dict[tuple[int, str], Interval | None]:
    """By players and agent: how much larger the spread of the genes is in 1998 than in 1997."""
    return {key: spreads[NEW].minus(spreads[OLD]).interval() for key, spreads in gene_spreads(results).items()}


def changes(results: Results) -> dict[tuple[Hashable, ...], Interval | None]:
    """Each change from 1997 to 1998 that the page shows."""
    found: dict[tuple[Hashable, ...], Interval | None] = {
        (compared.name, lineup, measure, figure): _change(compared, lineup, measure, figure)
        for compared in results.editions
        for lineup in range(len(compared.agents))
        for measure, figure, _ in FIGURES
    }
    found |= {(*key, _UNEVEN): change for key, change in place_changes(results.editions).items()}
    found |= {(*key, _SPREAD): change for key, change in gene_changes(results).items()}
    return found


def _change(compared: Compared, lineup: int, measure: str, figure: str) -> Interval | None:
    """From the old edition to the new one, which is the base."""
    difference = compared.comparison.of(lineup, compared.variant_of(OLD), measure)[figure].difference
    return difference and difference.times(-1)


def edition_tables(results: Results) -> dict[str, str]:
    """What changed from 1997 to 1998, for each number of players, and how uneven the genes are."""
    found = changes(results)
    judged = Verdicts({key: (change, 0) for key, change in found.items()})

    def said(key: tuple[Hashable, ...], factor: float = 1) -> str:
        return bold(found[key], judged[key] != Side.AROUND, factor)

    tables = {"editions shown": str(judged)}
    for players, studies in results.editions_by_players.items():
        columns = [(compared, lineup, agent) for compared in studies for lineup, agent in enumerate(compared.agents)]
        leading, first, leader = columns[0]
        old = leading.variant_of(OLD)
        rows = []
        for measure, figure, name in FIGURES:
            before = leading.comparison.of(first, old, measure)[figure].value
            of_agents = (said((compared.name, lineup, measure, figure)) for compared, lineup, _ in columns)
            rows.append([name, value(before, ".2f"), *of_agents])
        before = unevenness(leading, first, old).interval()
        uneven = (said((compared.name, lineup, _UNEVEN), 100) for compared, lineup, _ in columns)
        rows.append([_UNEVEN, value(before, ".2f", 100), *uneven])
        games = [f"{compared.games_at(lineup, 0):,}" for compared, lineup, _ in columns]
        rows.append(["games with each edition", games[0], *games])
        heading = ["", f"{OLD}, {leader}", *(f"change, {agent}" for *_, agent in columns)]
        tables[f"editions {players}"] = table(heading, rows)
    rows = [
        [
            str(key[0]),
            key[1],
            *(value(spreads[edition].interval(), ".2f", 100) for edition in (OLD, NEW)),
            said((*key, _SPREAD), 100),
        ]
        for key, spreads in gene_spreads(results).items()
    ]
    tables["editions genes"] = table(["players", "agents", OLD, NEW, f"{NEW} minus {OLD}"], rows, texts=2)
    return tables
