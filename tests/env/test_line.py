"""Counts and times in words."""

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


def test_commands_say_1_game(capsys):
    assert run(["arena", "random", "random", "random", "random", "--games", "1", "--workers", "1"]) == 0
    assert "1 game, 1 seed; no intervals: 1 seed is too few" in capsys.readouterr().out


def test_a_repr_says_1_game():
    assert repr(Games(1)).startswith("<Games: 1 game, 0 finished")
