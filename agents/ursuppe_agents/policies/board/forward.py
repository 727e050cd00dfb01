"""The network of ``weights.py`` in compiled code: float32, one position after the other.

What comes out of a position is therefore the same, to the last digit, whatever other ones are asked about with it.
Inputs that are 0 are left out: half of all activations, and most features. Only those spaces get messages on which
amoebas stand or which an action concerns.

Loops over the outputs of a layer are ``LANES`` times as long as a tuple: its length is part of its type, and so known
when the loop is compiled, which makes it several times as fast.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.policies.board.compilation import compiled
from ursuppe_agents.policies.board.effects import NUM_EFFECTS
from ursuppe_agents.policies.board.inputs import (
    NOWHERE,
    NUM_GENE_NUMBERS,
    NUM_RELATIONS,
)
from ursuppe_agents.policies.board.weights import LANES, NUM_GROUPS, Widths
from ursuppe_agents.policies.board_features import NEXT_TO
from ursuppe_env.rules.board import NUM_SPACES, Direction
from ursuppe_env.rules.ruleset import MAX_AMOEBAS, MAX_PLAYERS

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_STAY = int(Direction.STAY)
_LONGEST = 1024  # inputs of any layer
#: Sums of tokens are made smaller by these, so that they begin about as large as one token.
AMOEBAS_OF_SEAT, SPACES = np.float32(1 / 4), np.float32(1 / 8)


class Layers(NamedTuple):
    """The weights by their names; vectors are matrices of one row, and what amoebas get is one layer."""

    seat: NDArray[np.float32]
    seat_behind: NDArray[np.float32]
    space: NDArray[np.float32]
    space_bias: NDArray[np.float32]
    space_relations: NDArray[np.float32]
    message: NDArray[np.float32]
    message_bias: NDArray[np.float32]
    amoeba: NDArray[np.float32]
    amoeba_bias: NDArray[np.float32]
    amoeba_seat: NDArray[np.float32]
    joint: NDArray[np.float32]
    joint_bias: NDArray[np.float32]
    situation: NDArray[np.float32]
    context_bias: NDArray[np.float32]
    rules: NDArray[np.float32]  # (B, context) what the batch's rulesets add to the context
    context: NDArray[np.float32]
    verb: NDArray[np.float32]
    item: NDArray[np.float32]
    action_context: NDArray[np.float32]
    action: NDArray[np.float32]
    score: NDArray[np.float32]
    score_bias: NDArray[np.float32]
    logit: NDArray[np.float32]
    outcome_seat: NDArray[np.float32]
    outcome_context: NDArray[np.float32]
    outcome_bias: NDArray[np.float32]
    outcome: NDArray[np.float32]
    outcome_last_bias: NDArray[np.float32]


class Activations(NamedTuple):
    """What the layers make of one position."""

    seats: NDArray[np.float32]  # (P, token)
    relations: NDArray[np.float32]  # (P, NUM_RELATIONS * token) what a seat sends to the spaces
    owners: NDArray[np.float32]  # (P, token) and to its amoebas
    spaces: NDArray[np.float32]  # (19, token) before messages
    answered: NDArray[np.float32]  # (20, token) after them; the last one is 0
    is_answered: NDArray[np.bool_]  # (20,)
    amoeba: NDArray[np.float32]  # (1, token)
    joint: NDArray[np.float32]  # (P, token)
    context: NDArray[np.float32]  # (1, context)
    action_context: NDArray[np.float32]  # (1, action)
    action: NDArray[np.float32]  # (1, action)
    score: NDArray[np.float32]  # (1, score)
    outcome_context: NDArray[np.float32]  # (1, outcome)
    outcome: NDArray[np.float32]  # (1, outcome)
    joined: NDArray[np.float32]  # (1, longest) several inputs side by side
    places: NDArray[np.int64]  # (longest,) of inputs that are not 0
    values: NDArray[np.float32]  # (longest,) these inputs


class Lanes(NamedTuple):
    """A tuple for each width, with an entry for each ``LANES`` outputs."""

    token: tuple[int, ...]
    relations: tuple[int, ...]
    context: tuple[int, ...]
    action: tuple[int, ...]
    score: tuple[int, ...]
    outcome: tuple[int, ...]


def lanes_of(widths: Widths) -> Lanes:
    """Those for layers of these widths."""
    sizes = widths.token, widths.token * NUM_RELATIONS, widths.context, widths.action, widths.score, widths.outcome
    return Lanes(*((0,) * (size // LANES) for size in sizes))


def new_activations(widths: Widths) -> Activations:
    """Memory for one position."""
    token = widths.token

    def zeros(*shape: int) -> NDArray[np.float32]:
        return np.zeros(shape, np.float32)

    return Activations(
        zeros(MAX_PLAYERS, token),
        zeros(MAX_PLAYERS, NUM_RELATIONS * token),
        zeros(MAX_PLAYERS, token),
        zeros(NUM_SPACES, token),
        zeros(NUM_SPACES + 1, token),
        np.zeros(NUM_SPACES + 1, np.bool_),
        zeros(1, token),
        zeros(MAX_PLAYERS, token),
        zeros(1, widths.context),
        zeros(1, widths.action),
        zeros(1, widths.action),
        zeros(1, widths.score),
        zeros(1, widths.outcome),
        zeros(1, widths.outcome),
        zeros(1, _LONGEST),
        np.zeros(_LONGEST, np.int64),
        np.zeros(_LONGEST, np.float32),
    )


@compiled
def forward(inputs, layers, work, lanes, critic, logits, scores):
    """Write the logit of each legal action and, if asked for, what the critic says of each seat.

    Args:
        inputs: ``BoardInputs`` of n positions.
        layers: of the network.
        work: ``Activations``.
        lanes: ``lanes_of`` the widths of the layers.
        critic: ask the critic?
        logits: (M,) float32, written.
        scores: (n, P, 3) float32, written: of winning, whose softmax over the seats is the chance; rank; margin.
    """
    for row in range(len(inputs.current)):
        _seats(inputs, row, layers, work, lanes)
        _spaces(inputs, row, layers, work, lanes)
        _amoebas(inputs, row, layers, work, lanes)
        _context(inputs, row, layers, work, lanes)
        _actions(inputs, row, layers, work, lanes, logits)
        if critic:
            _outcomes(inputs, row, layers, work, lanes, scores)


@compiled
def _set(outputs, to, values, row, lanes):
    for k in range(LANES * len(lanes)):
        outputs[to, k] = values[row, k]


@compiled
def _clip(outputs, to, lanes):
    for k in range(LANES * len(lanes)):
        outputs[to, k] = min(max(outputs[to, k], _ZERO), _ONE)


@compiled
def _add_product(inputs, row, weights, places, values, outputs, to, lanes):
    """Add the product of the first inputs of a row and the weights to a row of outputs.

    Eight inputs at a time: sums are read and written an eighth as often.
    """
    found = 0
    for k in range(len(weights)):
        places[found] = k
        values[found] = inputs[row, k]
        found += inputs[row, k] != _ZERO  # without a branch, which would be mispredicted
    for j in range(found, found + 7):
        places[j] = 0
        values[j] = _ZERO
    for j in range(0, found, 8):
        a, b, c, d = places[j], places[j + 1], places[j + 2], places[j + 3]
        e, f, g, h = places[j + 4], places[j + 5], places[j + 6], places[j + 7]
        of_a, of_b, of_c, of_d = values[j], values[j + 1], values[j + 2], values[j + 3]
        of_e, of_f, of_g, of_h = values[j + 4], values[j + 5], values[j + 6], values[j + 7]
        for k in range(LANES * len(lanes)):
            first = (of_a * weights[a, k] + of_b * weights[b, k]) + (of_c * weights[c, k] + of_d * weights[d, k])
            second = (of_e * weights[e, k] + of_f * weights[f, k]) + (of_g * weights[g, k] + of_h * weights[h, k])
            outputs[to, k] += first + second


@compiled
def _layer(start, start_row, inputs, row, weights, places, values, outputs, to, lanes):
    """Write a layer's clipped outputs into a row: a row to start from, and the product with the first inputs."""
    _set(outputs, to, start, start_row, lanes)
    _add_product(inputs, row, weights, places, values, outputs, to, lanes)
    _clip(outputs, to, lanes)


