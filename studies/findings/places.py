"""Who wins more than their share: by the place of the track on which they began, and by seat."""

from collections.abc import Hashable, Sequence

from studies.findings.bids import BONUS
from studies.findings.duel import wins_of_first_to_choose, wins_of_places
from studies.findings.results import NEW, Compared, Results, agent_name
from studies.findings.verdicts import Verdicts
from studies.findings.wording import Side, farthest, image, listed, markdown_table
from ursuppe_lab.reports.text import NONE, confidence_set, percent, value
from ursuppe_lab.statistics import FALSE_DISCOVERIES, Interval

PLACES, SEATS = "wins_by_start_place", "wins_by_seat"
_BEST = "best"  # beside the names of places


def shares(compared: Compared, lineup: int, variant: int, measure: str) -> dict[str, Interval]:
    """The wins of each place, or seat."""
    found = compared.comparison.of(lineup, variant, measure)
    return {name: figure.value for name, figure in found.items() if figure.value is not None}


def verdicts(results: Results, measure: str) -> Verdicts:
    """Who wins more or less than their share; and of places, whether the best is shown to be better than the second."""
    figures: dict[Hashable, tuple[Interval | None, float]] = {}
    for compared in results.editions:
        for _, variant, lineup in _lines(compared):
            found = shares(compared, lineup, variant, measure)
            for name, share in found.items():
                figures[compared.name, variant, lineup, name] = share, 1 / compared.players
            if measure == PLACES:
                figures[compared.name, variant, lineup, _BEST] = _ahead(list(found.values())), 0
    return Verdicts(figures)


def _ahead(found: Sequence[Interval]) -> Interval | None:
    """The largest share less the second: at least so far, since what one wins another cannot."""
    second, first = sorted(found)[-2:]
    if first.ends is None or second.ends is None:
        return None
    apart = first.estimate - second.estimate
    return Interval(apart, first.ends[0] - second.ends[1], first.ends[1] - second.ends[0])


def places_in_short(results: Results) -> list[str]:
    """The best start place under each agent, and how many seats are shown to differ from the chance level."""
    of_places, of_seats = (verdicts(results, measure) for measure in (PLACES, SEATS))
    sentences = [_best(players, studies, of_places) for players, studies in results.editions_by_players.items()]
    most = max(
        farthest(share, 1 / compared.players)
        for compared in results.editions
        for _, variant, lineup in _lines(compared)
        for share in shares(compared, lineup, variant, SEATS).values()
    )
    return [
        f"**Start places.** {' '.join(sentences)}",
        f"**Seats.** {of_seats.in_words} shares of seats are shown to differ from the chance level. No seat is farther "
        f"from it than {100 * most:.1f} points, as far as the intervals reach.",
    ]


def _best(players: int, studies: list[Compared], judged: Verdicts) -> str:
    """Which place wins most under whom in the corrected game, if it is shown to be favoured, and to be the best."""
    by_place: dict[str, list[str]] = {}
    even: list[str] = []
    for compared in studies:
        for lineup, agent in enumerate(compared.agents):
            variant = compared.variant_of(NEW)
            found = shares(compared, lineup, variant, PLACES)
            second, best = sorted(found, key=lambda name: found[name].estimate)[-2:]
            place = compared.name, variant, lineup
            if judged[*place, best] != Side.ABOVE:
                most = max(farthest(share, 1 / players) for share in found.values())
                even.append(f"{agent}, at most {100 * most:.1f} points apart")
            elif judged[*place, _BEST] == Side.ABOVE:
                by_place.setdefault(f"{best} is best", []).append(f"{agent} with {percent(found[best])}")
            else:
                unclear = f"{best} is favoured, but not shown to be better than {second},"
                by_place.setdefault(unclear, []).append(f"{agent} with {percent(found[best])}")
    said = [f"{place} under {listed(winners)}" for place, winners in sorted(by_place.items())]
    if even:
        said.append(f"no best place is shown under {listed(even)}")
    return f"With {players} players, edition {NEW}, chance level {100 / players:.1f} %, {'; '.join(said)}."


def best_place(results: Results, compared: Compared) -> tuple[str | None, bool]:
    """The place that wins most in today's edition under the first lineup, and is it shown to be better than the second?

    None: it is not shown to win more than its share.
    """
    judged = verdicts(results, PLACES)
    variant = compared.variant_of(NEW)
    found = shares(compared, 0, variant, PLACES)
    best = max(found, key=lambda name: found[name].estimate)
    place = compared.name, variant, 0
    if judged[*place, best] != Side.ABOVE:
        return None, False
    return best, judged[*place, _BEST] == Side.ABOVE


