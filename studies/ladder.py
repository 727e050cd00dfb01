"""Play the tournaments of docs/ladder.md, or what is left of them, and write its tables.

All built-in agents with 4 players, edition 1998: at mixed tables, each alone against three of each other one, each pair
with two seats each, and each pair in the duel, with two colours each; and at other tables. Agents that search take a
thousand times as long as the others; they play fewer games, and the trained policy alone.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from studies.exploits import exploit_tables
from studies.pages import shown_in, table, watched, widest, write_page
from ursuppe_env import Ruleset
from ursuppe_env.cli import WRONG_INPUT
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.line import in_one_line
from ursuppe_env.teams import DUEL
from ursuppe_lab.arena import Summary, Tournament, make_lineups, play_tournament
from ursuppe_lab.arena.cycles import in_words
from ursuppe_lab.arena.lineups import MIXED, ONE_VS_REST, TWO_AND_TWO, Lineup
from ursuppe_lab.arena.matches import try_agents
from ursuppe_lab.arena.summary import AgentFigures
from ursuppe_lab.commands.options import Workers
from ursuppe_lab.reports.text import NONE, lineup_name, percent, value
from ursuppe_lab.statistics import Interval

POLICY = "policy:default"
AGENTS = ("random", "grow", "breeder", "collector", "hoarder", "hunter", "scavenger", "wanderer", "greedy", POLICY)
LIKELIEST = f"{POLICY},deterministic=true"
DUELLIST = "policy:duel"  # plays the duel alone: it was trained for it
SEARCH = "search:sims=16"
MIXED_GAMES, GAMES = 2000, 1000  # with each lineup
SEARCH_GAMES = 400
PLAYERS = 4
SEED = 1998
OLD = "1997"
OTHER_TABLES = ("3", "5", "6", f"3-{OLD}", f"4-{OLD}", f"5-{OLD}", f"6-{OLD}")  # players, and the edition if it is old
_MOST_CELLS, _MOST_CYCLES = 10, 10  # on the page
_STANDING = ("agent", "rating", "wins", "rank", "margin")

Rates = Mapping[tuple[str, str], Interval]


def ladder_tournaments() -> dict[str, Tournament]:
    """What is played, by the folders that keep it; at other tables as ``5-mixed`` and ``5-alone``."""

    def of_seats(lineups: Sequence[Lineup], num_games: int, ruleset: Ruleset | None = None) -> Tournament:
        return Tournament(lineups=tuple(lineups), num_games=num_games, ruleset=ruleset or Ruleset(), seed=SEED)

    def of_duels(ruleset: Ruleset) -> Tournament:
        lineups = make_lineups((*AGENTS, DUELLIST), len(DUEL), MIXED, SEED)
        return Tournament(lineups=lineups, num_games=GAMES, ruleset=ruleset, seed=SEED, teams=DUEL)

    both = (SEARCH, POLICY)
    tournaments = {
        "mixed": of_seats(make_lineups(AGENTS, PLAYERS, MIXED, SEED), MIXED_GAMES),
        "alone": of_seats(make_lineups(AGENTS, PLAYERS, ONE_VS_REST), GAMES),
        "pairs": of_seats(make_lineups(AGENTS, PLAYERS, TWO_AND_TWO), GAMES),
        "likeliest": of_seats([_alone(LIKELIEST, other) for other in AGENTS], GAMES),
        "duel": of_duels(Ruleset()),
        "old_duel": of_duels(Ruleset(edition=OLD)),
        "search": of_seats(make_lineups(both, PLAYERS, ONE_VS_REST), SEARCH_GAMES),
        "search_pairs": of_seats(make_lineups(both, PLAYERS, TWO_AND_TWO), SEARCH_GAMES),
    }
    for name in OTHER_TABLES:
        players, _, edition = name.partition("-")
        ruleset = Ruleset(players=int(players), edition=edition or "1998")
        lone = [_alone(agent, POLICY, ruleset.players) for agent in AGENTS if agent != POLICY]
        mixed = make_lineups(AGENTS, ruleset.players, MIXED, SEED)
        tournaments |= {
            f"{name}-mixed": of_seats(mixed, GAMES, ruleset),
            f"{name}-alone": of_seats(lone, GAMES, ruleset),
        }
    return tournaments


def _alone(agent: str, other: str, players: int = PLAYERS) -> Lineup:
    return (agent, *[other] * (players - 1))


def play_ladder(folder: Path, workers: int | None = None) -> dict[str, Summary]:
    """Play the tournaments, each in a folder of its own, or what is left; errors are those of ``play_tournament``."""
    tournaments = ladder_tournaments()
    for tournament in tournaments.values():  # a policy that is not there shows before hours of games
        try_agents(tournament)
    played = {}
    with progress_bar() as progress:
        show = shown_in(progress)
        for name, tournament in tournaments.items():
            watch = watched(show, name, tournament.total_games)
            played[name] = play_tournament(tournament, folder / name, workers, on_progress=watch)[1]
    return played


def ladder_tables(played: Mapping[str, Summary]) -> dict[str, str]:
    """All tables of the page but those of exploitability."""
    mixed, duel, old_duel = played["mixed"], played["duel"], played["old_duel"]
    order = [figures.agent for figures in mixed.agents]
    alone, likeliest = _alone_rates(played["alone"]), _alone_rates(played["likeliest"])
    three = [
        [f"`{rest}`", percent(likeliest[LIKELIEST, rest]), percent(alone.get((POLICY, rest)))]
        for rest in order
        if (LIKELIEST, rest) in likeliest
    ]
    tables = {
        "mixed ratings": _ratings(mixed),
        "mixed fit": str(mixed.fit),
        "mixed off": _farthest_off(mixed),
        "mixed nash": _nash(mixed),
        "mixed cycles": _cycles(mixed),
        "alone": _matrix(order, alone),
        "alone both": _both_ways(alone),
        "alone reach": widest(alone.values()),
        "pairs": _matrix(order, _pair_rates(played["pairs"])),
        "pairs reach": widest(_pair_rates(played["pairs"]).values()),
        "likeliest": table(["three", "likeliest", "drawn"], three),
        "search": _search(played),
        "duel ratings": _ratings(duel),
        "duel fit": str(duel.fit),
        "duel wins": _matrix([figures.agent for figures in duel.agents], duel.before),
        "duel reach": widest(duel.before.values()),
        "duel cycles": _cycles(duel),
        "old_duel ratings": _ratings(old_duel),
        "old_duel fit": str(old_duel.fit),
    }
    for name in OTHER_TABLES:
        of_all, against = played[f"{name}-mixed"], _alone_rates(played[f"{name}-alone"])
        rows = [[*_standing(figures), percent(against.get((figures.agent, POLICY)))] for figures in of_all.agents]
        heading = [*_STANDING, f"alone against {of_all.tournament.ruleset.players - 1}"]
        tables |= {f"table {name}": table(heading, rows), f"fit {name}": str(of_all.fit)}
    return tables


def _alone_rates(summary: Summary) -> dict[tuple[str, str], Interval]:
    """(one, rest): how often the one wins, at tables of one against several of another."""
    return {
        (figures.lineup[0], figures.lineup[-1]): figures.win_rates[figures.lineup[0]] for figures in summary.lineups
    }


def _pair_rates(summary: Summary) -> dict[tuple[str, str], Interval]:
    """(agent, other): how often a seat of the agent wins at tables of two and two."""
    shares = {}
    for cell in () if summary.fit is None else summary.fit.cells:
        [other] = set(cell.table) - {cell.agent}
        rest = cell.observed.times(-1)
        shares[cell.agent, other] = cell.observed
        shares[other, cell.agent] = Interval(1 + rest.estimate, *(None if end is None else 1 + end for end in rest[1:]))
    return shares


def _standing(figures: AgentFigures) -> list[str]:
    """How an agent does at mixed tables: the cells of a row."""
    rating, wins = value(figures.rating, "+.0f"), percent(figures.win_rate)
    return [f"`{figures.agent}`", rating, wins, f"{figures.rank.estimate:.2f}", f"{figures.margin.estimate:+.1f}"]


def _ratings(summary: Summary) -> str:
    rows = [[*_standing(figures), f"{figures.milliseconds:.2g}"] for figures in summary.agents]
    return table([*_STANDING, "ms per decision"], rows)


def _farthest_off(summary: Summary) -> str:
    """The cells that the ratings explain least."""
    rows = [
        [lineup_name(cell.table), f"`{cell.agent}`", percent(cell.observed), percent(cell.predicted), f"{cell.games:,}"]
        for cell in (() if summary.fit is None else summary.fit.off[:_MOST_CELLS])
    ]
    return table(["table", "agent", "wins", "predicted", "games"], rows, texts=2)


def _nash(summary: Summary) -> str:
    rows = [
        [f"`{figures.agent}`", percent(figures.share), percent(figures.value), f"{summary.games:,}"]
        for figures in summary.nash or ()
    ]
    return table(["agent", "share", "before it", "games"], rows)


def _cycles(summary: Summary) -> str:
    shown = summary.cycles[:_MOST_CYCLES]
    return "\n".join(f"- {in_words(f'`{agent}`' for agent in cycle)}" for cycle in shown) or "- none"


def _both_ways(rates: Rates) -> str:
    """How many pairs there are of which both lose, or both win, when they are the one."""
    chance = 1 / PLAYERS
    known = [(rates[pair].ends, rates[pair[::-1]].ends) for pair in rates if pair[0] < pair[1]]
    bounded = [(one, other) for one, other in known if one is not None and other is not None]
    both_lose = sum(one[1] < chance and other[1] < chance for one, other in bounded)
    both_win = sum(one[0] > chance and other[0] > chance for one, other in bounded)
    return f"of {len(known)} pairs both win less in {both_lose}, both more in {both_win}"


def _search(played: Mapping[str, Summary]) -> str:
    alone, pairs = _alone_rates(played["search"]), _pair_rates(played["search_pairs"])
    games, fit = f"{played['search'].lineups[0].games:,}", played["search_pairs"].fit
    of_pairs = "0" if fit is None else f"{fit.cells[0].games:,}"
    rows = [
        [f"`{SEARCH}`", f"three `{POLICY}`", percent(alone[SEARCH, POLICY]), "25 %", games],
        [f"`{POLICY}`", f"three `{SEARCH}`", percent(alone[POLICY, SEARCH]), "25 %", games],
        [f"two `{SEARCH}`", f"two `{POLICY}`", percent(pairs.get((SEARCH, POLICY))), "50 %", of_pairs],
    ]
    return table(["", "against", "wins", "by chance", "games"], rows, texts=2)


def _matrix(order: Sequence[str], rates: Rates) -> str:
    """Per cent of the row against the column."""
    rows = [
        [f"`{one}`", *(f"{100 * rates[one, other].estimate:.0f}" if (one, other) in rates else NONE for other in order)]
        for one in order
    ]
    return table(["", *(f"`{other}`" for other in order)], rows)


def main(
    page: Annotated[Path, typer.Argument(help="The page whose tables are written anew.")] = Path("docs/ladder.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games.")] = Path("runs/ladder"),
    exploits: Annotated[
        Path | None,
        typer.Option(
            help="A folder with folders of `ursuppe exploit`, whose summary.json the page reports.", show_default=False
        ),
    ] = None,
    workers: Workers = None,
) -> None:
    """Play the reference ladder, or what is left of it, and write the tables of its page.

    Figures that stand in the page's own sentences are printed.
    """
    try:
        gains = {} if exploits is None else exploit_tables(exploits)
        for name, text in write_page(page, ladder_tables(play_ladder(folder, workers)) | gains).items():
            typer.echo(f"{name}: {text}")
    except (ValueError, OSError) as error:
        typer.echo(f"ladder: {in_one_line(str(error))}", err=True)
        sys.exit(WRONG_INPUT)
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