@compiled
def _seats(inputs, row, layers, work, lanes):
    features = inputs.seats[row]
    for seat in range(len(features)):
        _layer(
            layers.seat_behind,
            seat,
            features,
            seat,
            layers.seat,
            work.places,
            work.values,
            work.seats,
            seat,
            lanes.token,
        )
        for k in range(LANES * len(lanes.relations)):
            work.relations[seat, k] = _ZERO
        _add_product(
            work.seats, seat, layers.space_relations, work.places, work.values, work.relations, seat, lanes.relations
        )


@compiled
def _spaces(inputs, row, layers, work, lanes):
    """Spaces before messages."""
    features, relations = inputs.spaces[row], inputs.relations[row]
    for space in range(NUM_SPACES):
        work.is_answered[space] = False
        _set(work.spaces, space, layers.space_bias, space, lanes.token)
        _add_product(features, space, layers.space, work.places, work.values, work.spaces, space, lanes.token)
        for seat in range(relations.shape[1]):
            for relation in range(relations.shape[2]):
                weight = relations[space, seat, relation]
                if weight != _ZERO:
                    start = relation * LANES * len(lanes.token)
                    for k in range(LANES * len(lanes.token)):
                        work.spaces[space, k] += weight * work.relations[seat, start + k]
        _clip(work.spaces, space, lanes.token)


