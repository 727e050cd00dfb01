"""Who wins more than their share: by the place of the track on which they began, and by seat."""

from collections.abc import Hashable, Sequence

from studies.duel import wins_of_first_to_choose, wins_of_places
from studies.pages import Judged, Side, how_many, judged, table, widest
from studies.results import NEW, Compared, Results
from ursuppe_lab.reports.text import NONE, confidence_set, percent, value
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
        for _, variant, lineup in _lines(compared):
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


def _lines(compared: Compared) -> list[tuple[str, int, int]]:
    """Agents, and the numbers of variant and lineup."""
    return [
        (agent, variant, lineup)
        for lineup, agent in enumerate(compared.agents)
        for variant in range(len(compared.study.variants))
    ]


def _row(
    compared: Compared,
    agent: str,
    variant: int,
    lineup: int,
    names: dict[str, list[str]],
    sides: dict[str, Judged],
) -> list[str]:
    cells, known = [], []
    for measure, of_it in names.items():
        found = shares(compared, lineup, variant, measure)
        known += [found[name] for name in of_it if name in found]
        for name in of_it:
            text = f"{100 * found[name].estimate:.1f}" if name in found else NONE
            is_plain = name not in found or sides[measure][compared.name, variant, lineup, name] == Side.AROUND
            cells.append(text if is_plain else f"**{text}**")
    edition = compared.study.ruleset(variant).edition
    return [agent, edition, *cells, widest(known), f"{compared.games_at(lineup, variant):,}"]


def place_tables(results: Results) -> dict[str, str]:
    """All wins by start place and by seat, and those of two sides, of whom each has two places."""
    sides = {measure: sides_of(results, measure) for measure in (PLACES, SEATS)}
    found = {}
    for players, studies in results.editions_by_players.items():
        names = [f"place {number}" for number in range(1, players + 1)]
        seats = [f"player {number}" for number in range(players)]
        rows = [
            _row(compared, agent, variant, lineup, {PLACES: names, SEATS: seats}, sides)
            for compared in studies
            for agent, variant, lineup in _lines(compared)
        ]
        found[f"places {players}"] = table(["agents", "edition", *names, *seats, "±", "games"], rows, texts=2)
    found["places shown"] = f"{how_many(sides[PLACES])} statements about places, {how_many(sides[SEATS])} about seats"
    duel, rows = results.duel, []
    for variant, (_, ruleset) in enumerate(duel.study.variants):
        pairs, first = (
            duel.comparison.of(0, variant, f"{measure.__module__}:{measure.__name__}")
            for measure in (wins_of_places, wins_of_first_to_choose)
        )
        wins = [percent(figure.value) for figure in (*pairs.values(), *first.values())]
        rows.append([ruleset.edition, *wins, f"{duel.games_at(0, variant):,}"])
    return found | {"places duel": table(["edition", *pairs, "chooses first", "games"], rows)}


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
