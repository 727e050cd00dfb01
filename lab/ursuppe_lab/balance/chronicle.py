"""What happened in a batch of games: all that measures can ask for."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ursuppe_env import Ruleset
from ursuppe_env.rules.actions import FIRST_BUY, FIRST_START, PASS
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import BOUGHT_GENE, NUM_GENES
from ursuppe_env.rules.nodes import Decision


class Cause(IntEnum):
    """Why an amoeba leaves the board."""

    HUNGER = 0  # phase 5: at its deadly DP
    ATTACK = 1  # phase 1: killed by a hungry amoeba
    AGGRESSION = 2  # phase 5: killed by an aggressor


class Outcome(IntEnum):
    """How an attack ends."""

    KILLED = 0  # the victim leaves the board
    DAMAGED = 1  # Armour: the victim gets 1 DP
    FOUGHT_OFF = 2  # Defense: the attacker lost the fight
    ESCAPED = 3


#: One decision with two or more legal actions. ``game`` is the row of the batch.
DECISION = np.dtype(
    [
        ("game", np.int32),
        ("round", np.int8),  # 0 in the set-up
        ("phase", np.int8),  # Phase
        ("player", np.int8),
        ("decision", np.int8),  # Decision
        ("action", np.int16),  # its id
    ]
)
#: An amoeba that left the board.
DEATH = np.dtype([("game", np.int32), ("round", np.int8), ("player", np.int8), ("cause", np.int8)])
#: An attack, with how it ended.
ATTACK = np.dtype(
    [
        ("game", np.int32),
        ("round", np.int8),
        ("phase", np.int8),  # MOVE_AND_FEED or DEATHS
        ("attacker", np.int8),  # player
        ("victim", np.int8),  # player; perhaps the attacker's own
        ("outcome", np.int8),  # Outcome
    ]
)


@dataclass(frozen=True)
class Chronicle:
    """N finished games with P players, and what happened in them.

    Attributes:
        ruleset: that they were played with.
        states: (R, N) each game (``ursuppe_env.rules.state``) as it stood after phase 6 of each of the R rounds that
            a game can have; from its last one on, as it ended.
        decisions: (D,) of ``DECISION``; those of a game are in the order in which they were made.
        attacks: of ``ATTACK``.
        deaths: of ``DEATH``.
    """

    ruleset: Ruleset
    states: NDArray[np.void]
    decisions: NDArray[np.void]
    attacks: NDArray[np.void]
    deaths: NDArray[np.void]

    @property
    def num_games(self) -> int:
        """N."""
        return self.states.shape[1]

    @property
    def players(self) -> int:
        """P."""
        return self.ruleset.players

    @cached_property
    def winner(self) -> NDArray[np.int8]:
        """(N,) who won."""
        return self.states["winner"][-1]

    @cached_property
    def rounds(self) -> NDArray[np.int8]:
        """(N,) how many rounds were played."""
        return self.states["round"][-1]

    @cached_property
    def is_played(self) -> NDArray[np.bool_]:
        """(R, N) was this round played?"""
        return np.arange(1, len(self.states) + 1)[:, None] <= self.rounds

    @cached_property
    def start_places(self) -> NDArray[np.int64]:
        """(N, P) the place on the track that each player took in the set-up, from 1."""
        places = np.zeros((self.num_games, self.players), np.int64)
        taken = self.decisions[self.decisions["decision"] == Decision.START_PLACE]
        places[taken["game"], taken["player"]] = taken["action"] - FIRST_START + 1
        left = self.players * (self.players + 1) // 2 - places.sum(axis=1, keepdims=True)
        return np.where(places == 0, left, places)  # the last one had no choice, and was not asked

    @cached_property
    def markers(self) -> NDArray[np.int16]:
        """(R, N, P) places on the track after each round."""
        return self.states["marker"][:, :, : self.players]

    @cached_property
    def amoebas(self) -> NDArray[np.int64]:
        """(R, N, P) amoebas on the board after each round."""
        return np.asarray((self.states["amoeba_space"][:, :, : self.players] != OFF_BOARD).sum(axis=3))

    @cached_property
    def bp(self) -> NDArray[np.int16]:
        """(R, N, P) biopoints after each round."""
        return self.states["bp"][:, :, : self.players]

    @cached_property
    def first_purchase(self) -> NDArray[np.int64]:
        """(N, P, 20) the round in which each player first bought each gene; 0: never."""
        is_purchase = (self.decisions["decision"] == Decision.BUY) & (self.decisions["action"] != PASS)
        purchases = self.decisions[is_purchase]
        gene = BOUGHT_GENE[purchases["action"] - FIRST_BUY]
        never = len(self.states) + 1
        first = np.full((self.num_games, self.players, NUM_GENES), never, np.int64)
        np.minimum.at(first, (purchases["game"], purchases["player"], gene), purchases["round"])
        return np.where(first == never, 0, first)
