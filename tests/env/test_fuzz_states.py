"""A little of ``make fuzz``: what is mutated is refused in words, or is a game that plays on to its end."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ursuppe_env import Games

from fuzz import cases
from fuzz.cases import run_chunk
from fuzz.workers import chunks

CASES = 80


@pytest.mark.parametrize("number", range(4))
def test_what_is_mutated_is_refused_or_played_to_the_end(number: int):
    chunk = run_chunk(20, number, CASES)
    assert chunk.failures == []
    assert chunk.counts["state refused"] > chunk.counts["state accepted"] > 0
    assert chunk.counts["position refused"] > 0 < chunk.counts["position accepted"]
    assert chunk.counts.total() == CASES


def test_a_chunk_is_the_same_in_each_run():
    assert run_chunk(3, 5, 20) == run_chunk(3, 5, 20)


def test_it_finds_a_door_that_lets_everything_in(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ursuppe_env.games.why_impossible", lambda states, ruleset: None)
    chunk = run_chunk(20, 0, CASES)
    assert chunk.failures
    assert chunk.failures[0].startswith("seed 20, chunk 0, case ")
    assert chunk.counts["state WRONG"] == len(chunk.failures)


def test_it_finds_what_is_accepted_and_later_is_not(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ursuppe_env.positions.state_checks._grown_too_much", lambda states, ruleset: iter(()))
    games = Games.from_dict({"players": 3, "decision": "move", "player": 0, "amoebas": [[[1, 13, 3]], [], []]})
    with pytest.raises(cases.Wrong, match=r"it was accepted, but \d+ looks later it is not: damage has 4"):
        cases.check_door(cases.play_on(games), games.ruleset)


def test_it_finds_a_game_that_does_not_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Games, "play_random", lambda games, most: np.array([most]))
    assert "the game has not ended after" in run_chunk(20, 0, 20).failures[0]


def test_it_finds_strange_words(monkeypatch: pytest.MonkeyPatch):
    def refuse(states: np.ndarray, ruleset: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr("ursuppe_env.games.why_impossible", refuse)
    assert "IndexError: list index out of range" in run_chunk(20, 0, 4).failures[0]
    monkeypatch.setattr("ursuppe_env.games.why_impossible", lambda states, ruleset: (0, "two\nlines"))
    with pytest.raises(cases.Wrong, match="refused in strange words"):
        cases.accepted(Games(1).state, Games(1).ruleset)


def test_a_process_that_ends_is_a_finding():
    others = set(multiprocessing.active_children())
    found = chunks(seed=20, jobs=1, cases=4)
    assert next(found).failures == []
    (process,) = set(multiprocessing.active_children()) - others
    process.kill()
    assert next(found).failures[0].startswith("seed 20, chunk 1: A process in the process pool was terminated abruptly")
    found.close()


def test_code_that_checks_bounds_is_kept_apart(tmp_path: Path):
    look = "from ursuppe_env.compilation.compiler import CACHE; print(CACHE.name)"
    names = [
        subprocess.run(
            [sys.executable, "-c", look],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_BOUNDSCHECK": checks},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for checks in "01"
    ]
    assert names[0] != names[1]
