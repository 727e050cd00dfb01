"""The reference ladder: ``python -m studies.findings.ladder`` plays it and writes ``docs/ladder.md``.

All built-in agents with 4 players, edition 1998: at mixed tables, each alone against three of each other one, each pair
with two seats each, and each pair in the duel, with two colours each; and at other tables. Agents that
search take a thousand times as long as the others; they play fewer games, and the trained policy alone. It needs the
extra `train`, for that policy.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from studies.findings.exploits import Exploit, exploits_section, read_exploits
from studies.findings.other_tables import (
    OLD,
    OTHER_TABLES,
    OtherTable,
    other_tables_section,
    ruleset_of,
    tournaments_of,
)
from studies.findings.summaries import STANDING, alone_rates, games_of, standing
from studies.findings.wording import farthest, markdown_table
from ursuppe_env import Ruleset, __version__
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.line import in_one_line
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.counts import counted
from ursuppe_env.files import write_atomically
from ursuppe_env.teams import DUEL
from ursuppe_lab.arena import Summary, Tournament, make_lineups, play_tournament
from ursuppe_lab.arena.cycles import in_words
from ursuppe_lab.arena.lineups import MIXED, ONE_VS_REST, TWO_AND_TWO, Lineup
from ursuppe_lab.arena.matches import try_agents
from ursuppe_lab.jobs.options import Workers
from ursuppe_lab.reports.text import NONE, about_intervals, lineup_name, percent
from ursuppe_lab.statistics import Interval

POLICY = "policy:default"
AGENTS = ("random", "grow", "breeder", "collector", "hoarder", "hunter", "scavenger", "wanderer", "greedy", POLICY)
LIKELIEST = f"{POLICY},deterministic=true"
DUELLIST = "policy:duel"  # plays the duel alone: it was trained for it
SEARCH, GUIDED = "search:sims=100", "search:sims=200,policy=default"
MIXED_GAMES, GAMES, DUEL_GAMES, OTHER_GAMES = 2000, 1000, 1000, 1000  # with each lineup
SEARCH_GAMES, GUIDED_GAMES = 240, 600
PLAYERS = 4
SEED = 1998
IN_DUEL = "duel"  # a table for which there may be a policy, beside the other ones
TABLES = (*OTHER_TABLES, IN_DUEL)
_MOST_CELLS, _MOST_CYCLES = 10, 10  # on the page


class Ladder(NamedTuple):
    """The tournaments of the page.

    Attributes:
        mixed: everyone, at balanced tables of four different agents.
        alone: everyone alone against three of each other one.
        pairs: each pair with two seats each.
        likeliest: the policy with its likeliest actions against three of each other agent.
        duel: each agent against each other one, with two colours each; also the one that was trained for it.
        old_duel: the same in the edition of 1997.
        search: a search and the policy, each alone against three of the other.
        search_pairs: both with two seats each.
        guided: a search together with the policy, alone against three policies.
        others: those with other numbers of players, and in the edition of 1997.
    """

    mixed: Summary
    alone: Summary
    pairs: Summary
    likeliest: Summary
    duel: Summary
    old_duel: Summary
    search: Summary
    search_pairs: Summary
    guided: Summary
    others: tuple[OtherTable, ...] = ()


def ladder_tournaments(tables: Sequence[str] = TABLES) -> dict[str, Tournament]:
    """What is played, by the names of ``Ladder``; at other tables as ``5-mixed`` and ``5-alone``.

    Args:
        tables: of ``TABLES``, those that the trained policies are there for.
    """

    def of_seats(lineups: Sequence[Lineup], num_games: int) -> Tournament:
        return Tournament(lineups=tuple(lineups), num_games=num_games, seed=SEED)

    def of_duels(ruleset: Ruleset) -> Tournament:
        lineups = make_lineups(duellists, len(DUEL), MIXED, SEED)
        return Tournament(lineups=lineups, num_games=DUEL_GAMES, ruleset=ruleset, seed=SEED, teams=DUEL)

    both = (SEARCH, POLICY)
    duellists = (*AGENTS, DUELLIST) if IN_DUEL in tables else AGENTS
    tournaments = {
        "mixed": of_seats(make_lineups(AGENTS, PLAYERS, MIXED, SEED), MIXED_GAMES),
        "alone": of_seats(make_lineups(AGENTS, PLAYERS, ONE_VS_REST), GAMES),
        "pairs": of_seats(make_lineups(AGENTS, PLAYERS, TWO_AND_TWO), GAMES),
        "likeliest": of_seats([_alone(LIKELIEST, other) for other in AGENTS], GAMES),
        "duel": of_duels(Ruleset()),
        "old_duel": of_duels(Ruleset(edition=OLD)),
        "search": of_seats(make_lineups(both, PLAYERS, ONE_VS_REST), SEARCH_GAMES),
        "search_pairs": of_seats(make_lineups(both, PLAYERS, TWO_AND_TWO), SEARCH_GAMES),
        "guided": of_seats([_alone(GUIDED, POLICY)], GUIDED_GAMES),
    }
    for table in _others(tables):
        mixed, alone = tournaments_of(ruleset_of(table), AGENTS, POLICY, OTHER_GAMES, SEED)
        tournaments |= {f"{table}-mixed": mixed, f"{table}-alone": alone}
    return tournaments


def _others(tables: Sequence[str]) -> list[str]:
    """The other ones among some tables, but for the duel."""
    return [table for table in OTHER_TABLES if table in tables]


def play_ladder(folder: Path, workers: int | None = None, tables: Sequence[str] = TABLES) -> Ladder:
    """Play the tournaments, or what is left of them.

    Args:
        folder: where to keep what is done, each tournament in a folder of its own.
        workers: processes; None: one per core.
        tables: as for ``ladder_tournaments``.

    Raises:
        AgentError: an agent crashed; the parts that are done are kept.
        ValueError: a folder holds something else, or an agent does not exist.
        OSError: a folder cannot be read or written.
    """
    tournaments = ladder_tournaments(tables)
    for tournament in tournaments.values():  # a policy that is not there shows before hours of games
        try_agents(tournament)
    with progress_bar() as progress:

        def play(name: str, tournament: Tournament) -> Summary:
            task = progress.add_task(name, total=tournament.total_games)
            _, summary = play_tournament(
                tournament, folder / name, workers, on_progress=lambda over: progress.update(task, completed=over)
            )
            return summary

        played = {name: play(name, tournament) for name, tournament in tournaments.items()}
    others = tuple(
        OtherTable(ruleset_of(table), played.pop(f"{table}-mixed"), played.pop(f"{table}-alone"))
        for table in _others(tables)
    )
    return Ladder(**played, others=others)


def _alone(agent: str, other: str) -> Lineup:
    return (agent, *[other] * (PLAYERS - 1))


def ladder_page(ladder: Ladder, exploits: Sequence[Exploit] = ()) -> str:
    """The page in Markdown.

    Args:
        ladder: what was played.
        exploits: what best responses gained, if that was measured.
    """
    order = [figures.agent for figures in ladder.mixed.agents]
    return f"""# The reference ladder

