"""The reference ladder: ``python -m ursuppe_agents.findings.ladder`` plays it and writes ``docs/ladder.md``.

All built-in agents with 4 players, edition 1998: each alone against three of each other one, and each pair in the duel,
with two colours each. Agents that search take a thousand times as long as the others; they play fewer games, against
the strongest of them. It needs the extra `train`, for the policy that comes with the package.
"""

import math
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from ursuppe_agents.arena import Summary, Tournament, make_lineups, play_tournament
from ursuppe_agents.arena.lineups import ONE_VS_REST
from ursuppe_agents.reports.text import NONE, percent, value
from ursuppe_agents.statistics import Interval
from ursuppe_env import __version__
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.files import write_atomically
from ursuppe_env.teams import DUEL

POLICY = "policy:default"
AGENTS = ("random", "grow", "breeder", "collector", "hoarder", "hunter", "scavenger", "wanderer", "greedy", POLICY)
LIKELIEST = f"{POLICY},deterministic=true"
SEARCH = "search:ms=20"
SEARCH_OPPONENTS = ("greedy", "hunter")  # a lineup takes minutes
PLAIN, GUIDED = "search:ms=5", "search:ms=5,policy=default"
GAMES, SEARCH_GAMES = 2000, 400  # with each lineup
PLAYERS = 4
SEED = 1998


class Ladder(NamedTuple):
    """The tournaments of the page.

    Attributes:
        agents: everyone alone against three of each other one.
        likeliest: the policy with its likeliest actions against three of each other agent.
        search: against three of the strongest.
        guided: together with the policy against three without it.
        duel: each agent against each other one, with two colours each.
    """

    agents: Summary
    likeliest: Summary
    search: Summary
    guided: Summary
    duel: Summary


def play_ladder(folder: Path) -> Ladder:
    """Play the tournaments, or what is left of them.

    Args:
        folder: where to keep what is done.
    """
    everyone = Tournament(lineups=make_lineups(AGENTS, PLAYERS, ONE_VS_REST), num_games=GAMES, seed=SEED)
    with progress_bar() as progress:

        def play(name: str, tournament: Tournament) -> Summary:
            task = progress.add_task(name, total=tournament.total_games)
            _, summary = play_tournament(
                tournament, folder / name, on_progress=lambda over: progress.update(task, completed=over)
            )
            return summary

        return Ladder(
            play("ladder", everyone),
            play("likeliest", _one_against(LIKELIEST, AGENTS[:-1], GAMES)),
            play("search", _one_against(SEARCH, SEARCH_OPPONENTS, SEARCH_GAMES)),
            play("guided", _one_against(GUIDED, (PLAIN,), SEARCH_GAMES)),
            play("duel", Tournament(lineups=make_lineups(AGENTS, len(DUEL)), num_games=GAMES, seed=SEED, teams=DUEL)),
        )


def _one_against(agent: str, opponents: tuple[str, ...], num_games: int) -> Tournament:
    lineups = tuple((agent, *[opponent] * (PLAYERS - 1)) for opponent in opponents)
    return Tournament(lineups=lineups, num_games=num_games, seed=SEED)


