"""The first table of the page, and who plays."""

from collections.abc import Mapping

from studies.exploits import Wins, exploited
from studies.lead import TableKind, tables_of
from studies.pages import table
from studies.places import PLACES, best_place
from studies.results import NEW, Results, origin_key
from ursuppe_agents.evaluator import Origin
from ursuppe_lab.reports.text import NONE, percent, value

_OVERVIEW = (
    *("players", "best start place wins", "rounds", "who leads at half-time wins", "who is last then wins"),
    *("winner was once last", "a specialist among them wins"),
)


def overview_tables(results: Results) -> dict[str, str]:
    """A row for each kind of table."""
    return {"overview": table(_OVERVIEW, [_row(results, one) for one in tables_of(results)])}


def _row(results: Results, one: TableKind) -> list[str]:
    best, _ = (None, False) if one.is_duel else best_place(results, one.compared)
    spec = one.compared.agents[0].strip("`")
    origin = results.origins.get(origin_key(spec, one.compared.players))
    known = exploited(spec, one.compared.players, NEW, origin and origin.actor)
    half = 1 if one.rounds is None else max(1, round(one.rounds.estimate / 2))
    return [
        one.name,
        NONE if best is None else f"{best.removeprefix('place ')}: {percent(one.figure(PLACES, best))}",
        value(one.rounds, ".1f"),
        percent(one.leader(half)),
        percent(one.last(half)),
        percent(one.was_last),
        NONE if known is None else "; ".join(map(_roughly, (known, *known.thinking))),
    ]


def _roughly(one: Wins) -> str:
    return f"{100 * one.wins:.0f} % ({100 * one.low:.0f}–{100 * one.high:.0f})"


def policies_list(origins: Mapping[str, Origin]) -> str:
    """Where each policy comes from, by its name on the page: a sentence for each part."""

    def sentences(origin: Origin) -> str:
        return " ".join(f"{part[0].upper()}{part[1:]}." for part in origin.in_words.split("; "))

    return "\n".join(f"- {name}, file {origin.digest}. {sentences(origin)}" for name, origin in origins.items())
