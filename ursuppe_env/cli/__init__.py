"""The command ``ursuppe``: one file a command; ``agents/`` and ``training/`` add theirs by entry points.

What goes wrong is one line on stderr and an exit status, never a traceback.
"""

import inspect
import io
import os
import signal
import sys
import warnings
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperGroup, TyperOption

from ursuppe_env import __version__
from ursuppe_env.cli.cache import cache
from ursuppe_env.cli.check import check
from ursuppe_env.cli.progress import interrupts
from ursuppe_env.cli.replay import replay
from ursuppe_env.cli.speed import speed
from ursuppe_env.extras import MissingExtraError
from ursuppe_env.line import in_one_line, quoted

WRONG_INPUT = 2
INTERRUPTED = 130  # the status that Typer gives to Ctrl-C

# How NumPy begins where a size has more digits than its arrays; other errors of sizes have types of their own.
_TOO_LARGE = ("array is too big", "Maximum allowed")

_EXTENSIONS = "ursuppe.commands"  # entry points: the commands of other packages

# What is not installed says so whatever follows its name, not that it has no such option.
_ANY_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}

# Commands that are not named here, of other packages, come first and without a group.
_GROUPS = {
    "Play": ("play", "web", "replay", "analyse"),
    "Measure": ("arena", "benchmark", "balance", "evaluate", "exploit"),
    "Train": ("train", "average", "critic", "bot"),
    "Data": ("record", "check", "export"),
    "This machine": ("speed", "cache"),
}


class ExplainedGroup(TyperGroup):
    """The group of all commands, whose help reads alike wherever they come from.

    A docstring is paragraphs, wherever their lines end; the last one may be an example, ``Example: ursuppe …``, which
    comes after the options.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        _explain(self)


def _explain(command: Any) -> None:
    """Let text take the width of the terminal, put the example last, and show types in a word; flags have none."""
    text, example, line = inspect.cleandoc(command.help or "").rpartition("\n\nExample: ")
    paragraphs = text if example else line
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs.split("\n\n"))
    if example:
        command.epilog = f"Example: {line}"
    context = typer.Context(command)
    for parameter in command.get_params(context):
        if isinstance(parameter, TyperOption) and parameter.metavar is None:
            parameter.metavar = "" if parameter.is_flag else parameter.display_type(context).replace(" range", "")
    for below in getattr(command, "commands", {}).values():
        _explain(below)


app = typer.Typer(
    cls=ExplainedGroup,
    add_completion=False,
    help="The board game Ursuppe (Primordial Soup): play it, measure agents and rules, train agents, record games.\n\n"
    "Example: ursuppe arena hunter greedy --games 100",
)


def _extensions() -> dict[str, Any]:
    """The commands that other packages add, by name; in place of one whose extra is not installed the error.

    One that cannot be loaded is left out with a warning on stderr: it must not take the others with it.
    """
    found: dict[str, Any] = {}
    for entry in sorted(entry_points(group=_EXTENSIONS), key=lambda entry: entry.name):
        try:
            loaded = entry.load()
            if not callable(loaded):
                raise TypeError(f"{loaded!r} is no function")
            found[entry.name] = loaded
        except MissingExtraError as error:
            found[entry.name] = error
        except Exception as error:  # whatever the modules of others raise when they are imported
            owner = entry.dist.name if entry.dist else "an unknown distribution"
            what, reason = f"{entry.name} of {owner} ({_EXTENSIONS})", in_one_line(f"{type(error).__name__}: {error}")
            typer.echo(f"ursuppe: warning: {what} cannot be loaded: {reason}", err=True)
    return found


def _add(name: str, command: Any, group: str | None = None) -> None:
    if isinstance(command, MissingExtraError):

        def refuse() -> None:
            raise command

        says = escape(f"Not available: {command}")
        app.command(name, help=says, context_settings=_ANY_OPTIONS, rich_help_panel=group)(refuse)
    elif isinstance(command, typer.Typer):  # with commands of its own
        app.add_typer(command, name=name, rich_help_panel=group)
    else:
        app.command(name, rich_help_panel=group)(command)


_commands = {"check": check, "replay": replay, "speed": speed, "cache": cache, **_extensions()}
_grouped = {name: group for group, names in _GROUPS.items() for name in names if name in _commands}
for _name in (*_grouped, *(name for name in _commands if name not in _grouped)):
    _add(_name, _commands[_name], _grouped.get(_name))


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ursuppe-env {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options of ``ursuppe`` itself."""


def main() -> None:
    """Run the command line and exit with its status."""
    interrupts.listen()
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever has started this; the system counts files from 0 on
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold what the terminal cannot show
    warnings.showwarning = _show_warning
    status = run(sys.argv[1:])
    interrupts.leave()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C while Python ends is no traceback
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run one command; returns its exit status: 0, 1 (check: records differ), 2 (wrong input) or 130 (Ctrl-C)."""
    if not arguments:
        arguments = ["--help"]
    try:
        status = app(arguments, prog_name="ursuppe", standalone_mode=False)
        sys.stdout.flush()  # a full disk is noticed here, not when Python has ended
    except KeyboardInterrupt:
        status = INTERRUPTED
    except (typer.TyperException, ValueError, OSError, MissingExtraError, MemoryError, OverflowError) as error:
        typer.echo(f"ursuppe: {in_one_line(_message(error))}", err=True)
        return WRONG_INPUT
    except SystemExit as error:
        typer.echo(f"ursuppe: code of somebody else ended it by sys.exit({quoted(error.code)})", err=True)
        return WRONG_INPUT
    except Exception:
        if not interrupts.is_pressed:
            raise
        status = INTERRUPTED  # a second Ctrl-C may come where Python still handles the first one, and confuse it
    if status == INTERRUPTED:
        typer.echo("ursuppe: interrupted", err=True)
    return status or 0


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning in one line, without the place in the code that it comes from."""
    typer.echo(f"ursuppe: {in_one_line(str(message))}", err=True)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    if isinstance(error, OverflowError):
        return f"a number is too large; choose a smaller one: {error}"
    if isinstance(error, MemoryError) or str(error).startswith(_TOO_LARGE):
        reason = f": {error}" if str(error) else ""
        return f"there is not enough memory for numbers as large as these; choose smaller ones{reason}"
    checks, option = getattr(error.__cause__, "errors", None), getattr(error, "param", None)
    if checks is not None and option is not None:  # pydantic's, whom Typer asks
        first = checks()[0]
        return f"{option.opts[0]} is {quoted(first['input'])}; it must {first['msg'].removeprefix('Input should ')}"
    describe = getattr(error, "format_message", error.__str__)  # Typer's own name the option
    return describe()
