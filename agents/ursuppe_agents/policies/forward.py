"""What a policy's network makes of games, in compiled code: float32, one position after the other.

So what comes out of a position is the same whatever other ones are asked about with it, to the last digit, which torch
promises of none: it multiplies matrices differently by their sizes. Inputs that are 0 are left out: of the first layer
that is two thirds, of the others the half that has been rectified.

Arrays: n positions, I inputs, O outputs of a layer, W the width of the critic, P players, S features of a seat.

| name | | |
| --- | --- | --- |
| ``inputs`` | (n, I) float32 | of which there may be more than a layer takes: it takes the first ones |
| ``weights`` | (I, O) float32 | of a layer: torch's, transposed |
| ``biases``, ``which`` | (B, O) float32, (n,) int32 | of which row each position gets |
| ``places`` | (I,) int64 | to work in |
"""

import math

import numpy as np

from ursuppe_agents.policies import compiled

_ZERO = np.float32(0.0)


@compiled
def dot(left, left_row, right, right_row):
    """The product of two rows. Eight sums side by side: one alone would wait for each addition."""
    width = left.shape[1]
    a = b = c = d = e = f = g = h = _ZERO
    whole = width - width % 8
    for k in range(0, whole, 8):
        a += left[left_row, k] * right[right_row, k]
        b += left[left_row, k + 1] * right[right_row, k + 1]
        c += left[left_row, k + 2] * right[right_row, k + 2]
        d += left[left_row, k + 3] * right[right_row, k + 3]
        e += left[left_row, k + 4] * right[right_row, k + 4]
        f += left[left_row, k + 5] * right[right_row, k + 5]
        g += left[left_row, k + 6] * right[right_row, k + 6]
        h += left[left_row, k + 7] * right[right_row, k + 7]
    for k in range(whole, width):
        a += left[left_row, k] * right[right_row, k]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))


@compiled
def layer(inputs, weights, biases, which, rectifies, places, outputs):
    """Write what a layer makes of the inputs.

    Args:
        inputs: as all up to ``which`` in the module's table.
        weights: as above.
        biases: as above.
        which: as above.
        rectifies: negative outputs become 0.
        places: as above.
        outputs: (n, O) float32, written.
    """
    for row in range(len(inputs)):
        for k in range(outputs.shape[1]):
            outputs[row, k] = biases[which[row], k]
        _add_product(inputs, row, 0, weights, places, outputs, row)
        if rectifies:
            _rectify(outputs, row)


@compiled
def winning_scores(
    inputs,
    first_seat,
    first_of_situation,
    which,
    of_rulesets,
    seat_weights,
    seat_biases,
    table_weights,
    situation_weights,
    joint_weights,
    behind,
    outcome_weights,
    places,
    seats,
    rows,
    scores,
):
    """Write how the critic (``seat_critic``) scores each seat's chances of winning, but for a team's mean.

    Args:
        inputs: as in the module's table.
        first_seat: where they have the features of the seats.
        first_of_situation: where they have the situation, but for the ruleset.
        which: as above, of ``of_rulesets``.
        of_rulesets: (B, W) float32 what the rulesets add to the situation.
        seat_weights: (S, W) float32, of the layer of a seat.
        seat_biases: (1, W) float32, of the same.
        table_weights: (W, W) float32, of the mean of all seats.
        situation_weights: (T, W) float32, of the situation but for the ruleset.
        joint_weights: (W, W) float32, of a seat together with that.
        behind: (P, W) float32, of how far a seat is behind the one that looks.
        outcome_weights: (1, W) float32, of the last layer.
        places: as above.
        seats: (P, W) float32 to work in.
        rows: (3, W) float32 to work in.
        scores: (n, P) float32 but for the last layer's bias, written.
    """
    players, width = seats.shape
    mean, table, joint = 0, 1, 2
    for row in range(len(inputs)):
        for k in range(width):
            rows[mean, k] = _ZERO
            rows[table, k] = of_rulesets[which[row], k]
        for seat in range(players):
            for k in range(width):
                seats[seat, k] = seat_biases[0, k]
            start = first_seat + seat * len(seat_weights)
            _add_product(inputs, row, start, seat_weights, places, seats, seat)
            _rectify(seats, seat)
            for k in range(width):
                rows[mean, k] += seats[seat, k] / np.float32(players)
        _add_product(inputs, row, first_of_situation, situation_weights, places, rows, table)
        _add_product(rows, mean, 0, table_weights, places, rows, table)
        for seat in range(players):
            for k in range(width):
                rows[joint, k] = rows[table, k] + behind[seat, k]
            _add_product(seats, seat, 0, joint_weights, places, rows, joint)
            _rectify(rows, joint)
            scores[row, seat] = dot(rows, joint, outcome_weights, 0)


@compiled
def _add_product(inputs, row, start, weights, places, outputs, to):
    """Add the product of the inputs of a row, from a place on, and the weights to a row of outputs.

    Eight inputs at a time: sums are read and written an eighth as often.
    """
    found = 0
    for k in range(len(weights)):
        places[found] = k
        found += inputs[row, start + k] != _ZERO  # without a branch, which would be mispredicted
    whole = found - found % 8
    for j in range(0, whole, 8):
        a, b, c, d = places[j], places[j + 1], places[j + 2], places[j + 3]
        e, f, g, h = places[j + 4], places[j + 5], places[j + 6], places[j + 7]
        of_a, of_b, of_c, of_d = (
            inputs[row, start + a],
            inputs[row, start + b],
            inputs[row, start + c],
            inputs[row, start + d],
        )
        of_e, of_f, of_g, of_h = (
            inputs[row, start + e],
            inputs[row, start + f],
            inputs[row, start + g],
            inputs[row, start + h],
        )
        for k in range(weights.shape[1]):
            first = (of_a * weights[a, k] + of_b * weights[b, k]) + (of_c * weights[c, k] + of_d * weights[d, k])
            second = (of_e * weights[e, k] + of_f * weights[f, k]) + (of_g * weights[g, k] + of_h * weights[h, k])
            outputs[to, k] += first + second
    for j in range(whole, found):
        a = places[j]
        of_a = inputs[row, start + a]
        for k in range(weights.shape[1]):
            outputs[to, k] += of_a * weights[a, k]


@compiled
def _rectify(outputs, row):
    """Make what is negative in a row 0."""
    for k in range(outputs.shape[1]):
        outputs[row, k] = max(outputs[row, k], _ZERO)


@compiled
def legal_logits(row, latents, weights, biases, masks, legal, logits):
    """Write the legal actions of a position and their logits; how many there are."""
    count = 0
    for action in range(masks.shape[1]):
        if masks[row, action]:
            legal[count] = action
            logits[count] = dot(latents, row, weights, action) + biases[action]
            count += 1
    return count


@compiled
def probabilities(latents, weights, biases, masks, legal, logits, out):
    """Write how likely each action is, 0 where it is illegal.

    Args:
        latents: as all up to ``masks`` in the module's table.
        weights: as above.
        biases: as above.
        masks: as above.
        legal: (A,) int64 to work in.
        logits: (A,) float32 to work in.
        out: (n, A) float64, written.
    """
    for row in range(len(latents)):
        count = legal_logits(row, latents, weights, biases, masks, legal, logits)
        for action in range(masks.shape[1]):
            out[row, action] = 0.0
        largest = logits[0]
        for k in range(1, count):
            largest = max(largest, logits[k])
        total = 0.0
        for k in range(count):
            out[row, legal[k]] = math.exp(np.float64(logits[k]) - np.float64(largest))
            total += out[row, legal[k]]
        for k in range(count):
            out[row, legal[k]] /= total
