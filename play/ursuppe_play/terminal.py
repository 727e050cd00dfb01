"""The person at the terminal: the board, what has happened, numbered actions, and commands."""

import textwrap
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import typer
from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from ursuppe_env.records import write_records
from ursuppe_env.render.ansi import COMPACT_WIDTH, draw_ansi, draw_compact
from ursuppe_env.render.descriptions import situation, under_way
from ursuppe_env.render.narration import genes_in_words
from ursuppe_play.names import SCORES
from ursuppe_play.session import LegalAction, Session

_LINES = 24  # the least that a terminal must have; where there is room, the board is larger
_QUESTION = 8  # lines that a larger board leaves to the question and its actions

_COMMANDS = {
    "1, 2, ...": "take this action; its name, such as drift, does as well",
    "u, undo": "take back your last decision; not after dice, cards or others",
    "b, board": "show the board again",
    "l, list": "list all that you may do, in words",
    "n, news": "show again what has happened since your last decision",
    "hint": "advice: what play-outs by the trained policy favour",
    "g, genes": "all genes: price, mutation points, cards left, what they do",
    "s, save FILE": "write the game to a .jsonl or .jsonl.gz file",
    "q, quit": "stop",
    "h, help": "show this; help GENE: what a gene does, such as: help speed",
}
_PLACES = {"worst": "worst place", "best": "best place", "sum": "places together"}
_SMALL_BOARD = (
    "On the small board a space is its number and its cubes by colour, · is none, as",
    "in '13 2 · 1'. Below, '2.14' are the amoebas 1 and 4 of player 2, and '2.3•' is",
    "amoeba 3 with a DP. [ ] acts, { } is attacked. A larger terminal shows more.",
)


