"""Cases of the fuzz: what is mutated is refused with a ValueError, or it is a game that plays on to its end.

A chunk is a ruleset, states of real games with it, and some hundred mutations of these; its seed tells all of it.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.positions import why_impossible
from ursuppe_env.rules.kernels import RESUME

from fuzz.mutations import differences, in_range, mutated_position, mutated_state
from fuzz.sources import STOPS, random_ruleset, real_states

_MOST_DECISIONS = 100_000  # in a game: far more than any has
_STEPS = 12  # taken one by one before a game is played on to the end
_DECISIONS = 25  # then between two states that must pass the door again, which takes longer than to play on
_OF_ALL = ("state", "state", "position", "record")  # how often each kind of case comes


@dataclass
class Chunk:
    """What became of a chunk.

    Attributes:
        counts: cases by kind and verdict.
        failures: reports, one a case.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


class Wrong(AssertionError):
    """The engine did what it must not do."""


def run_chunk(seed: int, number: int, cases: int = 200) -> Chunk:
    """Run so many cases of the chunk of this number; the seed is that of the whole fuzz."""
    generator = np.random.default_rng([seed, number])
    ruleset = random_ruleset(generator)
    states = real_states(generator, ruleset)
    chunk = Chunk()
    for case in range(cases):
        kind = _OF_ALL[case % len(_OF_ALL)]
        report: list[str] = []
        try:
            verdict = _CASES[kind](generator, states, ruleset, report)
        except Exception as error:  # whatever it is, it is a finding
            where = f"seed {seed}, chunk {number}, case {case} ({kind})"
            chunk.failures.append("\n  ".join([where, repr(ruleset), *report, f"{type(error).__name__}: {error}"]))
            verdict = "WRONG"
        chunk.counts[f"{kind} {verdict}"] += 1
    return chunk


def _two(generator: np.random.Generator, states: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Two real (1,) states at any nodes."""
    for _ in range(2):
        there = states[generator.integers(len(states))]
        at = generator.integers(len(there))
        yield there[at : at + 1]


def _state(generator: np.random.Generator, states: list[np.ndarray], ruleset: Ruleset, report: list[str]) -> str:
    state, other = _two(generator, states)
    mutated = mutated_state(generator, state, other, ruleset)
    report += [json.dumps(Games.from_state(state, ruleset, **STOPS).to_dict(0)), differences(state, mutated)]
    games = accepted(mutated, ruleset)
    if games is None:
        return "refused"
    check_door(play_on(games), ruleset)
    return "accepted"


def _position(generator: np.random.Generator, states: list[np.ndarray], ruleset: Ruleset, report: list[str]) -> str:
    position, other = (trusted_games(state, ruleset, **STOPS).to_dict(0) for state in _two(generator, states))
    mutated = mutated_position(generator, position, other)
    report.append(json.dumps(mutated))
    try:
        games = Games.from_dict(mutated, threads=1, **STOPS)
    except ValueError as error:
        _check_words(error)
        return "refused"
    again = accepted(games.state, games.ruleset)
    if again is None:
        raise Wrong("from_dict accepts it, from_state does not")
    check_door(play_on(again), again.ruleset)
    return "accepted"


def _record(generator: np.random.Generator, states: list[np.ndarray], ruleset: Ruleset, report: list[str]) -> str:
    """Past the door: numbers in their ranges lead no kernel astray, even if no game can stand like this."""
    state, other = _two(generator, states)
    mutated = in_range(generator, state, other, ruleset)
    report.append(differences(state, mutated))
    games = trusted_games(mutated, ruleset, threads=1, **STOPS)
    try:
        games._run(RESUME, np.ones(1, np.int64))  # finds the legal actions
        play_on(games)
    except RuntimeError as error:
        if "stands still without" not in str(error):
            raise
        return "stopped"
    return "played"


_CASES = {"state": _state, "position": _position, "record": _record}


def accepted(states: np.ndarray, ruleset: Ruleset) -> Games | None:
    """The games at these (1,) states; None if they are refused. Read as a position, they are the same games."""
    try:
        games = Games.from_state(states, ruleset, threads=1, **STOPS)
    except ValueError as error:
        _check_words(error)
        return None
    position = json.loads(json.dumps(games.to_dict(0)))
    again = Games.from_dict(position, threads=1, **STOPS)
    if again.state.tobytes() != games.state.tobytes():
        raise Wrong(f"its position is another state: {differences(games.state, again.state)}")
    return games


def _check_words(error: ValueError) -> None:
    """What is said is ours, in one line."""
    if type(error) is not ValueError or not str(error) or "\n" in str(error) or len(str(error)) > 2000:
        raise Wrong(f"refused in strange words: {type(error).__name__}: {error}")


def play_on(games: Games) -> np.ndarray:
    """Play one game on to its end, and look at it in all ways; where it stood at first, and at times later on."""
    stood = [games.state.copy()]
    for _ in range(_STEPS):
        _look_at(games)
        games.draw()
        games.resume()
        games.step_random()
        stood.append(games.state.copy())
    _look_at(games)
    made = 0
    while not games.finished.all() and made < _MOST_DECISIONS:
        made += int(games.play_random(_DECISIONS)[0])
        stood.append(games.state.copy())
    if made >= _MOST_DECISIONS:
        raise Wrong(f"the game has not ended after {made} decisions")
    return np.concatenate(stood)


def check_door(states: np.ndarray, ruleset: Ruleset) -> None:
    """Where a game came to that had been accepted, it is accepted again."""
    impossible = why_impossible(states, (ruleset,))
    if impossible is not None:
        raise Wrong("it was accepted, but {} looks later it is not: {}".format(*impossible))


def _look_at(games: Games) -> None:
    legal = games.legal().sum(axis=1)
    if legal[0] != games.state["num_legal"][0] or (games.player[0] >= 0) != (legal[0] > 1):
        raise Wrong(f"{legal[0]} actions are legal where player {games.player[0]} decides")
    games.observe()
    games.observe(0)
