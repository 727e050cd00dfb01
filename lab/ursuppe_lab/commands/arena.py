"""``ursuppe arena``: let agents play each other, and rate them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.cli.options import (
    Edition,
    Force,
    Players,
    RulesetFile,
    ScoreOption,
    Seed,
    TeamsOption,
    check_new,
    make_ruleset,
    make_teams,
)
from ursuppe_env.extras import require_extra
from ursuppe_env.line import counted
from ursuppe_env.records import write_records
from ursuppe_env.records.format import is_compressed
from ursuppe_lab.commands.options import OnRay, Out, Workers, games_progress, tell_files
from ursuppe_lab.reports.text import lineup_name, percent, printable, value

if TYPE_CHECKING:
    from ursuppe_lab.arena import Summary, Tournament

# The arena takes half a second to import: only the functions that need it do.

_GAMES = 1000
_MOST_GAMES = 20_000  # of a comparison until it is sure
_MOST_LINEUPS = 12  # to be printed; the report has them all


def arena(
    agents: Annotated[list[str], typer.Argument(help="Agent specs: random, greedy, search:ms=20, my_bots:MyBot, ...")],
    games: Annotated[
        int | None,
        typer.Option(
            help="Games for each lineup, rounded up to whole rotations of the seats (or teams); 1000 by default, with "
            "--until-sure at most 20000.",
            min=1,
        ),
    ] = None,
    players: Players = None,
    edition: Edition = None,
    ruleset: RulesetFile = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="Who plays whom: mixed (balanced random tables), one-vs-rest (each agent alone against copies of each "
            "other agent) or two-and-two (each pair of agents, two seats each). By default, as many agents as players "
            "(or teams) are one lineup; any other number plays mixed."
        ),
    ] = None,
    teams: TeamsOption = None,
    score: ScoreOption = None,
    seed: Seed = 0,
    workers: Workers = None,
    ray: OnRay = False,
    out: Out = None,
    records: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the games to this file, .jsonl or .jsonl.gz, to replay, analyse or export them.",
        ),
    ] = None,
    lost: Annotated[
        str | None, typer.Option(metavar="AGENT", help="With --records: write only games that this agent lost.")
    ] = None,
    until_sure: Annotated[
        bool,
        typer.Option(
            "--until-sure", help="Two agents: play until it is known which is better. --games is then the most."
        ),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(help="With --until-sure: points of the wins; a smaller difference counts as none. 2 by default."),
    ] = None,
    force: Force = False,
) -> None:
    """Let agents play each other, and rate them. Every seed is played once in each rotation of the seats.

    As many agents as players are one lineup: greedy random random random is one against three. Any other number meets
    at balanced mixed tables, or as --schedule says. With --teams, each agent plays one team.

    Example: ursuppe arena hunter greedy random --games 100 --out runs/arena
    """
    if records is not None:
        check_new(records, force)
        is_compressed(records)  # is it a name of such a file?
    elif lost is not None:
        raise ValueError(f"lost is {lost!r}, but no records are written; give --records FILE, too")
    if not until_sure and margin is not None:
        raise ValueError(f"margin is {margin:g}, but there is no --until-sure, which it is for")
    if margin is not None and not 0 < margin < 50:
        raise ValueError(f"margin is {margin:g}; it must be more than 0 and less than 50 points")
    rules = make_ruleset(players, edition, ruleset)
    require_extra("arena")
    from ursuppe_lab.arena import Tournament, make_lineups, play_tournament, records_of
    from ursuppe_lab.arena.sequential import lineups_of_two

    sides = make_teams(teams, score, rules.players)
    at_a_table = rules.players if sides is None else len(sides)
    if until_sure:
        if schedule is not None or out is not None or records is not None or ray:
            raise ValueError("until-sure keeps no games: --schedule, --out, --records and --ray do not go with it")
        if len(agents) != 2 or agents[0] == agents[1]:
            raise ValueError(f"until-sure compares two different agents; they are {', '.join(agents)}")
        lineups = lineups_of_two((agents[0], agents[1]), at_a_table)
    else:
        lineups = make_lineups(agents, at_a_table, schedule, seed)
    tournament = Tournament(
        lineups=lineups,
        num_games=games or (_MOST_GAMES if until_sure else _GAMES),
        ruleset=rules,
        seed=seed,
        teams=None if sides is None else sides.seats,
        score="worst" if sides is None else sides.score,
        keeps_actions=records is not None,
    )
    if until_sure:
        _compare(tournament, workers, 2.0 if margin is None else margin)
        return
    if lost is not None and lost not in tournament.agents:
        raise ValueError(f"lost is {lost!r}; the agents are {', '.join(tournament.agents)}")
    with games_progress(tournament.total_games, out) as on_progress:
        played, summary = play_tournament(tournament, out, workers, ray, on_progress)
    console = tables_console()
    about = f"{counted(summary.games, 'game')}, {counted(tournament.num_seeds, 'seed')}"
    console.print(f"{about}; {summary.about_intervals}")
    console.print(_table_of_agents(summary))
    forfeits = [printable(figures.about_forfeits) for figures in summary.agents if figures.forfeits]
    for line in (*forfeits, *_about_ratings(summary)):
        console.print(escape(line))
    if 1 < len(tournament.lineups) <= _MOST_LINEUPS:
        console.print(_table_of_lineups(summary))
    tell_files(out)
    if records is not None:
        written = write_records(records, records_of(tournament, played, lost))
        typer.echo(f"{records}: {counted(written, 'game')}{f' that {lost} lost' if lost else ''}")


def _compare(tournament: "Tournament", workers: int | None, points: float) -> None:
    """Play until it is known which of two agents is better, and say so."""
    from ursuppe_lab.arena.matches import try_agents
    from ursuppe_lab.arena.sequential import compare_until_sure

    try_agents(tournament)
    with games_progress(tournament.total_games) as on_progress:
        verdict = compare_until_sure(tournament, points / 100, workers, on_progress)
    first, second = agents = tournament.agents
    played = f"{counted(verdict.games, 'game')}, {counted(verdict.seeds, 'seed')}"
    share = f"{first} wins {100 * verdict.share:.1f} % of them, half by chance"
    if verdict.better is not None:
        said = f"{agents[verdict.better]} is better than {agents[1 - verdict.better]}"
    elif verdict.is_sure:
        said = f"no difference of {points:g} points between {first} and {second}"
    else:
        said = f"not known yet whether {first} or {second} is better; give more --games"
    typer.echo(f"{said} ({played}: {share})")


def _about_ratings(summary: "Summary") -> list[str]:
    """Whether the ratings fit; and where they do not, what assumes no order."""
    from ursuppe_lab.arena.equilibrium import in_words

    lines = [] if summary.fit is None else [str(summary.fit)]
    if summary.fit is not None and summary.fit.is_wrong and summary.nash is not None:
        shares = [f"{printable(figures.agent)} {percent(figures.share)}" for figures in summary.nash]
        lines.append(f"Nash averaging, which assumes no order, shares of the equilibrium: {'; '.join(shares)}")
    if summary.cycles:
        more = f", and {len(summary.cycles) - 1} more" if len(summary.cycles) > 1 else ""
        lines.append(f"A cycle is shown: {printable(in_words(summary.cycles[0]))}{more}")
    return lines


def _table_of_agents(summary: "Summary") -> Table:
    headings = ("rating", "wins", "mean rank", "margin", "ms per decision")
    table = Table(Column("agent", overflow="fold"), *(Column(heading, justify="right") for heading in headings))
    for figures in summary.agents:
        table.add_row(
            escape(printable(figures.agent)),
            value(figures.rating, "+.0f"),
            percent(figures.win_rate),
            value(figures.rank, ".2f"),
            value(figures.margin, "+.1f"),
            f"{figures.milliseconds:.3g}",
        )
    return table


def _table_of_lineups(summary: "Summary") -> Table:
    side = "seats" if summary.tournament.teams is None else "teams"
    table = Table(Column("lineup", overflow="fold"), Column(f"wins of each of its {side}", overflow="fold"))
    for figures in summary.lineups:
        rates = "; ".join(f"{printable(agent)} {percent(rate)}" for agent, rate in figures.win_rates.items())
        table.add_row(escape(lineup_name(figures.lineup)), escape(rates))
    return table
