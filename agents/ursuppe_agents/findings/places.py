"""Who wins more than their share: by the place of the track on which they began, and by seat."""

from ursuppe_agents.findings.results import NEW, Compared, Results
from ursuppe_agents.findings.wording import Side, farthest, listed, markdown_table, side
from ursuppe_agents.reports.text import NONE, percent
from ursuppe_agents.statistics import Interval

PLACES, SEATS = "wins_by_start_place", "wins_by_seat"


def shares(compared: Compared, lineup: int, variant: int, measure: str) -> dict[str, Interval]:
    """The wins of each place, or seat."""
    found = compared.comparison.of(lineup, variant, measure)
    return {name: figure.value for name, figure in found.items() if figure.value is not None}


def places_in_short(results: Results) -> list[str]:
    """The best start place under each agent, and how many intervals of seats hold the chance level."""
    sentences = [_best(players, studies) for players, studies in results.editions_by_players.items()]
    seats = [
        (share, 1 / compared.players)
        for compared in results.editions
        for _, variant, lineup in _lines(compared)
        for share in shares(compared, lineup, variant, SEATS).values()
    ]
    held = sum(side(share, fair) == Side.AROUND for share, fair in seats)
    most = max(farthest(share, fair) for share, fair in seats)
    return [
        f"**Start places.** {' '.join(sentences)}",
        f"**Seats.** {held} of {len(seats)} intervals contain the chance level; where seats are alike, 95 % would. "
        f"No seat is farther from it than {100 * most:.1f} points, as far as the intervals reach.",
    ]


def _best(players: int, studies: list[Compared]) -> str:
    """Which place wins most under whom in the corrected game, if it is shown to be favoured."""
    by_place: dict[str, list[str]] = {}
    even: list[str] = []
    for compared in studies:
        for lineup, agent in enumerate(compared.agents):
            found = shares(compared, lineup, compared.variant_of(NEW), PLACES)
            best = max(found, key=lambda name: found[name].estimate)
            if side(found[best], 1 / players) == Side.ABOVE:
                by_place.setdefault(best, []).append(f"{agent} with {percent(found[best])}")
            else:
                most = max(farthest(share, 1 / players) for share in found.values())
                even.append(f"{agent}, at most {100 * most:.1f} points apart")
    said = [f"{place} is best under {listed(winners)}" for place, winners in sorted(by_place.items())]
    if even:
        said.append(f"no best place is shown under {listed(even)}")
    return f"With {players} players, edition {NEW}, chance level {100 / players:.1f} %, {'; '.join(said)}."


def places_section(results: Results) -> str:
    """All wins by start place and by seat."""
    parts = [
        """## Start places and seats

Wins in per cent by the place on which a player began, and by the player number. ± is how far the widest interval of
the line reaches to either side; what has an interval that does not contain the chance level is **bold**. Agents
choose their start places themselves, in an order that chance gives."""
    ]
    for players, studies in results.editions_by_players.items():
        names = [f"place {number}" for number in range(1, players + 1)]
        seats = [f"player {number}" for number in range(players)]
        rows = [
            _row(compared, agent, variant, lineup, {PLACES: names, SEATS: seats})
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
    return "\n\n".join(parts)


def _lines(compared: Compared) -> list[tuple[str, int, int]]:
    """Agents, and the numbers of variant and lineup."""
    return [
        (agent, variant, lineup)
        for lineup, agent in enumerate(compared.agents)
        for variant in range(len(compared.study.variants))
    ]


def _row(compared: Compared, agent: str, variant: int, lineup: int, names: dict[str, list[str]]) -> list[str]:
    found = [shares(compared, lineup, variant, measure).get(name) for measure, of_it in names.items() for name in of_it]
    widest = max((farthest(share, share.estimate) for share in found if share is not None), default=0)
    cells = [_cell(share, 1 / compared.players) for share in found]
    edition = compared.study.ruleset(variant).edition
    return [agent, edition, *cells, f"{100 * widest:.1f}", f"{compared.games_at(lineup, variant):,}"]


def _cell(share: Interval | None, fair: float) -> str:
    if share is None:
        return NONE
    text = f"{100 * share.estimate:.1f}"
    return text if side(share, fair) == Side.AROUND else f"**{text}**"
