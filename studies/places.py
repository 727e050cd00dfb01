"""Who wins more than their share, by start place and by seat; and did the corrections of 1998 make the game fairer?

Fairer is told by two figures: how uneven the start places are, and how uneven the genes. Both are standard deviations,
less what chance alone gives, and the editions are compared in pairs of games with the same dice.
"""

from collections.abc import Hashable, Sequence
from itertools import product

import numpy as np

from studies.duel import OF_FIRST_TO_CHOOSE, OF_PLACES
from studies.pages import Judged, Side, how_many, judged, table
from studies.results import NEW, OLD, Compared, StudyResults
from ursuppe_lab.balance.figures.spread import spread
from ursuppe_lab.reports.text import confidence_set, percent, value
from ursuppe_lab.statistics import FEWEST_SEEDS, Interval
from ursuppe_lab.statistics.ratios import Bootstrapped, ratios, sums_by_cluster

PLACES, SEATS = "wins_by_start_place", "wins_by_seat"
_BEST = "best"  # beside the names of places


def shares(compared: Compared, lineup: int, variant: int, measure: str) -> dict[str, Interval]:
    """The wins of each place, or seat."""
    found = compared.comparison.of(lineup, variant, measure)
    return {name: figure.value for name, figure in found.items() if figure.value is not None}


def sides_of(results: StudyResults, measure: str) -> Judged:
    """Who wins more or less than their share; and of places, whether the best is shown to be better than the second."""
    figures: dict[Hashable, tuple[Interval | None, float]] = {}
    for compared in results.editions:
        for lineup, variant in product(range(len(compared.agents)), range(len(compared.study.variants))):
            found = shares(compared, lineup, variant, measure)
            for name, share in found.items():
                figures[compared.name, variant, lineup, name] = share, 1 / compared.players
            if measure == PLACES:
                figures[compared.name, variant, lineup, _BEST] = _ahead(list(found.values())), 0
    return judged(figures)


def _ahead(found: Sequence[Interval]) -> Interval | None:
    """The largest share less the second: at least so far, since what one wins another cannot."""
    second, first = sorted(found)[-2:]
    if first.ends is None or second.ends is None:
        return None
    return Interval(first.estimate - second.estimate, first.ends[0] - second.ends[1], first.ends[1] - second.ends[0])


def best_place(results: StudyResults, compared: Compared) -> str | None:
    """The place that wins most in today's edition under the first lineup.

    None: it is not shown to win more than its share.
    """
    variant = compared.variant_of(NEW)
    found = shares(compared, 0, variant, PLACES)
    best = max(found, key=lambda name: found[name].estimate)
    side = sides_of(results, PLACES)[compared.name, variant, 0, best]
    return best if side == Side.ABOVE else None


def place_tables(results: StudyResults) -> dict[str, str]:
    """How many places and seats win more or less than their share; wins of two sides, each with two places."""
    places, seats = (how_many(sides_of(results, measure)) for measure in (PLACES, SEATS))
    duel, rows = results.duel, []
    for variant, (_, ruleset) in enumerate(duel.study.variants):
        pairs, first = (duel.comparison.of(0, variant, measure) for measure in (OF_PLACES, OF_FIRST_TO_CHOOSE))
        wins = [percent(figure.value) for figure in (*pairs.values(), *first.values())]
        rows.append([ruleset.edition, *wins, f"{duel.games.filter(lineup=0, variant=variant).height:,}"])
    return {
        "places shown": f"{places} statements about places, {seats} about seats",
        "places duel": table(["edition", *pairs, "chooses first", "games"], rows),
    }


def bid_tables(results: StudyResults) -> dict[str, str]:
    """The price of each start place, with each number of players."""
    places = [f"place {number}" for number in range(1, 1 + max(results.bids))]
    rows = [
        [
            f"{players} players",
            value(found.bp, ".2f", 100),
            *(confidence_set(found.prices.get(place), "+.1f") for place in places),
            f"{found.study.num_games:,}",
        ]
        for players, found in sorted(results.bids.items())
    ]
    return {"bids": table(["table", "1 BP, points", *places, "games"], rows)}


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


def edition_tables(results: StudyResults) -> dict[str, str]:
    """How uneven start places and genes are in each edition, and which changes are shown: all are judged together."""
    found: dict[tuple[str, int, str], dict[str, Bootstrapped]] = {}
    for compared in results.editions:
        for lineup, agent in enumerate(compared.agents):
            of_editions = {one: unevenness(compared, lineup, compared.variant_of(one)) for one in (OLD, NEW)}
            found["start places", compared.players, agent] = of_editions
    for worths in results.leading:
        if worths.gains is not None:
            of_genes = found.setdefault(("genes", worths.setting.players, worths.agent), {})
            of_genes[worths.setting.edition] = spread([worths.gains])
    found = {key: of_editions for key, of_editions in found.items() if len(of_editions) == 2}  # others: too few games
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
