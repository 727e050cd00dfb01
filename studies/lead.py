"""What being ahead is worth, how often the last becomes first, and how long games are: of each table's own policy.

The first table of the page has all this, with the best start places and how far who plays can be exploited.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from studies.duel import OF_LEADING_SIDE
from studies.exploits import exploited
from studies.pages import table
from studies.places import PLACES, best_place
from studies.results import NEW, Compared, StudyResults, origin_key
from ursuppe_agents.evaluator import Origin
from ursuppe_lab.reports.text import NONE, percent, value
from ursuppe_lab.statistics import Interval

LEADER, LAST = "wins_of_leader", "wins_of_last"
_ROUNDS = range(1, 10)  # after which a game can go on
_OVERVIEW = (
    *("players", "best start place wins", "rounds", "who leads at half-time wins", "who is last then wins"),
    *("winner was once last", "a specialist among them wins"),
)


class TableKind(NamedTuple):
    """A kind of table with the games of its policy."""

    name: str  # on the page
    sides: int  # how many can win: players, or the two sides of the two-player form
    compared: Compared  # the games

    @property
    def is_duel(self) -> bool:
        """Are there two sides?"""
        return self.sides != self.compared.players

    def figure(self, measure: str, name: str) -> Interval | None:
        """A figure of today's edition."""
        found = self.compared.comparison.of(0, self.compared.variant_of(NEW), measure)
        return found[name].value if name in found else None

    def leader(self, number: int) -> Interval | None:
        """Wins of who is ahead after a round, in the games that go on."""
        return self.figure(OF_LEADING_SIDE if self.is_duel else LEADER, f"round {number}")

    def last(self, number: int) -> Interval | None:
        """Wins of who is last after a round; of two sides that is the one that does not lead."""
        if not self.is_duel:
            return self.figure(LAST, f"round {number}")
        ahead = self.leader(number)
        if ahead is None:
            return None
        low, high = (None if end is None else 1 - end for end in (ahead.high, ahead.low))
        return Interval(1 - ahead.estimate, low, high)

    @property
    def was_last(self) -> Interval | None:
        """How often the winner was last, or behind, after some round."""
        behind, last = (OF_LEADING_SIDE, "winner was ever behind"), (LAST, "winner was ever last")
        return self.figure(*behind if self.is_duel else last)


def tables_of(results: StudyResults) -> Iterator[TableKind]:
    """All kinds of tables, by players; the two-player form comes first."""
    yield TableKind("two, with two colours each", 2, results.duel)
    for players, compared in sorted(results.tables.items()):
        yield TableKind(f"{players} players", players, compared)


def lead_tables(results: StudyResults) -> dict[str, str]:
    """Wins of who is ahead after each round."""
    rows = []
    for one in tables_of(results):
        shares = [one.leader(number) for number in _ROUNDS]
        cells = [NONE if share is None else f"{100 * share.estimate:.1f}" for share in shares]
        rows.append([one.name, f"{100 / one.sides:.1f}", *cells])
    return {"lead leader": table(["table", "by chance", *(f"round {number}" for number in _ROUNDS)], rows)}


def overview_tables(results: StudyResults) -> dict[str, str]:
    """A row for each kind of table."""
    rows = []
    for one in tables_of(results):
        best = None if one.is_duel else best_place(results, one.compared)
        spec = one.compared.agents[0].strip("`")
        origin = results.origins.get(origin_key(spec, one.compared.players))
        known = exploited(spec, one.compared.players, NEW, origin and origin.actor)
        found = () if known is None else (known, *known.thinking)
        wins = [f"{100 * by.wins:.0f} % ({100 * by.low:.0f}–{100 * by.high:.0f})" for by in found]
        rounds = one.figure("rounds", "played")
        half = 1 if rounds is None else max(1, round(rounds.estimate / 2))
        rows.append(
            [
                one.name,
                NONE if best is None else f"{best.removeprefix('place ')}: {percent(one.figure(PLACES, best))}",
                value(rounds, ".1f"),
                *(percent(share) for share in (one.leader(half), one.last(half), one.was_last)),
                "; ".join(wins) or NONE,
            ]
        )
    return {"overview": table(_OVERVIEW, rows)}


def policies_list(origins: Mapping[str, Origin]) -> str:
    """Where each policy comes from, by its name on the page: a sentence for each part."""
    lines = []
    for name, origin in origins.items():
        sentences = " ".join(f"{part[0].upper()}{part[1:]}." for part in origin.in_words.split("; "))
        lines.append(f"- {name}, file {origin.digest}. {sentences}")
    return "\n".join(lines)