def ladder_page(ladder: Ladder) -> str:
    """The page in Markdown."""
    everyone, search = ladder.agents, ladder.search
    lineups = [figures for summary in ladder[:-1] for figures in summary.lineups]
    rates = {figures.lineup[:2]: figures.win_rates[figures.lineup[0]] for figures in lineups}
    order = [figures.agent for figures in everyone.agents]
    against = "\n".join(
        f"| `{one}` | " + " | ".join(_short(rates.get((one, rest))) for rest in order) + " |" for one in order
    )
    likeliest = "\n".join(
        f"| `{rest}` | {percent(rates[LIKELIEST, rest])} | {percent(rates[POLICY, rest])} |"
        for rest in order
        if rest != POLICY
    )
    searching = "\n".join(
        f"| three `{rest}` | {percent(rates[SEARCH, rest])} | {SEARCH_GAMES:,} |" for rest in SEARCH_OPPONENTS
    )
    [thinking] = (figures.milliseconds for figures in search.agents if figures.agent == SEARCH)
    return f"""# The reference ladder

<!-- Written by `python -m ursuppe_agents.findings.ladder`; changes by hand are lost. -->

How strong the built-in agents of ursuppe-env {__version__} are, with {PLAYERS} players and edition 1998.
Each plays alone against three of each other one, {GAMES:,} games per lineup, each seed once from every seat. A player
like all others wins 25 %. Intervals are 95 %, resampled by seed; [how the arena measures](arena.md).

{_best_first(everyone)}

*wins*, *rank* and *margin* are means over all its seats, alone and as one of three; ratings are comparable within this
table only. {everyone.games:,} games.

## One against three

Per cent of the games that the agent of the row wins against three of the column; the intervals reach at most
{_widest(list(rates.values())[: len(everyone.lineups)]):.1f} points to either side.

| | {" | ".join(f"`{rest}`" for rest in order)} |
| --- |{" ---: |" * len(order)}
{against}

## The trained policy

[`{POLICY}`](training.md#the-policy-that-comes-with-the-package) draws its actions from its probabilities; with
`deterministic=true` it takes the likeliest. Wins of one against three:

| three | likeliest | drawn |
| --- | ---: | ---: |
{likeliest}

## Search

`{SEARCH}` alone, {thinking:.0f} ms per decision as measured:

| against | wins | games |
| --- | ---: | ---: |
{searching}

[Together with the policy](search.md#with-a-trained-policy), `{GUIDED}` wins {percent(rates[GUIDED, PLAIN])} of
{SEARCH_GAMES:,} games against three `{PLAIN}`.

{_duel_section(ladder.duel)}

## Repeat it

```text
python -m ursuppe_agents.findings.ladder
```

takes about 35 minutes on two cores, 15 of them for the search, resumes if it was interrupted, and writes
this page. A search with a time budget plays other games on another machine; everything else is the same everywhere.
"""


def _best_first(summary: Summary) -> str:
    """The table of the agents."""
    lines = [
        f"| `{figures.agent}` | {_points(figures.rating)} | {percent(figures.win_rate)} | "
        f"{figures.rank.estimate:.2f} | {figures.margin.estimate:+.1f} | {figures.milliseconds:.2g} |"
        for figures in summary.agents
    ]
    heading = "| agent | rating | wins | mean rank | margin | ms per decision |"
    return "\n".join([heading, "| --- | ---: | ---: | ---: | ---: | ---: |", *lines])


def _duel_section(duel: Summary) -> str:
    """Everyone against everyone, two colours each."""
    rates = duel.before
    order = [figures.agent for figures in duel.agents]
    against = "\n".join(
        f"| `{one}` | " + " | ".join(_short(rates.get((one, other))) for other in order) + " |" for one in order
    )
    return f"""## The duel

Two agents, [two colours each](teams.md#the-duel), of which the worse one counts; {GAMES:,} games per pair, each seed
once from either side, {duel.games:,} in all. By chance an agent wins 50 %. None of these agents knows that it has two
colours: each plays every colour as if it were alone. The margin is half of the lead over the other one.

{_best_first(duel)}

Per cent of the games that the agent of the row wins against that of the column; the intervals reach at most
{_widest(list(rates.values())):.1f} points to either side.

| | {" | ".join(f"`{other}`" for other in order)} |
| --- |{" ---: |" * len(order)}
{against}"""


def _points(rating: Interval) -> str:
    return value(rating, "+.0f")


def _short(share: Interval | None) -> str:
    return NONE if share is None else f"{100 * share.estimate:.0f}"


def _widest(shares: list[Interval]) -> float:
    """The farthest end of these intervals from its estimate, in points."""
    return 100 * max(abs(end - share.estimate) for share in shares for end in share.ends or (math.inf,))


def main(
    page: Annotated[Path, typer.Argument(help="Where to write the page.")] = Path("docs/ladder.md"),
    folder: Annotated[Path, typer.Option(help="Where to keep the games.")] = Path("runs/ladder"),
) -> None:
    """Play the reference ladder and write its page."""
    write_atomically(page, ladder_page(play_ladder(folder)).encode())
    typer.echo(str(page))


if __name__ == "__main__":
    typer.run(main)
