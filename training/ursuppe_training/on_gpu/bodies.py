"""What one thread of a GPU does while a policy learns, where the processor has a way of its own: inputs, and what the
networks choose.

Like ``ursuppe_env.cuda.bodies``: a row is handed to the loops of the processor as a slice of one.
"""

import numpy as np

from ursuppe_agents.policies.board_features import fill_board_features
from ursuppe_agents.policies.seat_features import fill_seat_features
from ursuppe_agents.search.value import collect_features
from ursuppe_env.rules.actions import NO_ACTION
from ursuppe_training.kernels import seating
from ursuppe_training.kernels.bodies import NONE
from ursuppe_training.networks import heads

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_SALT_OF_RULESETS = 19  # in place of a side (``ursuppe_training.kernels.seating``)


def write_inputs(
    row,
    states,
    rules_array,
    observations,
    shown_rules,
    num_rules,
    players,
    size,
    first_seat,
    starts,
    space_at,
    next_to,
    viewed,
    notes,
    features,
    rounds_left,
    seats,
    out,
):
    """What a network gets of this row, seen by who decides (``policies.inputs``); ``seats`` gets who that is.

    Args:
        row: of the game.
        states: (N,) the games.
        rules_array: (R,) their rulesets.
        observations: (N, F) what is seen.
        shown_rules: (R, S) what networks get of the rulesets.
        num_rules: S, or 0 if they get nothing.
        players: P.
        size: F.
        first_seat: where the features of the seats begin.
        starts: as ``space_at`` and ``next_to`` for ``fill_board_features``.
        viewed: (N, V) int64 to work in.
        notes: (N,) of dtype ``NOTES`` to work in.
        features: (N, P, K) float64 to work in.
        rounds_left: (N,) float64 to work in.
        seats: (N,) int8, written.
        out: (N, I) float32, written.
    """
    here = slice(row, row + 1)
    numbers = out[row]
    for number in range(size):
        numbers[number] = observations[row, number]
    fill_board_features(out[here], size, players, starts, space_at, next_to, viewed[row])
    seats[row] = states[row]["player"]
    collect_features(states[here], rules_array, notes[here], features[here], rounds_left[here])
    fill_seat_features(out[here], first_seat, features[here], rounds_left[here], seats[here])
    first_rule = len(numbers) - num_rules
    ruleset = states[row]["ruleset"]
    for number in range(num_rules):
        numbers[first_rule + number] = shown_rules[ruleset, number]


def choose_actions(
    row, key, step, networks, latents, weights, biases, masks, uniforms, legal, work, actions, log_probs
):
    """Draw the action of the network that acts in this row; NO_ACTION where none does.

    Args:
        row: of the game.
        key: of the rollout and the group; not negative.
        step: the number of the step in the rollout.
        networks: (N,) which network acts, or NONE.
        latents: (N, L) float32 what its last hidden layer gives.
        weights: (W, A, L) float32 of the last layers of the networks.
        biases: (W, A) float32 of them.
        masks: (N, A) bool legal actions.
        uniforms: (N,) float32 to work in.
        legal: (N, A) int64 to work in.
        work: (N, A) float32 to work in.
        actions: (N,) int64, written.
        log_probs: (N,) float32 of them, written where a network acts.
    """
    network = networks[row]
    actions[row] = NO_ACTION
    if network != NONE:
        here = slice(row, row + 1)
        of_step = np.uint64(key) + _GOLDEN * np.uint64(step)
        uniforms[row] = np.float32(seating.uniform(of_step, row))
        heads.draw(
            latents[here],
            weights[network],
            biases[network],
            masks[here],
            uniforms[here],
            legal[row],
            work[row],
            actions[here],
            log_probs[here],
        )


def draw_ruleset(row, states, num_rulesets, played):
    """The place of the ruleset of the next game in this row: drawn by the key of the one that is over."""
    played[row] = np.int64(seating.uniform(states[row]["key"], _SALT_OF_RULESETS) * num_rulesets)
