"""A state, and the questions that are asked about it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.positions.state_checks import fill_legal_actions
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import is_legal
from ursuppe_env.rules.nodes import FINISHED, PAUSED, Chance, Decision, Movement
from ursuppe_env.rules.phases.displacement import is_mover
from ursuppe_env.rules.ruleset import Ruleset


class Standing:
    """A state with the questions that the checks ask."""

    def __init__(self, states: NDArray[np.void], ruleset: Ruleset) -> None:
        self.states = states
        self.ruleset = ruleset
        self.game = states[0]
        self.node = int(self.game["node"])
        self.player = int(self.game["player"])
        self.phase = int(self.game["phase"])
        self.mover = int(self.game["mover"])
        self.attacker = int(self.game["attacker"])
        self.victim = int(self.game["victim"])
        self.carrier = int(self.game["carrier"])

    @property
    def name(self) -> str:
        """What the game stands at, in words."""
        return described(self.game)

    @property
    def is_escape(self) -> bool:
        return bool(self.game["movement"] == Movement.ESCAPE)

    @property
    def is_asking_clingers(self) -> bool:
        """Is an amoeba asked to cling, or does one that clings take cubes along?"""
        is_clinger = not is_mover(self.game, self.carrier, int(self.game["carrier_amoeba"]))
        return self.node == Decision.CLING or (self.node == Decision.CARRY and is_clinger)

    def has(self, player: int, *genes: Gene) -> bool:
        """Does the player own one of these genes?"""
        return bool((self.game["genes"][player, list(genes)] > 0).any())

    def space(self, owner: str, number: str) -> int:
        """The space of the amoeba in a pair of fields."""
        return int(self.game["amoeba_space"][self.game[owner], self.game[number]])

    def was_legal(self, decision: Decision, player: int, action: str, change: Callable[[np.void], None]) -> bool:
        """Was the action legal for the player in a decision that came before, at the state that ``change`` makes?"""
        game = self.states.copy()[0]
        game["node"], game["player"] = decision, player
        change(game)
        fill_legal_actions(game, self.ruleset)
        return bool(is_legal(game, actions_for(self.ruleset.players).id(action, player)))


def described(game: np.void) -> str:
    """What the game stands at, in words."""
    node, player = int(game["node"]), int(game["player"])
    if player >= 0:
        return f"the decision {Decision(node).name.lower()} of player {player}"
    if player == PAUSED:
        return "the pause after a round"
    return "the end" if node == FINISHED else f"the chance event {Chance(node).name.lower()}"
