"""Who wins more than their share: by the place of the track on which they began, and by seat."""

from collections.abc import Hashable, Sequence
from itertools import product

from studies.duel import wins_of_first_to_choose, wins_of_places
from studies.pages import Judged, Side, how_many, judged, table
from studies.results import NEW, Compared, Results
from ursuppe_lab.reports.text import confidence_set, percent, value
from ursuppe_lab.statistics import Interval

PLACES, SEATS = "wins_by_start_place", "wins_by_seat"
_BEST = "best"  # beside the names of places


def shares(compared: Compared, lineup: int, variant: int, measure: str) -> dict[str, Interval]:
    """The wins of each place, or seat."""
    found = compared.comparison.of(lineup, variant, measure)
    return {name: figure.value for name, figure in found.items() if figure.value is not None}


def sides_of(results: Results, measure: str) -> Judged:
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
    apart = first.estimate - second.estimate
    return Interval(apart, first.ends[0] - second.ends[1], first.ends[1] - second.ends[0])


def best_place(results: Results, compared: Compared) -> tuple[str | None, bool]:
    """The place that wins most in today's edition under the first lineup, and is it shown to be better than the second?

    None: it is not shown to win more than its share.
    """
    sides = sides_of(results, PLACES)
    variant = compared.variant_of(NEW)
    found = shares(compared, 0, variant, PLACES)
    best = max(found, key=lambda name: found[name].estimate)
    place = compared.name, variant, 0
    if sides[*place, best] != Side.ABOVE:
        return None, False
    return best, sides[*place, _BEST] == Side.ABOVE


def place_tables(results: Results) -> dict[str, str]:
    """How many places and seats win more or less than their share; wins of two sides, each with two places."""
    places, seats = (how_many(sides_of(results, measure)) for measure in (PLACES, SEATS))
    duel, rows = results.duel, []
    for variant, (_, ruleset) in enumerate(duel.study.variants):
        pairs, first = (
            duel.comparison.of(0, variant, f"{measure.__module__}:{measure.__name__}")
            for measure in (wins_of_places, wins_of_first_to_choose)
        )
        wins = [percent(figure.value) for figure in (*pairs.values(), *first.values())]
        rows.append([ruleset.edition, *wins, f"{duel.games.filter(lineup=0, variant=variant).height:,}"])
    return {
        "places shown": f"{places} statements about places, {seats} about seats",
        "places duel": table(["edition", *pairs, "chooses first", "games"], rows),
    }


def bid_tables(results: Results) -> dict[str, str]:
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
