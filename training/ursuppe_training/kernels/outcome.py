"""What becomes of each seat of one game, in compiled code.

The meanings are those of ``networks.critic``. A seat without a team is a side of its own.
"""

import numpy as np

from ursuppe_training.kernels import compiled

#: Which place of a side counts (``ursuppe_env.teams``): of its worst or best marker, or the sum of all.
WORST, BEST, SUM = range(3)

_FURTHER = 2**20  # than any marker stands: a place more counts for more than any best marker
_WIN, _RANK, _MARGIN = range(3)  # the kinds of ``ursuppe_training.networks.critic``


@compiled
def write_outcomes(game, rules, side_of, sides, score, outcomes):
    """Write what becomes of each seat.

    Args:
        game: that is over.
        rules: its ruleset's record.
        side_of: (P,) the side of each seat.
        sides: how many there are.
        score: which place of a side counts.
        outcomes: (P, 3) float32, written: the chance of winning, and the rewards ``rank`` and ``margin``.
    """
    total = 0.0
    for side in range(sides):
        total += _place(game, side, side_of, score)
    mean = total / sides
    players = len(side_of)
    for seat in range(players):
        side = side_of[seat]
        ahead = _num_ahead(game, side, side_of, sides, score)
        outcomes[seat, _WIN] = np.float32(sides / players) if ahead == 0 else np.float32(0.0)
        outcomes[seat, _RANK] = np.float32(1 - 2 * ahead / (sides - 1))
        outcomes[seat, _MARGIN] = np.float32((_place(game, side, side_of, score) - mean) / rules["end_zone"])


@compiled
def _num_ahead(game, side, side_of, sides, score):
    """How many sides are in front of this one."""
    own = _place(game, side, side_of, score) * _FURTHER + _place(game, side, side_of, BEST)
    ahead = 0
    for other in range(sides):
        if _place(game, other, side_of, score) * _FURTHER + _place(game, other, side_of, BEST) > own:
            ahead += 1
    return ahead


@compiled
def _place(game, side, side_of, score):
    """The place of a side on the track."""
    found, worst, best = 0, _FURTHER, 0
    for seat in range(len(side_of)):
        if side_of[seat] == side:
            marker = int(game["marker"][seat])
            found += marker
            worst = min(worst, marker)
            best = max(best, marker)
    if score == SUM:
        return found
    return best if score == BEST else worst
