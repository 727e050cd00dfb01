"""The help of every command: it fits the terminal, and shows an example that the command takes."""

import re
import shlex
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any
from unittest.mock import Mock

import pytest
import typer

from ursuppe_env.cli import app, run

ROOT: Any = typer.main.get_command(app)


def paths(command: Any, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from paths(below, *path, name)


def leaves(command: Any) -> Iterator[Any]:
    below = getattr(command, "commands", {}).values()
    yield from chain.from_iterable(map(leaves, below)) if below else (command,)


COMMANDS = list(paths(ROOT))


def shown(capsys, monkeypatch, path: tuple[str, ...], columns: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run([*path, "--help"]) == 0
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_fits_80_columns_with_an_example_and_no_types_of_flags(capsys, monkeypatch, path):
    lines = shown(capsys, monkeypatch, path, 80)
    assert lines[1].startswith(" ".join((" Usage: ursuppe", *path)))
    assert max(map(len, lines)) <= 80
    assert not re.search("<bool>|range>", "\n".join(lines))
    assert "…" not in "\n".join(lines)  # nothing is cut
    (example,) = (line for line in lines if line.startswith(" Example: ursuppe "))
    done = Mock(return_value=0)
    for command in leaves(ROOT):
        monkeypatch.setattr(command, "callback", done)
    ROOT(shlex.split(example)[2:], standalone_mode=False)
    done.assert_called_once()


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_text_of_help_takes_the_width_of_the_terminal(capsys, monkeypatch, path):
    lines = shown(capsys, monkeypatch, path, 400)
    text = lines[3 : next(place for place, line in enumerate(lines) if line.startswith("╭"))]
    assert text[0]
    assert all(bool(line) != bool(after) for line, after in pairwise(text))  # a line a paragraph


def test_commands_are_listed_in_groups(capsys, monkeypatch):
    text = "\n".join(shown(capsys, monkeypatch, (), 80))
    groups = re.findall(r"^╭─ (.+?) ─", text, re.M)
    assert groups == ["Options", "Play", "Measure", "Train", "Data", "This machine"]
