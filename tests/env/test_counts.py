"""Counts in words."""

import pytest

from ursuppe_env import Games
from ursuppe_env.cli import run
from ursuppe_env.line import counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 games"), (1, "1 game"), (2, "2 games"), (1200, "1,200 games")], ids=str
)
def test_one_is_singular(number: int, words: str):
    assert counted(number, "game") == words


def test_a_plural_of_its_own():
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]


def test_commands_say_1_game(tmp_path, capsys):
    file = str(tmp_path / "game.jsonl")
    assert run(["record", "--games", "1", file]) == 0
    assert run(["check", file]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{file}: 1 game", "1 game checked, 0 differ"]
    assert run(["arena", "random", "random", "random", "random", "--games", "1", "--workers", "1"]) == 0
    assert "1 game, 1 seed; no intervals: 1 seed is too few" in capsys.readouterr().out
    assert run(["record", "--agents", "random", "--players", "3", "--agents", "random,random", file + "l"]) == 2
    assert "agents names 2 seats" in capsys.readouterr().err


def test_a_repr_says_1_game():
    assert repr(Games(1)).startswith("<Games: 1 game, 0 finished")
