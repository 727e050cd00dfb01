"""``ursuppe replay``: step through a recorded game in the terminal, or write it as pictures or as a page."""

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ursuppe_env.cli.options import Force, check_new
from ursuppe_env.cli.progress import progress_bar
from ursuppe_env.line import counted, in_one_line
from ursuppe_env.records import RecordError, record_of
from ursuppe_env.records.film import GIF, Frame, check_file, check_svg_folder, frames, write_gif, write_svgs
from ursuppe_env.records.page import PAGE, write_replay_page
from ursuppe_env.render.ansi import draw_ansi

_KEYS = "Enter: next   b: back   r 3: to round 3   d 40: to decision 40   q: quit"


def replay(
    file: Annotated[Path, typer.Argument(help="File of records: .jsonl or .jsonl.gz.", show_default=False)],
    game: Annotated[int, typer.Option(help="Which game of the file, from 1.", min=1)] = 1,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write one SVG for each decision into a new folder.", show_default=False),
    ] = None,
    gif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an animated GIF.", show_default=False)] = None,
    fps: Annotated[
        float | None, typer.Option(help="Pictures per second in the GIF; 2 if not given.", min=0.1, max=50)
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page for any browser, without a server.", show_default=False),
    ] = None,
    force: Force = False,
) -> None:
    """Step through a recorded game in the terminal, or write it as pictures or as a page.

    If the output is not a terminal, all positions are printed one after the other.

    Example: ursuppe replay games.jsonl.gz --game 3 --html game.html
    """
    if fps is not None and gif is None:
        raise ValueError("--fps is of a GIF; give --gif, too")
    if svg is not None:
        check_svg_folder(svg)
    for path, kind in ((gif, GIF), (html, PAGE)):
        if path is not None:
            check_file(path, *kind)
            check_new(path, force)
    record = record_of(file, game)
    try:
        film = list(frames(record))
    except RecordError as error:
        raise RecordError(f"{file}, game {game}: {error}") from error
    title = in_one_line(f"{file.name}, game {game}") + ("" if record.teams is None else f", teams {record.teams}")
    ways: tuple[tuple[Path | None, str, Callable[[Path, Iterable[Frame]], None]], ...] = (
        (svg, "picture", write_svgs),
        (gif, "frame", lambda path, shown: write_gif(path, shown, fps or 2)),
        (html, "position", lambda path, shown: write_replay_page(path, shown, record, title)),
    )
    for path, thing, write in ways:
        if path is not None:
            with progress_bar() as progress:
                write(path, progress.each(film, f"{thing}s", len(film)))
            typer.echo(f"{path}: {counted(len(film), thing)}")
    if svg is None and gif is None and html is None:
        if sys.stdin.isatty() and sys.stdout.isatty():
            _step_through(film, title)
        else:
            for number in range(len(film)):
                typer.echo(_page(film, number, title, color=False) + "\n")


def _page(film: Sequence[Frame], number: int, title: str, color: bool) -> str:
    games, last_action, *_ = film[number]
    if number < len(film) - 1:
        where = f"decision {number + 1} of {len(film) - 1}"
    else:
        where = "the end" if games.finished[0] else "left here"
    return f"{title} · {where}\n{draw_ansi(games.state[0], games.ruleset, last_action, color)}"


def _step_through(film: Sequence[Frame], title: str) -> None:
    console = Console()
    number, answer = 0, ""
    while True:
        console.clear()
        typer.echo(_page(film, number, title, color=not console.no_color))
        typer.echo(answer or _KEYS)
        try:
            command = input("> ")
        except EOFError:
            return
        if command.strip() in ("q", "quit"):
            return
        try:
            number, answer = _target(film, number, command), ""
        except ValueError as error:
            answer = f"{error}\n{_KEYS}"


def _target(film: Sequence[Frame], number: int, command: str) -> int:
    """The frame that a command leads to from this one; ``ValueError`` for what is no command, or leads nowhere."""
    match command.split():
        case [] | ["n" | "next"]:
            if number == len(film) - 1:
                raise ValueError("this is the end of the record; q quits")
            return number + 1
        case ["b" | "back"]:
            if number == 0:
                raise ValueError("this is the beginning of the game")
            return number - 1
        case ["d" | "decision", count] if count.isdecimal():
            if not 1 <= int(count) < len(film):
                raise ValueError(f"there is no decision {count}; decisions are 1 ... {len(film) - 1}")
            return int(count) - 1
        case ["r" | "round", count] if count.isdecimal():
            rounds = [int(frame.games.rounds[0]) for frame in film]
            if int(count) not in rounds:
                raise ValueError(f"there is no round {count}; rounds are {rounds[0]} ... {rounds[-1]}")
            return rounds.index(int(count))
    raise ValueError(f"{command!r} is no command")