<!-- Written by `python -m studies.findings.ladder`; changes by hand are lost. -->

How the built-in agents of ursuppe-env {__version__} do against each other, with {PLAYERS} players and edition 1998.
There is no one figure of strength in a game of {PLAYERS}: how well an agent does depends on who else is at the table.
So they meet in four ways, and what a best response gains against some is a figure of its own. Intervals are 95 %,
resampled by seed, with the same dice for all; [how the arena measures](arena.md).{_without_intervals(ladder)}

## Mixed tables

{_mixed_section(ladder.mixed)}

## One against three

Per cent of the games that the agent of the row wins alone against three of the column, {games_of(ladder.alone)} each;
by chance 25. {_reach(alone_rates(ladder.alone))}

{_matrix(order, alone_rates(ladder.alone))}

One against three is no order of strength: three of a kind compete with each other, and two agents can each win less
than their share when they are the one, or each more. {_both_ways(ladder.alone)}

## Two and two

Per cent of the games that one of the two seats of the row's agent wins against two of the column's, in all six ways to
sit, {_games_of_pairs(ladder.pairs)} per pair; by chance 50. {_reach(_pair_rates(ladder.pairs))}

{_matrix(order, _pair_rates(ladder.pairs))}

## The trained policy

[`{POLICY}`](training.md#the-policies-that-come-with-the-package) draws its actions from its probabilities; with
`deterministic=true` it takes the likeliest. Wins alone against three, {games_of(ladder.likeliest)} each:

{_likeliest_table(ladder, order)}

{exploits_section(exploits)}

{_search_section(ladder)}

{_duel_section(ladder.duel, ladder.old_duel)}

{other_tables_section(ladder.others, POLICY)}

## Repeat it

```text
python -m studies.findings.ladder --exploits runs/exploits{_tables_option(ladder)}
```

plays what is not in `runs/ladder` yet and writes this page; an interruption loses little, and the same command goes on.
`--tables` names the tables beside the first for which the package has policies: players, and the edition if it is that
of {OLD}. `runs/exploits` has a folder of
`ursuppe exploit` for each victim; without it that section says so. Budgets are counted in simulations, so the games are
the same on any machine, as far as the policy's network gives the same numbers there.
"""


def _mixed_section(summary: Summary) -> str:
    lines = [
        f"{len(summary.lineups)} tables of four different agents, at which everyone sits equally often and every pair "
        f"meets equally often; {games_of(summary)} games each, each seed once in every rotation of the seats, "
        f"{summary.games:,} in all.",
        _best_first(summary),
        "*wins* are those of a seat, by chance 25 %; *rank* and *margin* are means; *rating* is a Plackett–Luce fit of "
        "the rankings, comparable within this table only.",
    ]
    if summary.fit is not None:
        lines += ["### Do the ratings fit?", str(summary.fit)]
        if summary.fit.off:
            shown = summary.fit.off[:_MOST_CELLS]
            rows = [
                [
                    lineup_name(cell.table),
                    f"`{cell.agent}`",
                    percent(cell.observed),
                    percent(cell.predicted),
                    f"{cell.games:,}",
                ]
                for cell in shown
            ]
            lines += [
                f"The {len(shown)} farthest off, of {len(summary.fit.off)} that are shown to be wrong at a false "
                "discovery rate of 5 %:",
                markdown_table(["table", "agent", "wins", "predicted", "games"], rows, texts=2),
            ]
    if summary.nash is not None:
        rows = [
            [f"`{figures.agent}`", percent(figures.share), percent(figures.value), f"{summary.games:,}"]
            for figures in summary.nash
        ]
        lines += [
            "### Without an order",
            "[Nash averaging](arena.md#without-an-order) of who finishes before whom at these tables. The *share* is "
            "that of the mixture of agents that none of them beats; *before it* is how often an agent finishes before "
            "one that is drawn from the mixture.",
            markdown_table(["agent", "share", "before it", "games"], rows),
            _about_cycles(summary),
        ]
    return "\n\n".join(lines)


def _about_cycles(summary: Summary) -> str:
    if not summary.cycles:
        return "No cycle of agents is shown at these tables."
    shown = summary.cycles[:_MOST_CYCLES]
    more = f" And {len(summary.cycles) - len(shown)} more." if len(summary.cycles) > len(shown) else ""
    named = "\n".join(f"- {in_words(f'`{agent}`' for agent in cycle)}" for cycle in shown)
    return f"Cycles that are shown, each more often before the next than behind it:\n\n{named}{more}"


def _pair_rates(summary: Summary) -> dict[tuple[str, str], Interval]:
    """(agent, other): how often a seat of the agent wins at tables of two and two."""
    if summary.fit is None:
        return {}
    shares = {}
    for cell in summary.fit.cells:
        [other] = set(cell.table) - {cell.agent}
        rest = cell.observed.times(-1)
        shares[cell.agent, other] = cell.observed
        shares[other, cell.agent] = Interval(1 + rest.estimate, *(None if end is None else 1 + end for end in rest[1:]))
    return shares


def _both_ways(summary: Summary) -> str:
    """How many pairs there are of which both lose, or both win, when they are the one."""
    rates = alone_rates(summary)
    chance = 1 / PLAYERS
    known = [(rates[pair].ends, rates[pair[::-1]].ends) for pair in rates if pair[0] < pair[1]]
    bounded = [(one, other) for one, other in known if one is not None and other is not None]
    both_lose = sum(one[1] < chance and other[1] < chance for one, other in bounded)
    both_win = sum(one[0] > chance and other[0] > chance for one, other in bounded)
    return f"Of {counted(len(known), 'pair')} both are shown to win less in {both_lose}, and both more in {both_win}."


def _likeliest_table(ladder: Ladder, order: list[str]) -> str:
    likeliest, drawn = alone_rates(ladder.likeliest), alone_rates(ladder.alone)
    rows = [
        [f"`{rest}`", percent(likeliest[LIKELIEST, rest]), percent(drawn.get((POLICY, rest)))]
        for rest in order
        if (LIKELIEST, rest) in likeliest
    ]
    return markdown_table(["three", "likeliest", "drawn"], rows)


def _search_section(ladder: Ladder) -> str:
    alone, pairs = alone_rates(ladder.search), _pair_rates(ladder.search_pairs)
    guided = alone_rates(ladder.guided)[GUIDED, POLICY]
    rows = [
        [f"`{SEARCH}`", f"three `{POLICY}`", percent(alone[SEARCH, POLICY]), "25 %", games_of(ladder.search)],
        [f"`{POLICY}`", f"three `{SEARCH}`", percent(alone[POLICY, SEARCH]), "25 %", games_of(ladder.search)],
        [
            f"two `{SEARCH}`",
            f"two `{POLICY}`",
            percent(pairs[SEARCH, POLICY]),
            "50 %",
            _games_of_pairs(ladder.search_pairs),
        ],
        [f"`{GUIDED}`", f"three `{POLICY}`", percent(guided), "25 %", games_of(ladder.guided)],
    ]
    return f"""## Search among policies

[`{SEARCH}`](search.md) alone among three of `{POLICY}`, the other way round, and two and two; and `{GUIDED}`, the
search that has [the policy for its guide](search.md#with-a-trained-policy), alone among three of it:

{markdown_table(["", "against", "wins", "by chance", "games"], rows, texts=2)}

{_verdict(guided, ladder.guided)} A decision takes {_thinking(ladder.guided, GUIDED):.0f} ms with it,
{_thinking(ladder.search, SEARCH):.0f} ms with `{SEARCH}`, and {_thinking(ladder.guided, POLICY):.2g} ms with the policy
alone."""


def _verdict(guided: Interval, summary: Summary) -> str:
    """Whether the guided search does better than the policy that guides it."""
    chance, games = 1 / PLAYERS, f"{summary.games:,} games"
    if guided.ends is None or guided.contains(chance):
        return f"That the guided search does better than the policy that guides it is not shown by {games}."
    if guided.ends[0] > chance:
        return f"The guided search wins more than its share among policies ({games})."
    return f"The guided search wins less than its share among policies ({games})."


def _thinking(summary: Summary, agent: str) -> float:
    """Milliseconds per decision."""
    return next(figures.milliseconds for figures in summary.agents if figures.agent == agent)


def _best_first(summary: Summary) -> str:
    """The table of the agents."""
    rows = [[*standing(figures), f"{figures.milliseconds:.2g}"] for figures in summary.agents]
    return markdown_table([*STANDING, "ms per decision"], rows)


def _duel_section(duel: Summary, old: Summary) -> str:
    """Everyone against everyone, two colours each, in both editions."""
    if DUELLIST in duel.tournament.agents:
        knowing = f"`{DUELLIST}` was [trained in it](training.md#teams); none of the others knows"
    else:
        knowing = "None of these agents knows"
    unknowing = "that it has two colours: such an agent plays every colour as if it were alone"
    return f"""## The duel

Two agents, [two colours each](teams.md#the-duel), of which the worse one counts; {games_of(duel)} games per pair, each
seed once from either side, {duel.games:,} in all. By chance an agent wins 50 %. {knowing}
{unknowing}. The margin is half of the lead over the other one.

{_best_first(duel)}

{duel.fit or ""}

Per cent of the games that the agent of the row wins against that of the column. {_reach(duel.before)}

{_matrix([figures.agent for figures in duel.agents], duel.before)}

{_about_cycles(duel)}

### In the edition of {OLD}

{_best_first(old)}

{old.fit or ""}"""


def _matrix(order: list[str], rates: dict[tuple[str, str], Interval]) -> str:
    """Per cent of the row against the column."""
    rows = [[f"`{one}`", *(_short(rates.get((one, other))) for other in order)] for one in order]
    return markdown_table(["", *(f"`{other}`" for other in order)], rows)


def _short(share: Interval | None) -> str:
    return NONE if share is None else f"{100 * share.estimate:.0f}"


def _reach(rates: dict[tuple[str, str], Interval]) -> str:
    """How far the intervals of a matrix reach."""
    if any(rate.ends is None for rate in rates.values()):
        return "There are too few seeds for intervals."
    widest = max(farthest(rate, rate.estimate) for rate in rates.values())
    return f"The intervals reach at most {100 * widest:.1f} points to either side."


def _games_of_pairs(summary: Summary) -> str:
    """How many games two agents played, in all seatings."""
    return "0" if summary.fit is None else f"{summary.fit.cells[0].games:,}"


def _tables_option(ladder: Ladder) -> str:
    """How the tables were named that this page has."""
    others = [table.name for table in ladder.others]
    tables = (*others, IN_DUEL) if DUELLIST in ladder.duel.tournament.agents else tuple(others)
    return "" if tables == TABLES else f" --tables '{','.join(tables)}'"


def _without_intervals(ladder: Ladder) -> str:
    """Where there are too few seeds."""
    *first, others = ladder
    summaries = [*first, *(summary for table in others for summary in (table.mixed, table.alone))]
    words = about_intervals([summary.tournament.num_seeds for summary in summaries])
    return "" if words == "95 % intervals" else f" Here: {words}."


def checked_tables(text: str) -> list[str]:
    """The tables of a list with commas, which may be empty.

    Raises:
        ValueError: one is none of ``TABLES``, or there twice.
    """
    tables = text.split(",") if text else []
    if len({*tables} & {*TABLES}) < len(tables):
        raise ValueError(f"tables is {text!r}; it must be some of {', '.join(TABLES)}, with commas between them")
    return tables


def main(
    page: Annotated[Path, typer.Argument(help="Where to write the page.")] = Path("docs/ladder.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games.")] = Path("runs/ladder"),
    exploits: Annotated[
        Path | None,
        typer.Option(
            help="A folder with folders of `ursuppe exploit`, whose summary.json the page reports.", show_default=False
        ),
    ] = None,
    tables: Annotated[
        str,
        typer.Option(
            metavar="T,T,...",
            help="Those beside the first for which the package has policies: other numbers of players, also in the "
            "edition of 1997, and duel.",
        ),
    ] = ",".join(TABLES),
    workers: Workers = None,
) -> None:
    """Play the reference ladder and write its page."""
    try:
        named = checked_tables(tables)
        found = [] if exploits is None else read_exploits(exploits)
        write_atomically(page, ladder_page(play_ladder(folder, workers, named), found).encode())
    except (ValueError, OSError) as error:
        typer.echo(f"ladder: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
