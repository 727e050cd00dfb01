"""Counts and times in words."""

import pytest

from ursuppe_env.line import counted


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 games"), (1, "1 game"), (2, "2 games"), (1200, "1,200 games")], ids=str
)
def test_one_is_singular(number: int, words: str):
    assert counted(number, "game") == words


def test_a_plural_of_its_own():
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
