"""``ursuppe analyse``: what each decision of a recorded game was worth."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Column, Table

from ursuppe_env.cli.consoles import tables_console
from ursuppe_env.cli.options import Seed
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.extras import require_extra
from ursuppe_env.line import counted, in_one_line
from ursuppe_env.records import Record, RecordError, read_records, record_of
from ursuppe_lab.commands.options import Workers, resumable
from ursuppe_play.hints import policy_for
from ursuppe_play.names import names_in

if TYPE_CHECKING:
    from ursuppe_play.analysis import GameAnalysis, Judgement

# What analyses takes a while to import: only the functions that need it do.

_MOST_MISTAKES = 10  # to be printed; the page has more


def analyse(
    record: Annotated[Path, typer.Argument(help="File of records: .jsonl or .jsonl.gz.", show_default=False)],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder for decisions.jsonl and report.html. The same command with the same folder resumes an "
            "interrupted analysis.",
            show_default=False,
        ),
    ],
    agent: Annotated[
        str | None,
        typer.Option(
            help="Who judges: a policy, or an agent that searches, such as search:ms=50,policy=default.",
            show_default="policy:default; policy:duel for two players with two colours each",
        ),
    ] = None,
    game: Annotated[int, typer.Option(help="Which game of the file, from 1.", min=1)] = 1,
    player: Annotated[
        str | None,
        typer.Option(
            help="Judge the decisions of this player only: a number from 0, or the name of an agent.",
            show_default=False,
        ),
    ] = None,
    lost: Annotated[bool, typer.Option("--lost", help="Count only games that --player lost.")] = False,
    playouts: Annotated[
        int | None,
        typer.Option(
            help="Games that the policy plays to their end for each decision, at least 32 for each action. Four times "
            "as many halve the noise.",
            min=1,
            show_default="256",
        ),
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
) -> None:
    """Judge every decision of a recorded game: the chances of winning after each action, and what was given away.

    Writes a line of JSON for each decision, and a page that replays the game with the analysis beside it. The example
    looks at the first game that hunter lost.

    Example: ursuppe analyse games.jsonl.gz --player hunter --lost --out lost
    """
    require_extra("arena")
    from ursuppe_env.records.film import frames
    from ursuppe_play.analysis import JudgedDecision, analyse_game, write_analysis

    if lost and player is None:
        raise ValueError("lost needs a player; give --player, too")
    played = _lost(record, player, game) if lost and player is not None else record_of(record, game)
    seats = None if player is None else played.seats_of(player)
    film = list(frames(played))
    total = sum(len(event) == 3 and (seats is None or event[1] in seats) for event in played.events)
    largest = 0.0
    with progress_bar() as progress, resumable(out):
        task = progress.add_task("decisions", total=total)

        def tell(decision: JudgedDecision) -> None:
            nonlocal largest
            judgement = decision.judgement
            if (judgement.gave_away or 0) > max(largest, judgement.gave_away_noise or 0):
                largest = judgement.gave_away or 0
                told = f"decisions; number {decision.number} gave away {_points(judgement)} points"
                progress.update(task, description=told)

        analysis = analyse_game(
            played,
            agent or f"policy:{policy_for(played.teams)}",
            out,
            workers,
            seed,
            on_progress=lambda done: progress.update(task, completed=done),
            seats=seats,
            playouts=playouts,
            on_judged=tell,
        )
        title = in_one_line(f"{record.name}, game {game}{f' that {player} lost' if lost else ''}")
        write_analysis(analysis, progress.each(film, "pictures", len(film)), out, title)
    _print(analysis)
    typer.echo(f"{out / 'report.html'}: the game with its analysis; beside it decisions.jsonl")


def _lost(file: Path, player: str, game: int) -> Record:
    """A game, from 1, of those that a player lost."""
    played = (one for one in read_records(file) if player.isdecimal() or player in (one.agents or [player]))
    lost = (one for one in played if one.is_finished and not set(one.winners).intersection(one.seats_of(player)))
    before = sum(1 for _ in islice(lost, game - 1))
    record = next(lost, None)
    if record is None:
        raise RecordError(f"{file}: there is no game {game} that {player} lost; there are {before}")
    return record


def _print(analysis: "GameAnalysis") -> None:
    console, names = tables_console(), names_in(analysis.record)
    decisions = counted(len(analysis.decisions), "decision")
    console.print(f"{decisions}, {analysis.samples}; 95 % intervals", highlight=False)
    titles = [
        f"{player} {in_one_line(names.players[player])}" if names.players else str(player)
        for player in range(analysis.record.ruleset.players)
    ]
    players = Table(
        "player", *(Column(heading, justify="right") for heading in ("decisions", "mistakes", "largest, points"))
    )
    for player, title in enumerate(titles):
        own = [decision for decision in analysis.decisions if decision.judgement.player == player]
        mistakes = [decision for decision in analysis.mistakes if decision.judgement.player == player]
        largest = _points(mistakes[0].judgement) if mistakes else "–"
        players.add_row(escape(title), str(len(own)), str(len(mistakes)), largest)
    console.print(players)
    if not analysis.mistakes:
        return
    listed = Table(
        Column("decision", justify="right"),
        Column("round", justify="right"),
        "player",
        Column("gave away, points", justify="right"),
        Column("taken", overflow="fold"),
        Column("best", overflow="fold"),
    )
    for decision in analysis.mistakes[:_MOST_MISTAKES]:
        judgement = decision.judgement.told(names)
        words = [judgement.actions[place].words for place in (judgement.taken, judgement.best) if place is not None]
        cells = titles[judgement.player], _points(judgement), *map(in_one_line, words)
        listed.add_row(str(decision.number), str(decision.round), *map(escape, cells))
    console.print(listed)


def _points(judgement: "Judgement") -> str:
    """``3.2 ± 1.1``."""
    return f"{100 * (judgement.gave_away or 0):.1f} ± {100 * (judgement.gave_away_noise or 0):.1f}"
