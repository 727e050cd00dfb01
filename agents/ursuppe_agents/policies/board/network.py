"""The output of a network that sees the board: probabilities of actions, and each player's chance of winning."""

from dataclasses import replace
from functools import lru_cache
from threading import local

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board import forward
from ursuppe_agents.policies.board.inputs import seating
from ursuppe_agents.policies.board.rules import MOST_BATCHES, TheVeryRulesets, standardised_rules
from ursuppe_agents.policies.board.weights import KINDS, Weights, widths_of
from ursuppe_env import Games
from ursuppe_env.threads import refuse_while_changing


class BoardNetwork:
    """A network in whole numbers, for inference only; it plays among 3 to 6 players.

    Its output is the same on each machine.
    """

    def __init__(self, weights: Weights) -> None:
        arrays, self._weights = weights.arrays, weights
        self._widths = widths_of(arrays)
        self._layers = forward.whole_numbers(arrays)
        self._rules = lru_cache(MOST_BATCHES)(
            lambda batch: forward.context_of_rules(arrays, standardised_rules(batch.rulesets))
        )
        self._teams = weights.teams
        self._of_thread = local()
        self._critic = None
        if weights.critic is not None:
            self._critic = BoardNetwork(replace(weights, arrays=arrays | weights.critic, critic=None))

    def __reduce__(self) -> tuple[type["BoardNetwork"], tuple[Weights]]:  # compiled layers and memory are made anew
        return BoardNetwork, (self._weights,)

    def action_probabilities(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """How likely each action is, (n, A); 0 where it is illegal. In each of the rows a player is about to act."""
        probabilities = np.zeros((len(rows), games.num_actions))
        forward.write_probabilities(*self._arguments(games), rows, probabilities)
        return probabilities

    def chances(self, games: Games, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Each player's chance of winning these games by the critic, (n, P), in sum 1."""
        if self._critic is not None:
            return self._critic.chances(games, rows)
        chances = np.empty((len(rows), games.num_players))
        forward.write_chances(*self._arguments(games), rows, chances)
        return chances

    def outputs(
        self, games: Games
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Where the actions of each of N games begin among all M, (N + 1,), their (M,) ids and (M,) logits, and
        (N, P, 3) scores of the critic.

        The scores are of the critic that shares the actor's layers, and of the seats from the one on that decides;
        those of all seats of a team are equal.
        """
        states, first = games.state, np.zeros(len(games) + 1, np.int64)
        np.cumsum(states["num_legal"], out=first[1:])
        actions, logits = np.empty(first[-1], np.int64), np.empty(first[-1], np.int64)
        scores = np.empty((len(games), games.num_players, len(KINDS)), np.int64)
        forward.write_outputs(*self._arguments(games), first, actions, logits, scores)
        unit = np.float64(2.0**-forward.SUM_BITS)
        return first, actions, (logits * unit).astype(np.float32), (scores * unit).astype(np.float32)

    def _arguments(self, games: Games) -> tuple[object, ...]:
        """The first ones of the compiled functions.

        Raises:
            RuntimeError: another thread is changing the games.
        """
        refuse_while_changing(games)
        if not hasattr(self._of_thread, "memory"):
            self._of_thread.memory = forward.memory_for(self._widths)
        rules = self._rules(TheVeryRulesets(games.rulesets))
        seats = seating(games.num_players, self._teams)
        return games.state, games.rules, *seats, self._layers, rules, self._of_thread.memory
