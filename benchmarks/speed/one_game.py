"""One game at a time through Python, beside games of OpenSpiel and PettingZoo where they are installed."""

import os
import random
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from ursuppe_env import Games, ursuppe_v0
from ursuppe_env.cli.speed import play_aec
from ursuppe_env.envs.single_seat import UrsuppeEnv

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")


def play_games(decisions: int) -> None:
    """``Games(1)``, with mask and observation."""
    choices = random.Random(0)
    games = Games(1, seed=0)
    for _ in range(decisions):
        if games.finished[0]:
            games.reset()
        games.observe()
        games.step([choices.choice(np.flatnonzero(games.legal()[0]))])


def play_gymnasium(decisions: int) -> None:
    """``UrsuppeEnv`` among random opponents, whose decisions do not count."""
    choices = random.Random(0)
    env = UrsuppeEnv()
    _, info = env.reset(seed=0)
    for _ in range(decisions):
        _, _, terminated, _, info = env.step(choices.choice(np.flatnonzero(info["action_mask"])))
        if terminated:
            _, info = env.reset()


def play_open_spiel(game: Any, decisions: int) -> None:
    """A game of OpenSpiel, with its observation tensor."""
    choices = random.Random(0)
    state = game.new_initial_state()
    while decisions > 0:
        if state.is_terminal():
            state = game.new_initial_state()
        elif state.is_chance_node():
            state.apply_action(choices.choice([outcome for outcome, _ in state.chance_outcomes()]))
        else:
            state.observation_tensor()
            state.apply_action(choices.choice(state.legal_actions()))
            decisions -= 1


#: Gives what plays so many decisions of a game.
GAMES: dict[str, Callable[[], Callable[[int], object]]] = {
    "Games(1)": lambda: play_games,
    "UrsuppeEnv": lambda: play_gymnasium,
    "raw AEC environment": lambda: partial(play_aec, ursuppe_v0.raw_env()),
    "AEC environment": lambda: partial(play_aec, ursuppe_v0.env()),
    "OpenSpiel backgammon": lambda: partial(play_open_spiel, import_module("pyspiel").load_game("backgammon")),
    "OpenSpiel connect_four": lambda: partial(play_open_spiel, import_module("pyspiel").load_game("connect_four")),
    "PettingZoo connect_four": lambda: partial(play_aec, import_module("pettingzoo.classic.connect_four_v3").raw_env()),
    "PettingZoo connect_four, wrapped": lambda: partial(
        play_aec, import_module("pettingzoo.classic.connect_four_v3").env()
    ),
    "PettingZoo chess": lambda: partial(play_aec, import_module("pettingzoo.classic.chess_v6").raw_env()),
}


class OneGame:
    """Time of 1,000 random decisions."""

    params = (list(GAMES),)
    param_names = ("game",)
    number = 1
    repeat = (3, 20, 1.0)
    rounds = 3

    def setup(self, game: str) -> None:
        """Make the game; a ``NotImplementedError`` if what it needs is not installed: asv leaves it out."""
        try:
            self.play = GAMES[game]()
        except ImportError as error:
            raise NotImplementedError from error

    def time_1000_decisions(self, game: str) -> None:
        """Choices included."""
        self.play(1000)
