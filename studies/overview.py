"""The first table of the page, who plays, how far they can be exploited, and what was played."""

from collections.abc import Iterable, Mapping

from studies.exploits import Exploited, Wins, exploited
from studies.lead import TableKind, tables_of
from studies.pages import listed, table
from studies.places import PLACES, best_place
from studies.predictions import Predictions
from studies.results import NEW, Played, Results, origin_key
from ursuppe_agents.evaluator import Origin
from ursuppe_lab.arena import Tournament
from ursuppe_lab.balance import study_names
from ursuppe_lab.balance.fairer import FairerSearch
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.reports.text import NONE, percent, value

_OVERVIEW = (
    *("players", "best start place wins", "rounds", "who leads at half-time wins", "who is last then wins"),
    *("winner was once last", "who thinks or was trained against them wins"),
)


def overview_tables(results: Results) -> dict[str, str]:
    """A row for each kind of table, and the best that was found against each agent."""
    agents = {(_spec(found.agent), found.setting.players, found.setting.players) for found in results.same_setting}
    agents |= {(_spec(one.compared.agents[0]), one.compared.players, one.sides) for one in tables_of(results)}
    known, unknown = [], []
    for spec, players, sides in sorted(agents):
        found = _exploited(results, spec, players)
        if found is None:
            unknown.append(f"`{spec}` with {players}")
        else:
            known.append(f"- `{spec}` with {players} players: {found}; an equal would win {100 / sides:.1f} %")
    return {
        "overview": table(_OVERVIEW, [_row(results, one) for one in tables_of(results)]),
        "exploited": "\n".join(known) or "- none",
        "exploited not": listed(unknown),
    }


def _row(results: Results, one: TableKind) -> list[str]:
    best, _ = (None, False) if one.is_duel else best_place(results, one.compared)
    known = _exploited(results, _spec(one.compared.agents[0]), one.compared.players)
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


def _exploited(results: Results, spec: str, players: int) -> Exploited | None:
    origin = results.origins.get(origin_key(spec, players))
    return exploited(spec, players, NEW, origin and origin.actor)


def _spec(agent: str) -> str:
    return agent.strip("`")


def policies_list(origins: Mapping[str, Origin]) -> str:
    """Where each policy comes from, by its name on the page: a sentence for each part."""

    def sentences(origin: Origin) -> str:
        return " ".join(f"{part[0].upper()}{part[1:]}." for part in origin.in_words.split("; "))

    return "\n".join(f"- {name}, file {origin.digest}. {sentences(origin)}" for name, origin in origins.items())


def studies_table(studies: Mapping[str, Played], predictions: Iterable[Predictions]) -> str:
    """What was played, and how to name it to ``ursuppe balance`` if it comes with the package."""
    rows = [
        [f"[`{name}`](balance-lab.md)" if name in study_names() else f"`{name}`", *_outline(study)]
        for name, study in studies.items()
    ]
    rows += [
        [f"`predictions/{one.players}`", f"`{one.agent}`", f"{one.total_games:,}", str(one.study.seed)]
        for one in predictions
    ]
    return table(["NAME", "lineups", "games", "seed"], rows, texts=2)


def _outline(study: Played) -> tuple[str, str, str]:
    """Lineups, games and seed."""
    of_games = study.trials if isinstance(study, FairerSearch) else study
    if isinstance(of_games, Tournament):
        lineups = f"{len(of_games.lineups)} mixed tables"
    else:
        lineups = "; ".join(", ".join(f"`{agent}`" for agent in seated) for seated in of_games.lineups)
    if isinstance(of_games, GeneStudy):
        lineups += f"; rounds {min(of_games.rounds)} to {max(of_games.rounds)}"
    return lineups, f"{study.total_games:,}", str(of_games.seed)