def places_section(results: Results) -> str:
    """All wins by start place and by seat."""
    judged = {measure: verdicts(results, measure) for measure in (PLACES, SEATS)}
    parts = [
        f"""## Start places and seats

Wins in per cent by the place on which a player began, and by the player number. ± is how far the widest interval of
the line reaches to either side. **Bold** is what is shown to differ from the chance level, at a false discovery rate of
{100 * FALSE_DISCOVERIES:.0f} % among places and among seats: {judged[PLACES].in_words} statements about places (one of
each line: the best place is better than the second), {judged[SEATS].in_words} about seats. Agents choose their start
places themselves, in an order that chance gives."""
    ]
    for players, studies in results.editions_by_players.items():
        names = [f"place {number}" for number in range(1, players + 1)]
        seats = [f"player {number}" for number in range(players)]
        rows = [
            _row(compared, agent, variant, lineup, {PLACES: names, SEATS: seats}, judged)
            for compared in studies
            for agent, variant, lineup in _lines(compared)
        ]
        parts.append(f"With {players} players; chance level {100 / players:.1f} %:")
        parts.append(markdown_table(["agents", "edition", *names, *seats, "±", "games"], rows, texts=2))
    mixed = dict.fromkeys(
        ", ".join(f"`{agent}`" for agent in seated)
        for compared in results.editions
        for seated in compared.study.lineups
        if len(set(seated)) > 1
    )
    if mixed:
        parts.append(f"*mixed*: {'; or '.join(mixed)}, each in every seat in turn; the others play against themselves.")
    parts.append(_duel(results))
    parts.append(image("Wins by start place under each agent, with intervals", "places"))
    return "\n\n".join(parts)


def _duel(results: Results) -> str:
    """The start places of two sides, of whom each has two."""
    compared = results.duel
    rows = []
    for variant, (_, ruleset) in enumerate(compared.study.variants):
        pairs, first = (
            compared.comparison.of(0, variant, f"{measure.__module__}:{measure.__name__}")
            for measure in (wins_of_places, wins_of_first_to_choose)
        )
        shares = [percent(figure.value) for figure in (*pairs.values(), *first.values())]
        rows.append([ruleset.edition, *shares, f"{compared.games_at(0, variant):,}"])
    return f"""In the two-player form, {compared.agents[0]} on both sides; chance level 50.0 %. How often the side wins
that has these places, where there is one, and the side that chooses first:

{markdown_table(["edition", *pairs, "chooses first", "games"], rows)}"""


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
    judged: dict[str, Verdicts],
) -> list[str]:
    cells, widest = [], 0.0
    for measure, of_it in names.items():
        found = shares(compared, lineup, variant, measure)
        for name in of_it:
            if name not in found:
                cells.append(NONE)
                continue
            widest = max(widest, farthest(found[name], found[name].estimate))
            text = f"{100 * found[name].estimate:.1f}"
            is_plain = judged[measure][compared.name, variant, lineup, name] == Side.AROUND
            cells.append(text if is_plain else f"**{text}**")
    edition = compared.study.ruleset(variant).edition
    return [agent, edition, *cells, f"{100 * widest:.1f}", f"{compared.games_at(lineup, variant):,}"]


def bids_section(results: Results) -> str:
    """The price of each start place, with each number of players."""
    places = range(1, 1 + max(results.bids))
    agent = agent_name(next(iter(results.bids.values())).study.lineups[0])
    rows = []
    for players, found in sorted(results.bids.items()):
        prices = [found.prices.get(f"place {place}") for place in places]
        rows.append(
            [
                f"{players} players",
                value(found.bp, ".2f", 100),
                *(confidence_set(price, "+.1f") for price in prices),
                f"{found.study.num_games:,}",
            ]
        )
    return f"""## What to bid for a start place

Who has BP left over may bid for the place where they begin, and pay before the game. A place is worth the wins that it
brings beyond an equal share, divided by what one BP at the beginning does to the chance of winning: in BP, what its
owner should pay, or be paid where it is below 0, so that all places are equally good. One BP is worth as much as is
measured here: games of {agent} in all seats, edition {NEW}, each
with {BONUS} BP more and with {BONUS} BP fewer for one player. A price that is much larger supposes that more BP are
worth as much each.

{markdown_table(["table", "1 BP, points", *(f"place {place}" for place in places), "games"], rows)}

*any*: that a BP is worth anything at the beginning is not shown. The shares of wins themselves are
[above](#start-places-and-seats)."""
