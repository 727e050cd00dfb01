"""Games of OpenSpiel and PettingZoo, where they are installed, played through Python as ours are."""

import importlib
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ursuppe_env.bench.figures import Effort, Figure, Measure, Unavailable, repeated
from ursuppe_env.bench.single import WARM_UP, play_aec


def peer_measures() -> dict[str, Measure]:
    """The games of other packages: a label, and what measures it."""
    measures: dict[str, Measure] = {}
    for name in ("backgammon", "connect_four"):
        measures[f"OpenSpiel {name}"] = partial(measure_open_spiel, name)
    for name in ("connect_four", "chess"):
        measures[f"PettingZoo {name}"] = partial(measure_pettingzoo, _newest_pettingzoo(name))
    return measures


def measure_open_spiel(name: str, effort: Effort) -> list[Figure]:
    """A game of OpenSpiel, without and with its observation tensor.

    Raises:
        Unavailable: OpenSpiel is not installed.
    """
    try:
        game = importlib.import_module("pyspiel").load_game(name)
    except ImportError as error:
        raise Unavailable(str(error)) from None
    decisions = effort.calls
    return [
        repeated(f"OpenSpiel {name}", lambda: play_open_spiel(game, decisions, False), effort),
        repeated(f"OpenSpiel {name}, with observation", lambda: play_open_spiel(game, decisions, True), effort),
    ]


def play_open_spiel(game: Any, decisions: int, observe: bool) -> float:
    """Decisions/s of an OpenSpiel game through Python: random legal actions, chance drawn, observation if asked."""
    choices = np.random.default_rng(0)
    state = game.new_initial_state()
    made = 0
    begin = time.perf_counter()
    while made < decisions:
        if state.is_terminal():
            state = game.new_initial_state()
        elif state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[choices.integers(len(outcomes))][0])  # speed only: not weighted
        else:
            if observe:
                state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[choices.integers(len(legal))])
            made += 1
    return made / (time.perf_counter() - begin)


def measure_pettingzoo(game: str, effort: Effort) -> list[Figure]:
    """A game of PettingZoo, without wrappers, in the same loop as ours.

    Raises:
        Unavailable: what the game needs is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would greet on stdout
    try:
        env = importlib.import_module(f"pettingzoo.classic.{game}").raw_env()
    except ImportError as error:
        raise Unavailable(str(error)) from None
    decisions = max(100, effort.calls // 20)
    play_aec(env, WARM_UP)
    return [repeated(f"PettingZoo {game}", lambda: play_aec(env, decisions), effort)]


def _newest_pettingzoo(name: str) -> str:
    """The module of a PettingZoo game with its version number, which changes between releases."""
    import pettingzoo.classic

    folder = Path(next(iter(pettingzoo.classic.__path__)))
    versions = [number for number in range(20) if (folder / f"{name}_v{number}.py").exists()]
    return f"{name}_v{max(versions, default=0)}"
