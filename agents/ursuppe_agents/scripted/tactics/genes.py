"""Phases 2 and 3: which genes to give up, which to buy; what the rest of the game is expected to bring."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.genes import BOUGHT_GENE, LOWER_GENE, NO_GENE, NUM_GENES, NUM_PURCHASES
from ursuppe_env.rules.legal import is_legal
from ursuppe_env.rules.phases.division import cost_of_division
from ursuppe_env.rules.phases.scoring import gene_points
from ursuppe_env.rules.state import amoebas_on_board


@compiled
def _expected_debt(game, rules, mutation_points):
    """The mean gene defect over the cards that may be turned up next, in MP, for this sum of MP."""
    total, cards = 0, 0
    for card in range(rules["num_cards"]):
        if (np.int64(game["drawn"]) >> card) & 1 == 0:
            total += max(0, mutation_points - rules["card_ozone"][card])
            cards += 1
    return total / cards if cards > 0 else 0.0


@compiled
def _gene_places(rules, points):
    """Places on the track for so many gene points."""
    return rules["gene_places"][min(points, rules["num_gene_places"] - 1)]


@compiled
def is_last_round(game, rules):
    """Has the last card been turned up, or is a marker about to reach the end zone?"""
    if np.int64(game["drawn"]) == (1 << rules["num_cards"]) - 1:
        return True
    for player in range(rules["players"]):
        places = rules["amoeba_places"][amoebas_on_board(game, rules, player)]
        places += _gene_places(rules, gene_points(game, rules, player))
        if game["marker"][player] + places >= rules["end_zone"]:
            return True
    return False


@compiled
def _rank(strategy, gene):
    """The rank among the wishes of a gene that the player owns."""
    rank = np.int64(NUM_PURCHASES)
    for purchase in range(NUM_PURCHASES):
        if BOUGHT_GENE[purchase] == gene:
            rank = min(rank, strategy["rank"][purchase])
    return rank


@compiled
def decide_defect(game, rules, strategy):
    """Pay as long as it is no more than the ransom; else give up the least wish that settles the debt."""
    owed = np.int64(game["owed"])
    if is_legal(game, actions.PAY) and owed <= strategy["ransom"]:
        return actions.PAY
    action = actions.PAY
    worst = -1
    for gene in range(NUM_GENES):
        if is_legal(game, actions.FIRST_DISCARD + gene):
            rank = _rank(strategy, gene)
            if rules["mutation_points"][gene] >= owed:
                rank += NUM_PURCHASES
            if rank > worst:
                action, worst = actions.FIRST_DISCARD + gene, rank
    return action


@compiled
def can_bear(game, rules, strategy, player, purchase):
    """Does the purchase keep the gene defects within what the strategy bears?"""
    lower = LOWER_GENE[purchase]
    after = game["mutation_points"][player] + rules["mutation_points"][BOUGHT_GENE[purchase]]
    if lower != NO_GENE:
        after -= rules["mutation_points"][lower]
    return after <= game["mutation_points"][player] or _expected_debt(game, rules, after) <= strategy["debt"]


@compiled
def decide_buy(game, rules, strategy):
    """The dearest wish that is legal and whose gene defects can be borne; in the last round whatever scores."""
    if strategy["num_wishes"] > 0 and is_last_round(game, rules):
        return _buy_to_score(game, rules)
    player = np.int64(game["player"])
    for number in range(strategy["num_wishes"]):
        purchase = strategy["wishes"][number]
        if is_legal(game, actions.FIRST_BUY + purchase) and can_bear(game, rules, strategy, player, purchase):
            return actions.FIRST_BUY + purchase
    return actions.PASS


@compiled
def _places_after(game, rules, player, purchase):
    points = gene_points(game, rules, player) + rules["gene_score"][BOUGHT_GENE[purchase]]
    lower = LOWER_GENE[purchase]
    if lower != NO_GENE:
        points -= rules["gene_score"][lower]
    return _gene_places(rules, points)


@compiled
def _num_divisions(game, rules, player, bp):
    """How many amoebas can be added in phase 4 if so many BP are left now."""
    cost = max(1, cost_of_division(game, rules, player))
    return min(rules["amoebas"] - amoebas_on_board(game, rules, player), (bp + rules["income"]) // cost)


@compiled
def _buy_to_score(game, rules):
    """The cheapest card that advances the marker and costs no division."""
    player = np.int64(game["player"])
    bp = np.int64(game["bp"][player])
    now = _gene_places(rules, gene_points(game, rules, player))
    action = actions.PASS
    lowest = 1000
    for purchase in range(NUM_PURCHASES):
        price = rules["price"][BOUGHT_GENE[purchase]]
        if is_legal(game, actions.FIRST_BUY + purchase) and price < lowest:
            is_free = _num_divisions(game, rules, player, bp - price) == _num_divisions(game, rules, player, bp)
            if is_free and _places_after(game, rules, player, purchase) > now:
                action, lowest = actions.FIRST_BUY + purchase, price
    return action
