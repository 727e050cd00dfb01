"""The one entry point of the compiled tactics: an action for each game asked for."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled, division, feeding, genes, movement
from ursuppe_agents.scripted.tactics.food import map_soup
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.state import rules_of

#: A bit for each decision that asks what it is worth to stand in a space.
_ABOUT_SPACES = sum(1 << Decision[name] for name in ("MOVE", "DIRECTION", "CLING", "AGAIN", "DIVIDE", "PLACE"))


@compiled.announced("the scripted agents", seconds=6)
def decide(states, rules_array, strategy_array, rows, soup, chosen):
    """For each of the (n,) rows the action of the player about to act, written into ``chosen`` (n,).

    ``soup`` (2, 19) float64 is room to work in.
    """
    strategy = strategy_array[0]
    for number in range(len(rows)):
        game = states[rows[number]]
        rules = rules_of(game, rules_array)
        decision = int(game["node"])
        if (_ABOUT_SPACES >> decision) & 1:
            _look_around(game, rules, soup)
        if decision == Decision.MOVE:
            action = movement.decide_move(game, rules, strategy, soup)
        elif decision == Decision.DIRECTION:
            action = movement.decide_direction(game, soup)
        elif decision == Decision.CARRY:
            action = movement.decide_carry(game, rules)
        elif decision == Decision.CLING:
            action = movement.decide_cling(game, rules, soup)
        elif decision == Decision.AGAIN:
            action = movement.decide_again(game, soup)
        elif decision == Decision.FEED:
            action = feeding.decide_feed(game, rules)
        elif decision == Decision.MEAL:
            action = feeding.decide_meal(game, rules)
        elif decision == Decision.DEFEND:
            action = feeding.decide_defend(game)
        elif decision == Decision.DEFECT:
            action = genes.decide_defect(game, rules, strategy)
        elif decision == Decision.BUY:
            action = genes.decide_buy(game, rules, strategy)
        elif decision == Decision.NUMBER:
            action = legal_action(game, 0)  # the lowest: of the player's amoebas it will be the first to eat
        elif decision == Decision.AGGRESS:
            action = feeding.best_target(game, rules)
        elif decision == Decision.START_PLACE:
            # The highest free one: a head start, and the first choice of genes, are worth more than to eat first.
            action = legal_action(game, game["num_legal"] - 1)
        elif decision == Decision.DIVIDE and division.would_rather_save(game, rules, strategy):
            action = actions.PASS
        else:  # DIVIDE or PLACE
            action = division.decide_place(game, rules, soup)
        chosen[number] = action


@compiled
def _look_around(game, rules, soup):
    """Fill the soup for the player who decides and the amoeba that is about to leave its space."""
    player = np.int64(game["player"])
    origin = OFF_BOARD
    if game["node"] == Decision.MOVE:
        origin = np.int64(game["amoeba_space"][player, game["amoeba"]])
    elif game["node"] == Decision.DIRECTION or game["node"] == Decision.AGAIN:
        origin = np.int64(game["amoeba_space"][player, game["mover_amoeba"]])
    map_soup(game, rules, player, origin, soup[movement.STANDING])
    movement.map_steps(game, player, soup)
