"""The weights of a policy for another number of players, for a training that begins with them.

Most of what a policy has learned holds at any table: spaces, genes, the ruleset, oneself. Where it has weights for each
of the others, these are thought of as sitting along an arc that is cut into more or fewer equal pieces: a seat gets of
each one before as much as their pieces overlap. What is summed over the others, such as their cubes, keeps its whole
weight; what is true of one of them, such as whose turn it is, and the actions that name one, are averaged.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board_features import num_board_features
from ursuppe_agents.policies.inputs import num_inputs, situation_inputs
from ursuppe_agents.policies.seat_features import NUM_SEAT_FEATURES
from ursuppe_env import Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.observation.layout import parts_of
from ursuppe_env.rules.actions import FIRST_START
from ursuppe_env.rules.board import NUM_SPACES
from ursuppe_env.rules.meals import ALL_MEALS
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_training.networks.actor_critic import ActorCritic

with extra("train"):
    import torch
    from scipy.linalg import block_diag  # type: ignore[import-untyped]
    from torch import nn

_Matrix = NDArray[np.floating[Any]]


def carry_weights(policy: ActorCritic, before: int, into: ActorCritic, players: int, observe_rules: bool) -> None:
    """Give a policy the weights of one for another number of players, as far as they can mean the same there.

    Args:
        policy: with the weights.
        before: how many players it is for.
        into: with layers of the same widths; its weights are overwritten.
        players: how many it is for.
        observe_rules: whether both see the ruleset.
    """
    of_inputs = _of_inputs(before, players, observe_rules)
    of_actions = _of_actions(before, players)
    weights: dict[str, Any] = policy.state_dict()

    def change(name: str, make: Callable[[_Matrix], _Matrix]) -> None:
        weights[name] = torch.from_numpy(make(weights[name].double().cpu().numpy())).float()

    first = next((layer for layer in policy.actor if isinstance(layer, nn.Linear)), policy.action_net)
    name_of = {module: name for name, module in policy.named_modules()}
    change(f"{name_of[first]}.weight", lambda weight: weight @ of_inputs.T)
    change("action_net.weight", lambda weight: of_actions @ weight)
    change("action_net.bias", lambda bias: of_actions @ bias)
    critic = name_of[policy.critic]
    rows, columns = (_indices(situation_inputs(number, observe_rules)) for number in (players, before))
    of_situation = of_inputs[np.ix_(rows, columns)]
    change(f"{critic}.situation_layer.weight", lambda weight: weight @ of_situation.T)
    change(f"{critic}.places", lambda places: _averages(before, players) @ places)
    into.load_state_dict(weights)


def _overlaps(before: int, players: int) -> _Matrix:
    """(players, before) how much of its piece of the arc each seat shares with each seat before; oneself is apart."""
    ends_before, ends = (np.arange(number) / (number - 1) for number in (before, players))
    begin = np.maximum(ends[:-1, np.newaxis], ends_before[:-1])
    end = np.minimum(ends[1:, np.newaxis], ends_before[1:])
    return block_diag(1.0, np.maximum(end - begin, 0))


def _shares(before: int, players: int) -> _Matrix:
    """(players, before) of the weight of each seat before, the share of each seat: columns sum to 1."""
    overlaps = _overlaps(before, players)
    return overlaps / overlaps.sum(axis=0)


def _averages(before: int, players: int) -> _Matrix:
    """(players, before) of which mean of the seats before a seat is: rows sum to 1."""
    overlaps = _overlaps(before, players)
    return overlaps / overlaps.sum(axis=1, keepdims=True)


def _of_inputs(before: int, players: int, observe_rules: bool) -> _Matrix:
    """(I, I before) the weight of each input, of those before."""
    shares, averages = _shares(before, players), _averages(before, players)
    blocks: list[_Matrix] = []
    for part, part_before in zip(parts_of(players), parts_of(before), strict=True):
        if part.shape == part_before.shape:
            blocks.append(np.eye(part.size))
            continue
        is_flag = len(part.shape) == 1 and part.bounds(Ruleset(players=players)) == (0, 1)
        blocks.append(np.kron(averages if is_flag else shares, np.eye(part.size // players)))
    viewed = (num_board_features(players) - NUM_SPACES) // (2 * players + 1)
    of_colours = np.kron(shares, np.eye(viewed))
    rules = num_inputs(players, observe_rules) - num_inputs(players, False)
    blocks += [np.eye(NUM_SPACES), of_colours, of_colours, np.eye(viewed)]
    blocks += [np.kron(shares, np.eye(NUM_SEAT_FEATURES)), np.eye(rules)]
    return block_diag(*blocks)


def _of_actions(before: int, players: int) -> _Matrix:
    """(A, A before) the weight of each action, of those before."""
    averages = _averages(before, players)
    start = carry = tap = averages
    attack = np.kron(averages, np.eye(MAX_AMOEBAS))
    return block_diag(np.eye(FIRST_START), start, carry, tap, attack, _of_meals(before, players))


def _of_meals(before: int, players: int) -> _Matrix:
    """(M, M before) each meal is the mean of those of as many cubes, or as nearly as there were."""
    cubes, cubes_before = (np.array([sum(meal) for meal in ALL_MEALS[number]]) for number in (players, before))
    is_alike = cubes.clip(cubes_before.min(), cubes_before.max())[:, np.newaxis] == cubes_before
    return is_alike / is_alike.sum(axis=1, keepdims=True)


def _indices(slices: list[slice]) -> NDArray[np.int64]:
    return np.concatenate([np.arange(part.start, part.stop) for part in slices])
