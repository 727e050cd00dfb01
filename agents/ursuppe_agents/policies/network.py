"""The output of a policy's network for games: probabilities of actions, and chances of winning.

In compiled code (``forward``), so that what comes out for a game does not depend on which others are asked about with
it. What layers make of a ruleset, the same in all games that have it, is computed once.
"""

from functools import lru_cache
from itertools import count, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies import forward
from ursuppe_agents.policies.inputs import (
    MOST_BATCHES,
    InputsView,
    TheVeryRulesets,
    seat_inputs,
    situation_inputs,
    standardised_rules,
)
from ursuppe_agents.policies.weights import CRITIC, LAST, WIN, Weights, hidden_layer
from ursuppe_env import Games

_Array = NDArray[np.float32]


class _OfRules(NamedTuple):
    """What comes of the ruleset's part of the inputs, a row for each of B rulesets."""

    for_actor: _Array
    for_critic: _Array


class Network:
    """The network of a policy, for inference only.

    Args:
        weights: of a policy that was trained on games like these.
    """

    def __init__(self, weights: Weights) -> None:
        self._actor, self._critic = _Actor(weights), _Critic(weights)
        self._inputs = InputsView(observe_rules=False)
        self._sees_rules = weights.observe_rules
        self._of_rules = lru_cache(MOST_BATCHES)(self._made_of_rules)

    def action_probabilities(self, games: Games) -> NDArray[np.float64]:
        """How likely the policy is to take each action, (N, A); 0 where it is illegal.

        Args:
            games: in each of them a player is about to act.
        """
        rules = self._of_rules(TheVeryRulesets(games.rulesets))
        return self._actor.probabilities(self._inputs.of(games), games, rules.for_actor)

    def probabilities_and_chances(self, games: Games) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same, and each player's chance of winning by the critic, (N, P), in sum 1."""
        rules, inputs, players = (
            self._of_rules(TheVeryRulesets(games.rulesets)),
            self._inputs.of(games),
            games.num_players,
        )
        from_actor = self._critic.chances(inputs, games.ruleset_index, rules.for_critic)
        seats = (np.arange(players) - games.player.astype(np.int64)[:, np.newaxis]) % players
        chances = np.take_along_axis(from_actor, seats, axis=1)
        return self._actor.probabilities(inputs, games, rules.for_actor), chances

    def _made_of_rules(self, batch: TheVeryRulesets) -> _OfRules:
        rules = standardised_rules(batch.rulesets)
        if not self._sees_rules:
            rules = rules[:, :0]
        return _OfRules(self._actor.of_rules(rules), self._critic.of_rules(rules))


class _Actor:
    """The actor's layers.

    Args:
        weights: that they have.
    """

    def __init__(self, weights: Weights) -> None:
        arrays = weights.arrays
        names = takewhile(lambda name: f"{name}.weight" in arrays, map(hidden_layer, count()))
        self._hidden = [(_transposed(arrays[f"{name}.weight"]), arrays[f"{name}.bias"][np.newaxis]) for name in names]
        self._last = arrays[f"{LAST}.weight"], arrays[f"{LAST}.bias"]
        self._before_rules = seat_inputs(weights.players).stop  # inputs

    def of_rules(self, rules: _Array) -> _Array:
        """What the first layer makes of (B, R) rulesets, with its biases; without hidden layers they themselves."""
        if not self._hidden:
            return rules
        weights, biases = self._hidden[0]
        return _product(rules, weights[self._before_rules :], biases)

    def probabilities(self, inputs: _Array, games: Games, of_rules: _Array) -> NDArray[np.float64]:
        """(N, A) of all actions, from (N, I) inputs without rulesets."""
        latents, masks = self._latents(inputs, games.ruleset_index, of_rules), games.legal().view(np.bool_)
        found, num_actions = np.empty(masks.shape), masks.shape[1]
        work = np.empty(num_actions, np.int64), np.empty(num_actions, np.float32)
        forward.probabilities(latents, *self._last, masks, *work, found)
        return found

    def _latents(self, inputs: _Array, ruleset_index: NDArray[np.int32], of_rules: _Array) -> _Array:
        """(N, L) what the last hidden layer gives."""
        if not self._hidden:
            return np.hstack([inputs, of_rules[ruleset_index]])
        (weights, _), *others = self._hidden
        latents = _product(inputs, weights[: self._before_rules], of_rules, ruleset_index, rectifies=True)
        for weights, biases in others:
            latents = _product(latents, weights, biases, rectifies=True)
        return latents


class _Critic:
    """The critic's layers, but for what they predict beside who wins.

    Args:
        weights: that they have.
    """

    def __init__(self, weights: Weights) -> None:
        of_critic = {
            name.removeprefix(f"{CRITIC}."): array for name, array in weights.arrays.items() if name.startswith(CRITIC)
        }
        under_way = situation_inputs(weights.players, observe_rules=False)[0]
        situation = _transposed(of_critic["situation_layer.weight"])
        self._starts = seat_inputs(weights.players).start, under_way.start
        self._situation, self._rules = np.split(situation, [under_way.stop - under_way.start])
        self._seat = _transposed(of_critic["seat_layer.weight"]), of_critic["seat_layer.bias"][np.newaxis]
        self._table = _transposed(of_critic["table_layer.weight"])
        self._joint = _transposed(of_critic["joint_layer.weight"])
        self._behind = of_critic["places"]
        self._outcome = of_critic["outcome_layer.weight"][WIN : WIN + 1]
        self._shares = None if weights.team_shares is None else weights.team_shares.astype(np.float64)

    def of_rules(self, rules: _Array) -> _Array:
        """What the layer of the situation makes of (B, R) rulesets."""
        return _product(rules, self._rules, np.zeros((1, self._rules.shape[1]), np.float32))

    def chances(self, inputs: _Array, ruleset_index: NDArray[np.int32], of_rules: _Array) -> NDArray[np.float64]:
        """(N, P) of winning, of the seat that looks first, from (N, I) inputs without rulesets."""
        players, width = self._behind.shape
        scores = np.empty((len(inputs), players), np.float32)
        forward.winning_scores(
            inputs,
            *self._starts,
            ruleset_index,
            of_rules,
            *self._seat,
            self._table,
            self._situation,
            self._joint,
            self._behind,
            self._outcome,
            np.empty(inputs.shape[1] + width, np.int64),
            np.empty((players, width), np.float32),
            np.empty((3, width), np.float32),
            scores,
        )
        of_seats = scores.astype(np.float64)
        if self._shares is not None:
            of_seats = of_seats @ self._shares.T  # the last layer is linear: of means it makes means
        likely = np.exp(of_seats - of_seats.max(axis=1, keepdims=True))
        return likely / likely.sum(axis=1, keepdims=True)


def _product(
    inputs: _Array,
    weights: _Array,
    biases: _Array,
    which: NDArray[np.int32] | None = None,
    rectifies: bool = False,
) -> _Array:
    """(n, O) what a layer makes of (n, I) inputs, with row ``which`` of (B, O) biases; None: the first one."""
    outputs = np.empty((len(inputs), weights.shape[1]), np.float32)
    rows = np.zeros(len(inputs), np.int32) if which is None else which
    forward.layer(inputs, weights, biases, rows, rectifies, np.empty(len(weights), np.int64), outputs)
    return outputs


def _transposed(weight: _Array) -> _Array:
    """(I, O) of a layer."""
    return np.ascontiguousarray(weight.T)
