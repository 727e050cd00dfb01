"""What a legal action changes at once in the features of the seats, by the engine.

An action is taken in a copy of the game, which goes on to the next decision or chance event. Nothing is drawn: the
same position has the same effects wherever it stands in a batch.
"""

import numpy as np

from ursuppe_agents.policies.board import compiled
from ursuppe_agents.search.value import NUM_FEATURES, write_features_after
from ursuppe_env.rules.flow import advance, apply
from ursuppe_env.rules.nodes import FINISHED, STOP_AT_CHANCE

#: Whose features change, as the seat that decides sees them; then what follows.
OWN, MATES, OPPONENTS = range(3)
_DECIDES_AGAIN, _WINS, _LOSES = range(3 * NUM_FEATURES, 3 * NUM_FEATURES + 3)
NUM_EFFECTS = 3 * NUM_FEATURES + 3
_LARGEST = 4.0


@compiled
def write_effects(game, rules, team_of, action, before, notes, after_array, effects):
    """Write what a legal action changes into ``effects``, (NUM_EFFECTS,) float32.

    ``team_of`` has the (P,) team of each seat, ``before`` the ``NOTES`` of the game; other ``notes``, and
    ``after_array``, (1,) of dtype ``STATE``, are to work in.
    """
    me, after = int(game["player"]), after_array[0]
    after_array[0] = game
    apply(after, rules, action)
    advance(after, rules, STOP_AT_CHANCE)
    write_features_after(after, rules, notes, game, before)
    effects[:] = 0.0
    for seat in range(rules["players"]):
        group = OPPONENTS if team_of[seat] != team_of[me] else MATES if seat != me else OWN
        _add_changes(before["features"][seat], notes["features"][seat], effects[group * NUM_FEATURES :])
    if after["node"] == FINISHED:
        wins = team_of[after["winner"]] == team_of[me]
        effects[_WINS if wins else _LOSES] = np.float32(1.0)
    elif after["player"] == me:
        effects[_DECIDES_AGAIN] = np.float32(1.0)


@compiled
def _add_changes(before, after, changes):
    for k in range(NUM_FEATURES):
        change = after[k] - before[k]
        change = change if change < _LARGEST else _LARGEST
        changes[k] += np.float32(change if change > -_LARGEST else -_LARGEST)
