"""The compiled entry points; few, because each contains the rules and takes long to compile."""

from ursuppe_agents.search.compilation import compiled
from ursuppe_agents.search.lookahead import look_ahead
from ursuppe_env.rules.flow import advance, apply
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import STOP_AT_CHANCE
from ursuppe_env.rules.state import rules_of

ILLEGAL = -1.0  # less than any chance of winning


@compiled.announced("the agent greedy", seconds=12)
def value_actions(states, rows, rules_array, weights, workspace, values):
    """Write into ``values`` (n, A) the chance of winning that each legal action gives to the player who takes it."""
    for place in range(len(rows)):
        game = states[rows[place]]
        rules = rules_of(game, rules_array)
        for action in range(values.shape[1]):
            values[place, action] = ILLEGAL
        for number in range(game["num_legal"]):
            action = legal_action(game, number)
            workspace.games[0] = game
            apply(workspace.games[0], rules, action)
            advance(workspace.games[0], rules, STOP_AT_CHANCE)
            look_ahead(workspace, rules, weights, game["turn"], game["amoeba"])
            values[place, action] = workspace.values[0, game["player"]]
