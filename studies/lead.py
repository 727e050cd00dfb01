"""What being ahead is worth, how often the last becomes first, and how long games are: of each table's own policy."""

from collections.abc import Iterator
from typing import NamedTuple

from studies.duel import wins_of_leading_side
from studies.pages import table
from studies.results import NEW, Compared, Results
from ursuppe_lab.reports.text import NONE
from ursuppe_lab.statistics import Interval

LEADER, LAST = "wins_of_leader", "wins_of_last"
_SIDE = f"{wins_of_leading_side.__module__}:{wins_of_leading_side.__name__}"
_ROUNDS = range(1, 10)  # after which a game can go on


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
        return self.figure(_SIDE if self.is_duel else LEADER, f"round {number}")

    def last(self, number: int) -> Interval | None:
        """Wins of who is last after a round; of two sides that is the one that does not lead."""
        if not self.is_duel:
            return self.figure(LAST, f"round {number}")
        ahead = self.leader(number)
        return ahead and Interval(
            1 - ahead.estimate, *(None if end is None else 1 - end for end in (ahead.high, ahead.low))
        )

    @property
    def was_last(self) -> Interval | None:
        """How often the winner was last, or behind, after some round."""
        return self.figure(*(_SIDE, "winner was ever behind") if self.is_duel else (LAST, "winner was ever last"))

    @property
    def rounds(self) -> Interval | None:
        """Of a game."""
        return self.figure("rounds", "played")


def tables_of(results: Results) -> Iterator[TableKind]:
    """All kinds of tables, by players; the two-player form comes first."""
    yield TableKind("two, with two colours each", 2, results.duel)
    for players, compared in sorted(results.tables.items()):
        yield TableKind(f"{players} players", players, compared)


def lead_tables(results: Results) -> dict[str, str]:
    """Wins of who is ahead after each round."""
    rows = []
    for one in tables_of(results):
        shares = [one.leader(number) for number in _ROUNDS]
        cells = [NONE if share is None else f"{100 * share.estimate:.1f}" for share in shares]
        rows.append([one.name, f"{100 / one.sides:.1f}", *cells])
    return {"lead leader": table(["table", "by chance", *(f"round {number}" for number in _ROUNDS)], rows)}
