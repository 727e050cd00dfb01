"""The reference ladder: ``python -m ursuppe_agents.ladder`` plays it and writes ``docs/ladder.md``.

All built-in agents with 4 players, edition 1998: each alone against three of each other one. Agents that search take a
thousand times as long as the others; they play fewer games, against the strongest of them.
"""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from ursuppe_agents.arena import Summary, Tournament, make_tables, play_tournament
from ursuppe_agents.arena.tables import ONE_VS_REST
from ursuppe_agents.statistics import Interval
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_whole

AGENTS = ("random", "grow", "breeder", "collector", "hoarder", "hunter", "scavenger", "wanderer", "greedy")
SEARCH = "search:ms=20"
SEARCH_OPPONENTS = ("greedy", "hunter")  # a table takes minutes
GAMES, SEARCH_GAMES = 2000, 400  # at each table
PLAYERS = 4
SEED = 1998


def play_ladder(folder: Path) -> tuple[Summary, Summary]:
    """Play the two tournaments, or what is left of them: without and with search.

    Args:
        folder: where to keep what is done.
    """
    ladder = Tournament(tables=make_tables(AGENTS, PLAYERS, ONE_VS_REST), num_games=GAMES, seed=SEED)
    tables = tuple((SEARCH, *[opponent] * (PLAYERS - 1)) for opponent in SEARCH_OPPONENTS)
    search = Tournament(tables=tables, num_games=SEARCH_GAMES, seed=SEED)
    with progress_bar() as progress:

        def play(tournament: Tournament, name: str) -> Summary:
            task = progress.add_task(name, total=tournament.total_games)
            _, summary = play_tournament(
                tournament, folder / name, on_progress=lambda over: progress.update(task, completed=over)
            )
            return summary

        return play(ladder, "ladder"), play(search, "search")


def ladder_page(ladder: Summary, search: Summary) -> str:
    """The page in Markdown."""
    rates = {figures.table[:2]: figures.win_rates[figures.table[0]] for figures in ladder.tables + search.tables}
    order = [figures.agent for figures in ladder.agents]
    best_first = "\n".join(
        f"| `{figures.agent}` | {_points(figures.rating)} | {_percent(figures.win_rate)} | {figures.rank.mean:.2f} | "
        f"{figures.margin.mean:+.1f} | {figures.milliseconds:.2g} |"
        for figures in ladder.agents
    )
    against = "\n".join(
        f"| `{one}` | " + " | ".join(_short(rates.get((one, rest))) for rest in order) + " |" for one in order
    )
    searching = "\n".join(
        f"| three `{rest}` | {_percent(rates[SEARCH, rest])} | {SEARCH_GAMES:,} |" for rest in SEARCH_OPPONENTS
    )
    [thinking] = (figures.milliseconds for figures in search.agents if figures.agent == SEARCH)
    return f"""# The reference ladder

<!-- Written by `python -m ursuppe_agents.ladder`; changes by hand are lost. -->

How strong the built-in agents of ursuppe-env {version("ursuppe-env")} are, with {PLAYERS} players and edition 1998.
Each plays alone against three of each other one, {GAMES:,} games a table, each seed once from every seat. A player like
all others wins 25 %. Intervals are 95 %, resampled by seed; [how the arena measures](arena.md).

| agent | rating | wins | mean rank | margin | ms a decision |
| --- | ---: | ---: | ---: | ---: | ---: |
{best_first}

*wins*, *rank* and *margin* are means over all its seats, alone and as one of three; ratings are comparable within this
table only. {ladder.games:,} games.

## One against three

Per cent of the games that the agent of the row wins against three of the column; the intervals reach at most
{_widest(list(rates.values())[: len(ladder.tables)]):.1f} points to either side.

| | {" | ".join(f"`{rest}`" for rest in order)} |
| --- |{" ---: |" * len(order)}
{against}

## Search

`{SEARCH}` alone, {thinking:.0f} ms a decision as measured:

| against | wins | games |
| --- | ---: | ---: |
{searching}

## Repeat it

```text
python -m ursuppe_agents.ladder
```

takes about 20 minutes on two cores, half of it for the search, goes on where it was interrupted, and writes
this page. A search with a time budget plays other games on another machine; everything else is the same everywhere.
"""


def _percent(share: Interval) -> str:
    mean, low, high = (100 * value for value in share)
    return f"{mean:.1f} % ({low:.1f}–{high:.1f})"


def _points(rating: Interval) -> str:
    return f"{rating.mean:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"


def _short(share: Interval | None) -> str:
    return "–" if share is None else f"{100 * share.mean:.0f}"


def _widest(shares: list[Interval]) -> float:
    """The farthest end of these intervals from its mean, in points."""
    return 100 * max(max(share.high - share.mean, share.mean - share.low) for share in shares)


def main(
    page: Annotated[Path, typer.Argument(help="Where to write the page.")] = Path("docs/ladder.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games.")] = Path("runs/ladder"),
) -> None:
    """Play the reference ladder and write its page."""
    write_whole(page, ladder_page(*play_ladder(folder)).encode())
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