@compiled
def _answer(space, current, spaces, message, bias, joined, places, values, answered, is_answered, lanes):
    """The space after messages, computed when it is first needed.

    It is given arrays and not the tuples that hold them: those are passed one by one, which takes longer than this.
    """
    if is_answered[space] or space == NOWHERE:
        return
    is_answered[space] = True
    width = LANES * len(lanes)
    to = NEXT_TO[space, current]
    for k in range(LANES * len(lanes)):
        joined[0, k] = spaces[space, k]
        joined[0, width + k] = _ZERO
        joined[0, 2 * width + k] = spaces[to, k]
        joined[0, 3 * width + k] = _ZERO
    for direction in range(_STAY):
        beside = NEXT_TO[space, direction]
        if beside != space:
            for k in range(LANES * len(lanes)):
                joined[0, width + k] += spaces[beside, k]
    for other in range(NUM_SPACES):
        if NEXT_TO[other, current] == space:
            for k in range(LANES * len(lanes)):
                joined[0, 3 * width + k] += spaces[other, k]
    _layer(bias, 0, joined, 0, message, places, values, answered, space, lanes)


@compiled
def _amoebas(inputs, row, layers, work, lanes):
    """The amoebas, and the seats with theirs."""
    features = inputs.amoebas[row]
    width, num_features = LANES * len(lanes.token), features.shape[2]
    for seat in range(len(features)):
        _set(work.owners, seat, layers.amoeba_bias, 0, lanes.token)
        _add_product(work.seats, seat, layers.amoeba_seat, work.places, work.values, work.owners, seat, lanes.token)
        for k in range(LANES * len(lanes.token)):
            work.joint[seat, k] = _ZERO  # the sum, until it is done
        for amoeba in range(MAX_AMOEBAS):
            space = inputs.amoeba_space[row, seat, amoeba]
            if space == NOWHERE:
                continue
            _answer(
                space,
                inputs.current[row],
                work.spaces,
                layers.message,
                layers.message_bias,
                work.joined,
                work.places,
                work.values,
                work.answered,
                work.is_answered,
                lanes.token,
            )
            for k in range(num_features):
                work.joined[0, k] = features[seat, amoeba, k]
            for k in range(LANES * len(lanes.token)):
                work.joined[0, num_features + k] = work.answered[space, k]
            _layer(
                work.owners,
                seat,
                work.joined,
                0,
                layers.amoeba,
                work.places,
                work.values,
                work.amoeba,
                0,
                lanes.token,
            )
            for k in range(LANES * len(lanes.token)):
                work.joint[seat, k] += work.amoeba[0, k]
        for k in range(LANES * len(lanes.token)):
            work.joined[0, k] = work.seats[seat, k]
            work.joined[0, width + k] = work.joint[seat, k] * AMOEBAS_OF_SEAT
        _layer(
            layers.joint_bias,
            0,
            work.joined,
            0,
            layers.joint,
            work.places,
            work.values,
            work.joint,
            seat,
            lanes.token,
        )