class Terminal:
    """Plays a session with the person at the terminal; after each decision the game is written to the file, if any."""

    def __init__(self, session: Session, file: Path | None) -> None:
        self._session = session
        self._file = file
        self._console = Console(highlight=False, markup=False, soft_wrap=True)
        self._print = self._console.print

    def play(self) -> None:
        """Play until the game is over or the person stops; after Ctrl-C, too, the game is in its file."""
        self._save()  # a file that cannot be written is noticed before anything is played
        self._print(f"Ursuppe, seed {self._session.seed}. Numbers choose an action, h is for help.")
        if self._session.teams is not None:
            own = " and ".join(map(str, self._session.seats))
            self._print(f"You play the colours {own}; of a team {SCORES[self._session.teams.score]}.")
        self._print("")
        try:
            self._go_on()
            while not self._session.is_over:
                if not self._ask():
                    break
            else:
                self._print_end()
        except EOFError:
            self._print("")
        except KeyboardInterrupt:
            self._print("")
            raise
        finally:
            self._save()
            if self._file is not None:
                self._print(self._saved(self._file))
            elif not self._session.is_over:
                self._print("not saved; with --record FILE the game is written as it is played")

    def _go_on(self) -> None:
        """The others play until the person is asked; then everything is shown."""
        with self._console.status("the others play ...") if self._console.is_terminal else nullcontext():
            self._session.go_on()
        self._save()
        self._print_news()
        self._print_board()
        if not self._session.is_over:
            self._print_choices()

    def _ask(self) -> bool:
        """Ask for one line and do what it says; False: stop."""
        choices = self._session.choices()
        line = self._console.input(f"action [1-{len(choices)}, u, hint, g, s, q, h]: ").strip()
        command, _, rest = line.partition(" ")
        if command.lower() in ("q", "quit"):
            return False
        try:
            self._do(line, command.lower(), rest.strip(), choices)
        except (ValueError, OSError) as error:
            if not self._session.is_asked and not self._session.is_over:
                raise  # it was an agent's, and nobody goes on
            self._print(f"{error}")
        return True

    def _do(self, line: str, command: str, rest: str, choices: list[LegalAction]) -> None:
        """Carry out a command or choose an action; a ``ValueError`` says what would be right in place of the line."""
        actions = [choice.action for choice in choices]
        action = actions[int(line) - 1] if line.isdecimal() and 1 <= int(line) <= len(actions) else line
        if action in actions:
            self._session.choose(action)
            self._go_on()
        elif command in ("u", "undo"):
            self._session.undo()
            self._go_on()
        elif command in ("b", "board"):
            self._print_board()
            self._print_choices()
        elif command in ("s", "save"):
            if not rest:
                raise ValueError("save needs the name of a file, such as: save game.jsonl")
            if (file := Path(rest)).exists():
                raise ValueError(f"{file} exists already; give another name")
            write_records(file, [self._session.record()])
            self._print(self._saved(file))
        elif command in ("l", "list"):
            typer.echo(self._table(choices), nl=False)
        elif command in ("n", "news"):
            self._print_news()
        elif command == "hint":
            hint = self._session.hint()
            self._print(f"hint: {choices.index(hint) + 1}: {hint.words}")
        elif command in ("g", "genes") or (command in ("h", "help") and rest):
            self._print("\n".join(genes_in_words(self._session.games.state[0], self._session.games.ruleset, rest)))
        elif command in ("h", "help", "?"):
            self._print_help()
        else:
            raise ValueError(f"{line!r} is no action and no command; give a number from 1 to {len(choices)}, or h")

    def _print_board(self) -> None:
        typer.echo(self._board())  # as it is: rich would wrap the picture where the terminal is narrower

    def _board(self) -> str:
        """The picture for which there is room, or what is needed for the smaller one."""
        games, color = self._session.games, self._console.is_terminal and not self._console.no_color
        game, ruleset = games.state[0], games.ruleset
        columns, lines = self._console.size
        whole = draw_ansi(game, ruleset, color=False).splitlines()
        has_room = max(map(len, whole)) <= columns and len(whole) + _QUESTION <= lines
        if has_room or not self._console.is_terminal:
            return draw_ansi(game, ruleset, color=color)
        if columns < COMPACT_WIDTH or lines < _LINES:
            return (
                f"The board needs {COMPACT_WIDTH} columns and {_LINES} lines; this terminal has {columns} and {lines}. "
                "Make it larger, and type b."
            )
        return draw_compact(game, ruleset, color, columns, lines - _QUESTION)

    def _print_news(self) -> None:
        if news := self._session.news:
            self._print("Since your last decision:")
        for line in news:
            if self._console.is_terminal:
                line = textwrap.fill(line, self._console.width - 3, subsequent_indent="    ")
            self._print(f"  {line}")

    def _print_choices(self) -> None:
        session, game = self._session, self._session.games.state[0]
        facts = "; ".join(under_way(game, session.games.ruleset))
        question = f"You are player {session.games.player[0]} {situation(game).text}{f' ({facts})' if facts else ''}"
        if self._console.is_terminal:
            question = textwrap.fill(question, self._console.width)
        self._print(question)
        choices = session.choices()
        table = self._table(choices)
        if self._console.is_terminal:
            room = self._console.height - len(self._board().splitlines()) - len(question.splitlines()) - 1  # the prompt
            if table.count("\n") > room:
                table = _in_a_row(choices, self._console.width, max(2, room))
        typer.echo(table, nl=False)

    def _table(self, choices: list[LegalAction]) -> str:
        """The numbered actions in words, in as many columns as there is room for."""
        width = len(str(len(choices)))
        lines = [Text(f"{number:>{width}}  {choice.words}") for number, choice in enumerate(choices, start=1)]
        with self._console.capture() as capture:
            self._console.print(Columns(lines, padding=(0, 3), column_first=True, expand=False), soft_wrap=False)
        return capture.get()

    def _print_help(self) -> None:
        for command, meaning in _COMMANDS.items():
            self._print(f"  {command:<14}{meaning}")
        self._print("\n".join(_SMALL_BOARD))
        if self._file is not None:
            self._print(f"After each decision the game is written to {self._file}.")

    def _print_end(self) -> None:
        session = self._session
        markers = session.games.markers[0]
        for rank, player in enumerate(np.argsort(-markers).tolist(), start=1):
            you = " (you)" if player in session.seats else ""
            self._print(f"{rank}. player {player}{you}, place {markers[player]}")
        if (teams := session.teams) is None:
            return
        places = teams.places(markers)
        for rank, team in enumerate(teams.ahead(markers).argsort().tolist(), start=1):
            seats = teams.seats[team]
            you = " (you)" if seats == session.seats else ""
            players = " and ".join(map(str, seats))
            self._print(f"{rank}. team {team}{you}, players {players}: {_PLACES[teams.score]} {places[team]}")

    def _save(self) -> None:
        if self._file is not None:
            write_records(self._file, [self._session.record()])

    def _saved(self, file: Path) -> str:
        if self._session.is_over:
            return f"saved: {file}"
        return f"saved: {file}; resume with: ursuppe play --continue {file}"


def _in_a_row(choices: list[LegalAction], width: int, most_lines: int) -> str:
    """The names of the actions one after the other, for a terminal that has no room for what they mean."""
    lines = [""]
    for number, choice in enumerate(choices, start=1):
        name = f"{number} {choice.action}"
        if len(lines[-1]) + 3 + len(name) > width:
            lines.append(name)
        else:
            lines[-1] += f"   {name}" if lines[-1] else name
    if len(lines) > most_lines:
        lines[most_lines - 1 :] = [f"... {len(choices)} in all; l lists them"]
    return "\n".join(lines) + "\n"
