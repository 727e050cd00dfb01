"""The ladder with other numbers of players: a section with a table for each.

Shorter than that of four players: everyone at mixed tables, and everyone alone against the trained policy for as many
players.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ursuppe_agents.arena import Summary, Tournament, make_lineups
from ursuppe_agents.arena.lineups import MIXED
from ursuppe_agents.findings.summaries import STANDING, alone_rates, games_of, standing
from ursuppe_agents.findings.wording import listed, markdown_table
from ursuppe_agents.reports.text import percent
from ursuppe_env import Ruleset

OTHER_PLAYERS = (3, 5, 6)


class OtherPlayers(NamedTuple):
    """The tournaments of one number of players.

    Attributes:
        players: P.
        mixed: everyone, at balanced tables of P different agents.
        alone: everyone alone against P-1 of the trained policy.
    """

    players: int
    mixed: Summary
    alone: Summary


def tournaments_of(
    players: int, agents: Sequence[str], policy: str, num_games: int, seed: int
) -> tuple[Tournament, Tournament]:
    """What is played: the mixed tables, and each agent alone.

    Args:
        players: P.
        agents: all of them, with the policy.
        policy: that the others meet alone.
        num_games: of each lineup.
        seed: of the games, and of who has which place at mixed tables.
    """
    lone = tuple((agent, *[policy] * (players - 1)) for agent in agents if agent != policy)
    mixed, alone = (
        Tournament(lineups=lineups, num_games=num_games, ruleset=Ruleset(players=players), seed=seed)
        for lineups in (make_lineups(agents, players, MIXED, seed), lone)
    )
    return mixed, alone


def other_players_section(played: Sequence[OtherPlayers], policy: str) -> str:
    """The section of the page; where nothing was played it says so."""
    if not played:
        return """## Other numbers of players

Not played for this page: `--tables` ([below](#repeat-it)) names those that are to be played, by the agents above and
[the policies](training.md#the-policies-that-come-with-the-package) that the package has for them."""
    counts = listed([str(table.players) for table in played])
    tables = "\n\n".join(_table(table, policy) for table in played)
    return f"""## Other numbers of players

The same agents with {counts} players, edition 1998. For each number `{policy}` is [a policy of its
own](training.md#the-policies-that-come-with-the-package). Mixed tables have as many different agents as players;
everyone sits at them equally often, and every pair meets equally often. *wins* are those of a seat, *rank* and *margin*
are means, and a *rating* is comparable within its table only. *alone* is how often the agent wins where all others are
`{policy}`.

{tables}"""


def _table(table: OtherPlayers, policy: str) -> str:
    mixed, alone = table.mixed, alone_rates(table.alone)
    rows = [[*standing(figures), percent(alone.get((figures.agent, policy)))] for figures in mixed.agents]
    headings = [*STANDING, f"alone against {table.players - 1}"]
    return f"""### {table.players} players

{len(mixed.lineups)} mixed tables with {games_of(mixed)} games each, {mixed.games:,} in all; alone each agent played
{games_of(table.alone)} games. By chance {100 / table.players:.1f} %.

{markdown_table(headings, rows)}

{mixed.fit or ""}"""
