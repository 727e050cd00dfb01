"""The last layer of the critic in compiled code: the gradients of its losses.

The mathematics is that of ``ursuppe_training.networks.seat_critic`` (a test compares the gradients with torch's), in
float32 whatever the precision of the layers before it.
"""

import math

import numpy as np

from ursuppe_agents.policies.forward import dot
from ursuppe_agents.policies.weights import KINDS, WIN
from ursuppe_training.compilation import compiled

_NUM_KINDS = len(KINDS)
_ZERO = np.float32(0.0)
_TWO = np.float32(2.0)


@compiled
def outcome_gradients(
    latents, weights, biases, returns, weights_of_rewards, share, of_scores, of_latents, of_weights, of_biases
):
    """The gradients of the critic's losses (``critic_losses``).

    Args:
        latents: (n * P, W) float32 what the layers before make of each seat.
        weights: (3, W) float32 of the layer of scores.
        biases: (3,) float32 of it.
        returns: (n, P, 3) float32 what is learned.
        weights_of_rewards: (3,) float32 of the losses of rewards; that of winning has 1.
        share: float32 that each position has in the mean of the minibatch.
        of_scores: (P, 3) float32 to work in.
        of_latents: (n * P, W) float32 gradients, written.
        of_weights: (3, W) float32 gradients, added to.
        of_biases: (3,) float32 gradients, added to.

    Returns:
        The losses, summed over the positions.
    """
    players, width = returns.shape[1], latents.shape[1]
    loss = 0.0
    for row in range(len(returns)):
        first = row * players
        for seat in range(players):
            for kind in range(_NUM_KINDS):
                of_scores[seat, kind] = dot(latents, first + seat, weights, kind) + biases[kind]
        loss += _of_chances(of_scores, returns[row], share)
        for kind in range(_NUM_KINDS):
            if kind != WIN:
                loss += _of_rewards(of_scores, returns[row], kind, weights_of_rewards[kind], share)
        for seat in range(players):
            for k in range(width):
                of_latents[first + seat, k] = _ZERO
            for kind in range(_NUM_KINDS):
                gradient = of_scores[seat, kind]
                of_biases[kind] += gradient
                for k in range(width):
                    of_latents[first + seat, k] += gradient * weights[kind, k]
                    of_weights[kind, k] += gradient * latents[first + seat, k]
    return loss


@compiled
def _of_chances(scores, returns, share):
    """Put the gradients of the cross-entropy of the chances of winning in the place of their scores; the loss."""
    players = len(scores)
    largest = scores[0, WIN]
    for seat in range(1, players):
        largest = max(largest, scores[seat, WIN])
    total = _ZERO
    of_all = _ZERO
    for seat in range(players):
        total += math.exp(scores[seat, WIN] - largest)
        of_all += returns[seat, WIN]
    shift = largest + math.log(total)
    loss = _ZERO
    for seat in range(players):
        log_chance = scores[seat, WIN] - shift
        loss -= returns[seat, WIN] * log_chance
        scores[seat, WIN] = (of_all * math.exp(log_chance) - returns[seat, WIN]) * share
    return loss


@compiled
def _of_rewards(scores, returns, kind, weight, share):
    """Put the gradients of the squared errors of a reward in the place of its scores; the loss."""
    players = len(scores)
    mean = _ZERO
    for seat in range(players):
        mean += scores[seat, kind]
    mean /= players
    errors = _ZERO
    loss = _ZERO
    for seat in range(players):
        error = scores[seat, kind] - mean - returns[seat, kind]
        scores[seat, kind] = error
        errors += error
        loss += error * error
    for seat in range(players):
        scores[seat, kind] = _TWO * weight / players * (scores[seat, kind] - errors / players) * share
    return weight * loss / players
