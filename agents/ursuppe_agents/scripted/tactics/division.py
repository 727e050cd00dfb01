"""Phase 4: whether to divide, and where."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_agents.scripted.tactics.food import larder
from ursuppe_agents.scripted.tactics.genes import can_bear, is_last_round
from ursuppe_agents.scripted.tactics.movement import STANDING
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import NEXT_TO, NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import BOUGHT_GENE, LOWER_GENE, NO_GENE
from ursuppe_env.rules.legal import is_legal
from ursuppe_env.rules.phases.division import cost_of_division
from ursuppe_env.rules.phases.movement import step_cost
from ursuppe_env.rules.state import amoebas_on_board, has

_CROWD = 0.15  # what each other amoeba takes away from a space, in meals


@compiled
def _price_of_next_wish(game, rules, strategy, player):
    """Of the dearest wish that is still to be had; 0 if there is none."""
    for number in range(strategy["num_wishes"]):
        purchase = strategy["wishes"][number]
        gene = BOUGHT_GENE[purchase]
        lower = LOWER_GENE[purchase]
        if game["supply"][gene] == 0 or has(game, player, gene):
            continue
        if lower != NO_GENE and not has(game, player, lower):
            continue
        if can_bear(game, rules, strategy, player, purchase):
            return rules["price"][gene]
    return 0


@compiled
def would_rather_save(game, rules, strategy):
    """Would a division cost BP kept back for moves and, once the colony is large enough, for the dearest wish?"""
    player = np.int64(game["player"])
    cost = cost_of_division(game, rules, player)
    savings = 0
    if not is_last_round(game, rules):
        savings = strategy["reserve"] if step_cost(game, rules, player) > 0 else 0
        if amoebas_on_board(game, rules, player) >= strategy["colony"]:
            savings += _price_of_next_wish(game, rules, strategy, player)
    return cost > 0 and game["bp"][player] - cost < savings


@compiled
def decide_place(game, rules, soup):
    """The space from which the current takes a new amoeba, with all others that drift there, to where it finds most.

    ``pass`` of a division if there is none.
    """
    player, direction = np.int64(game["player"]), rules["card_direction"][game["card"]]
    action = actions.PASS
    best = -1e9
    for space in range(NUM_SPACES):
        if is_legal(game, actions.FIRST_SPACE + space):
            end = NEXT_TO[space, direction]
            crowd = _num_drifting_to(game, rules, direction, end)
            value = soup[STANDING, end] + larder(game, rules, player, end) - _CROWD * crowd
            if value > best:
                action, best = actions.FIRST_SPACE + space, value
    return action


@compiled
def _num_drifting_to(game, rules, direction, end):
    """How many amoebas this drift brings into the space."""
    count = 0
    for player in range(rules["players"]):
        for amoeba in range(rules["amoebas"]):
            space = np.int64(game["amoeba_space"][player, amoeba])
            if space != OFF_BOARD and NEXT_TO[space, direction] == end:
                count += 1
    return count