@compiled
def _context(inputs, row, layers, work, lanes):
    width, joined = LANES * len(lanes.token), work.joined
    space = inputs.acting_space[row]
    _answer(
        space,
        inputs.current[row],
        work.spaces,
        layers.message,
        layers.message_bias,
        work.joined,
        work.places,
        work.values,
        work.answered,
        work.is_answered,
        lanes.token,
    )
    for k in range(NUM_GROUPS * width):
        joined[0, k] = _ZERO
    for seat in range(inputs.seats.shape[1]):
        start = inputs.relation_of_seat[row, seat] * width
        for k in range(LANES * len(lanes.token)):
            joined[0, start + k] += work.joint[seat, k]
    start = NUM_GROUPS * width
    for k in range(LANES * len(lanes.token)):
        joined[0, start + k] = work.answered[space, k]
        joined[0, start + width + k] = _ZERO
    for other in range(NUM_SPACES):
        for k in range(LANES * len(lanes.token)):
            joined[0, start + width + k] += work.spaces[other, k] * SPACES
    _set(work.context, 0, layers.rules, inputs.ruleset[row], lanes.context)
    _add_product(inputs.situation, row, layers.situation, work.places, work.values, work.context, 0, lanes.context)
    _add_product(joined, 0, layers.context, work.places, work.values, work.context, 0, lanes.context)
    _clip(work.context, 0, lanes.context)


@compiled
def _actions(inputs, row, layers, work, lanes, logits):
    width, joined, action = LANES * len(lanes.token), work.joined, work.action
    for k in range(LANES * len(lanes.action)):
        work.action_context[0, k] = _ZERO
    _add_product(work.context, 0, layers.action_context, work.places, work.values, work.action_context, 0, lanes.action)
    for place in range(inputs.first[row], inputs.first[row + 1]):
        space, verb, item = inputs.space[place], inputs.verb[place], inputs.item[place]
        _answer(
            space,
            inputs.current[row],
            work.spaces,
            layers.message,
            layers.message_bias,
            work.joined,
            work.places,
            work.values,
            work.answered,
            work.is_answered,
            lanes.token,
        )
        for k in range(LANES * len(lanes.token)):
            joined[0, k] = work.answered[space, k]
            joined[0, width + k] = _ZERO
            joined[0, 2 * width + k] = _ZERO
        for seat in range(inputs.seats.shape[1]):
            target, meal = inputs.targets[place, seat], inputs.meal[place, seat]
            if target != _ZERO or meal != _ZERO:
                for k in range(LANES * len(lanes.token)):
                    joined[0, width + k] += target * work.joint[seat, k]
                    joined[0, 2 * width + k] += meal * work.joint[seat, k]
        start = 3 * width
        for k in range(NUM_GENE_NUMBERS):
            joined[0, start + k] = inputs.gene_numbers[place, k]
        start += NUM_GENE_NUMBERS
        for k in range(NUM_EFFECTS):
            joined[0, start + k] = inputs.effects[place, k]
        for k in range(LANES * len(lanes.action)):
            action[0, k] = work.action_context[0, k] + layers.verb[verb, k] + layers.item[item, k]
        _add_product(joined, 0, layers.action, work.places, work.values, action, 0, lanes.action)
        _clip(action, 0, lanes.action)
        _layer(layers.score_bias, 0, action, 0, layers.score, work.places, work.values, work.score, 0, lanes.score)
        logits[place] = _dot(work.score, layers.logit, 0)


@compiled
def _outcomes(inputs, row, layers, work, lanes, scores):
    outcome = work.outcome
    _set(work.outcome_context, 0, layers.outcome_bias, 0, lanes.outcome)
    _add_product(
        work.context, 0, layers.outcome_context, work.places, work.values, work.outcome_context, 0, lanes.outcome
    )
    for seat in range(inputs.seats.shape[1]):
        _layer(
            work.outcome_context,
            0,
            work.joint,
            seat,
            layers.outcome_seat,
            work.places,
            work.values,
            outcome,
            0,
            lanes.outcome,
        )
        for kind in range(scores.shape[2]):
            scores[row, seat, kind] = layers.outcome_last_bias[0, kind] + _dot(outcome, layers.outcome, kind)


@compiled
def _dot(values, weights, to):
    total = _ZERO
    for k in range(weights.shape[1]):
        total += values[0, k] * weights[to, k]
    return total


@compiled
def write_probabilities(first, actions, logits, probabilities):
    """Write how likely each action is.

    Args:
        first: (n + 1,) where the actions of each position begin.
        actions: (M,) of all positions.
        logits: (M,) float32 of them.
        probabilities: (n, A) float64, 0 before, written where an action is legal.
    """
    for row in range(len(probabilities)):
        largest, total = logits[first[row]], 0.0
        for place in range(first[row], first[row + 1]):
            largest = max(largest, logits[place])
        for place in range(first[row], first[row + 1]):
            likely = math.exp(np.float64(logits[place]) - np.float64(largest))
            probabilities[row, actions[place]] = likely
            total += likely
        for place in range(first[row], first[row + 1]):
            probabilities[row, actions[place]] /= total
