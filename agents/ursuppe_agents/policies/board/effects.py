"""What each legal action changes at once in the features of the seats, by the engine.

An action is taken in a copy of the game, which goes on to the next decision or chance event. Nothing is drawn: the
same position has the same effects wherever it stands in a batch.
"""

import numpy as np

from ursuppe_agents.policies.board.compilation import compiled
from ursuppe_agents.search.value import NUM_FEATURES, write_features
from ursuppe_env.rules.flow import advance, apply
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import FINISHED, STOP_AT_CHANCE
from ursuppe_env.rules.state import rules_of

#: Whose features change, as the seat that decides sees them; then what follows.
OWN, MATES, OPPONENTS = range(3)
_DECIDES_AGAIN, _WINS, _LOSES = range(3 * NUM_FEATURES, 3 * NUM_FEATURES + 3)
NUM_EFFECTS = 3 * NUM_FEATURES + 3
_LARGEST = 4.0


@compiled.announced("policies that see the board", seconds=20)
def write_effects(states, rules_array, team_of, notes_array, after, features, rounds_left, pastures, actions, effects):
    """Write the features of the seats of each game, its legal actions, and what each of them changes.

    Args:
        states: (n,) games at decisions.
        rules_array: records of their rulesets.
        team_of: (P,) the team of each seat.
        notes_array: (1,) of dtype ``NOTES`` to work in.
        after: (1,) of dtype ``STATE`` to work in.
        features: (n, P, NUM_FEATURES) float64, written.
        rounds_left: (n,) float64, written.
        pastures: (n, P) int64, written: bit s for a meal on space s.
        actions: (M,) int64, written: the legal actions of all games, one game after the other.
        effects: (M, NUM_EFFECTS) float32, written.
    """
    notes = notes_array[0]
    place = 0
    for row in range(len(states)):
        game = states[row]
        rules = rules_of(game, rules_array)
        me = int(game["player"])
        write_features(game, rules, notes)
        rounds_left[row] = notes["rounds_left"]
        for seat in range(rules["players"]):
            pastures[row, seat] = notes["pastures"][seat]
            for k in range(NUM_FEATURES):
                features[row, seat, k] = notes["features"][seat, k]
        for number in range(game["num_legal"]):
            action = legal_action(game, number)
            actions[place] = action
            after[0] = game
            apply(after[0], rules, action)
            advance(after[0], rules, STOP_AT_CHANCE)
            for k in range(NUM_EFFECTS):
                effects[place, k] = np.float32(0.0)
            write_features(after[0], rules, notes)
            for seat in range(rules["players"]):
                group = OPPONENTS if team_of[seat] != team_of[me] else MATES if seat != me else OWN
                for k in range(NUM_FEATURES):
                    change = notes["features"][seat, k] - features[row, seat, k]
                    effects[place, group * NUM_FEATURES + k] += np.float32(min(max(change, -_LARGEST), _LARGEST))
            if after[0]["node"] == FINISHED:
                wins = team_of[after[0]["winner"]] == team_of[me]
                effects[place, _WINS if wins else _LOSES] = np.float32(1.0)
            elif after[0]["player"] == me:
                effects[place, _DECIDES_AGAIN] = np.float32(1.0)
            place += 1
