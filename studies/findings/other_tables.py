"""The ladder with other numbers of players and in the edition of 1997: a section with a table for each.

Shorter than the first one: everyone at mixed tables, and everyone alone against the trained policy for as many players.
"""

from collections.abc import Sequence
from typing import NamedTuple

from studies.findings.summaries import STANDING, alone_rates, games_of, standing
from studies.findings.wording import listed, markdown_table
from ursuppe_env import Ruleset
from ursuppe_lab.arena import Summary, Tournament, make_lineups
from ursuppe_lab.arena.lineups import MIXED
from ursuppe_lab.reports.text import percent

OLD = "1997"  # the other edition
OTHER_TABLES = ("3", "5", "6", f"3-{OLD}", f"4-{OLD}", f"5-{OLD}", f"6-{OLD}")  # players, and the edition if it is old


class OtherTable(NamedTuple):
    """The tournaments of a table.

    Attributes:
        ruleset: of P players.
        mixed: everyone, at balanced tables of P different agents.
        alone: everyone alone against P-1 of the trained policy.
    """

    ruleset: Ruleset
    mixed: Summary
    alone: Summary

    @property
    def name(self) -> str:
        """One of ``OTHER_TABLES``."""
        return f"{self.ruleset.players}-{OLD}" if self.ruleset.edition == OLD else f"{self.ruleset.players}"


def ruleset_of(table: str) -> Ruleset:
    """That of one of ``OTHER_TABLES``."""
    players, _, edition = table.partition("-")
    return Ruleset(players=int(players), edition=edition) if edition else Ruleset(players=int(players))


def tournaments_of(
    ruleset: Ruleset, agents: Sequence[str], policy: str, num_games: int, seed: int
) -> tuple[Tournament, Tournament]:
    """What is played: the mixed tables, and each agent alone.

    Args:
        ruleset: of P players.
        agents: all of them, with the policy.
        policy: that the others meet alone.
        num_games: of each lineup.
        seed: of the games, and of who has which place at mixed tables.
    """
    players = ruleset.players
    lone = tuple((agent, *[policy] * (players - 1)) for agent in agents if agent != policy)
    mixed, alone = (
        Tournament(lineups=lineups, num_games=num_games, ruleset=ruleset, seed=seed)
        for lineups in (make_lineups(agents, players, MIXED, seed), lone)
    )
    return mixed, alone


def other_tables_section(played: Sequence[OtherTable], policy: str) -> str:
    """The section of the page; where nothing was played it says so."""
    if not played:
        return """## Other tables

Not played for this page: `--tables` ([below](#repeat-it)) names those that are to be played, by the agents above and
[the policies](training.md#the-policies-that-come-with-the-package) that the package has for them."""
    tables = "\n\n".join(_section(table, policy) for table in played)
    return f"""## Other tables

The same agents with {listed([_in_words(table.ruleset) for table in played])}. For each number of players
`{policy}` is [a policy of its own](training.md#the-policies-that-come-with-the-package). Mixed tables have as many
different agents as players; everyone sits at them equally often, and every pair meets equally often. *wins* are those
of a seat, *rank* and *margin* are means, and a *rating* is comparable within its table only. *alone* is how often the
agent wins where all others are `{policy}`.

{tables}"""


def _in_words(ruleset: Ruleset) -> str:
    return f"{ruleset.players} players, edition {ruleset.edition}"


def _section(table: OtherTable, policy: str) -> str:
    mixed, alone, players = table.mixed, alone_rates(table.alone), table.ruleset.players
    rows = [[*standing(figures), percent(alone.get((figures.agent, policy)))] for figures in mixed.agents]
    headings = [*STANDING, f"alone against {players - 1}"]
    return f"""### {_in_words(table.ruleset)}

{len(mixed.lineups)} mixed tables with {games_of(mixed)} games each, {mixed.games:,} in all; alone each agent played
{games_of(table.alone)} games. By chance {100 / players:.1f} %.

{markdown_table(headings, rows)}

{mixed.fit or ""}"""
