"""The last layer of the actor in compiled code: what is drawn from it, and the gradients of its losses.

Of 151 actions five are legal on average. The layer that gives each action its logit is computed for these alone, in
float32 whatever the precision of the layers before it; so are the losses and, by hand, their gradients. The mathematics
is that of ``ActorCritic`` and of MaskablePPO (a test compares the gradients with torch's).

Arrays: n positions, L the width of the last hidden layer, A actions.

| name | | |
| --- | --- | --- |
| ``latents`` | (n, L) float32 | what the actor's last hidden layer gives |
| ``weights``, ``biases`` | (A, L), (A,) float32 | of the layer of logits |
| ``masks`` | (n, A) bool | which actions are legal, at least one |
"""

import math

import numpy as np

from ursuppe_agents.policies.forward import legal_logits
from ursuppe_training.compilation import compiled

#: What ``ppo_gradients`` adds up over its positions.
POLICY_LOSS, ENTROPY, KL, CLIPPED = range(4)
NUM_SUMS = 4

_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)


@compiled
def _legal_log_probs(row, latents, weights, biases, masks, legal, log_probs):
    """Write the legal actions of a position and their log-probabilities; how many there are."""
    count = legal_logits(row, latents, weights, biases, masks, legal, log_probs)
    largest = log_probs[0]
    for k in range(1, count):
        largest = max(largest, log_probs[k])
    total = _ZERO
    for k in range(count):
        total += math.exp(log_probs[k] - largest)
    shift = largest + math.log(total)
    for k in range(count):
        log_probs[k] -= shift
    return count


@compiled
def draw(latents, weights, biases, masks, uniforms, legal, work, actions, log_probs):
    """Draw an action in each position.

    Args:
        latents: as all up to ``masks`` in the module's table.
        weights: as above.
        biases: as above.
        masks: as above.
        uniforms: (n,) float32 in [0, 1), what is drawn by.
        legal: (A,) int64 to work in.
        work: (A,) float32 to work in.
        actions: (n,) int64, written.
        log_probs: (n,) float32 of the actions, written.
    """
    for row in range(len(latents)):
        count = _legal_log_probs(row, latents, weights, biases, masks, legal, work)
        reached = _ZERO
        chosen = count - 1
        for k in range(count):
            reached += math.exp(work[k])
            if uniforms[row] < reached:
                chosen = k
                break
        actions[row] = legal[chosen]
        log_probs[row] = work[chosen]


@compiled
def _add_gradients(row, count, legal, of_logits, latents, weights, of_latents, of_weights, of_biases):
    """Add what the gradients of a position's logits are to the layer before and to the weights."""
    width = latents.shape[1]
    for k in range(width):
        of_latents[row, k] = _ZERO
    for j in range(count):
        action, gradient = legal[j], of_logits[j]
        of_biases[action] += gradient
        for k in range(width):
            of_latents[row, k] += gradient * weights[action, k]
            of_weights[action, k] += gradient * latents[row, k]


@compiled
def ppo_gradients(
    latents,
    weights,
    biases,
    masks,
    actions,
    old_log_probs,
    advantages,
    clip_range,
    entropy_weight,
    share,
    legal,
    log_probs,
    of_logits,
    of_latents,
    of_weights,
    of_biases,
    sums,
):
    """The gradients of PPO's clipped loss, less the bonus for entropy.

    Args:
        latents: as all up to ``masks`` in the module's table.
        weights: as above.
        biases: as above.
        masks: as above.
        actions: (n,) int64 that were taken.
        old_log_probs: (n,) float32 of them, when they were drawn.
        advantages: (n,) float32, normalised.
        clip_range: float32, of the ratio of probabilities.
        entropy_weight: float32.
        share: float32 that each position has in the mean of the minibatch.
        legal: (A,) int64 to work in.
        log_probs: (A,) float32 to work in.
        of_logits: (A,) float32 to work in.
        of_latents: (n, L) float32 gradients, written.
        of_weights: (A, L) float32 gradients, added to.
        of_biases: (A,) float32 gradients, added to.
        sums: (NUM_SUMS,) float64 of the losses over the positions, added to.
    """
    for row in range(len(latents)):
        count = _legal_log_probs(row, latents, weights, biases, masks, legal, log_probs)
        taken = 0
        entropy = _ZERO
        for k in range(count):
            if legal[k] == actions[row]:
                taken = k
            entropy -= math.exp(log_probs[k]) * log_probs[k]
        log_ratio = log_probs[taken] - old_log_probs[row]
        ratio = math.exp(log_ratio)
        advantage = advantages[row]
        clipped = min(max(ratio, _ONE - clip_range), _ONE + clip_range)
        is_clipped = advantage * clipped < advantage * ratio  # then the ratio has no influence
        of_taken = _ZERO if is_clipped else -advantage * ratio * share
        for k in range(count):
            probability = math.exp(log_probs[k])
            of_entropy = probability * (log_probs[k] + entropy)
            of_logits[k] = entropy_weight * share * of_entropy - of_taken * probability
        of_logits[taken] += of_taken
        _add_gradients(row, count, legal, of_logits, latents, weights, of_latents, of_weights, of_biases)

        sums[POLICY_LOSS] -= min(advantage * ratio, advantage * clipped)
        sums[ENTROPY] += entropy
        sums[KL] += ratio - _ONE - log_ratio
        sums[CLIPPED] += abs(ratio - _ONE) > clip_range


@compiled
def cloning_gradients(
    latents, weights, biases, masks, actions, share, legal, log_probs, of_latents, of_weights, of_biases
):
    """The gradients of the cross-entropy of actions that somebody else took.

    Args:
        latents: as all up to ``masks`` in the module's table.
        weights: as above.
        biases: as above.
        masks: as above.
        actions: (n,) int64 that were taken.
        share: float32 that each position has in the mean of the minibatch.
        legal: (A,) int64 to work in.
        log_probs: (A,) float32 to work in.
        of_latents: (n, L) float32 gradients, written.
        of_weights: (A, L) float32 gradients, added to.
        of_biases: (A,) float32 gradients, added to.
    """
    for row in range(len(latents)):
        count = _legal_log_probs(row, latents, weights, biases, masks, legal, log_probs)
        for k in range(count):
            gradient = math.exp(log_probs[k]) * share
            log_probs[k] = gradient - share if legal[k] == actions[row] else gradient
        _add_gradients(row, count, legal, log_probs, latents, weights, of_latents, of_weights, of_biases)
