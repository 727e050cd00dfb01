"""What is to come: the end of the game, and the gene defects to expect from the cards not yet turned up."""

import numpy as np

from ursuppe_agents.scripted.tactics import compiled
from ursuppe_env.rules.phases.scoring import gene_points
from ursuppe_env.rules.state import amoebas_on_board


@compiled
def expected_debt(game, rules, mutation_points):
    """The mean gene defect over the cards that may be turned up next, in MP, for this sum of MP."""
    total = 0
    cards = 0
    for card in range(rules["num_cards"]):
        if (np.int64(game["drawn"]) >> card) & 1 == 0:
            total += max(0, mutation_points - rules["card_ozone"][card])
            cards += 1
    return total / cards if cards > 0 else 0.0


@compiled
def gene_places(rules, points):
    """Places on the track for so many gene points."""
    return rules["gene_places"][min(points, rules["num_gene_places"] - 1)]


@compiled
def places_now(game, rules, player):
    """How far the marker would advance if the round were scored now."""
    amoebas = amoebas_on_board(game, rules, player)
    return rules["amoeba_places"][amoebas] + gene_places(rules, gene_points(game, rules, player))


@compiled
def is_last_round(game, rules):
    """Has the last card been turned up, or is a marker about to reach the end zone?"""
    if np.int64(game["drawn"]) == (1 << rules["num_cards"]) - 1:
        return True
    for player in range(rules["players"]):
        if game["marker"][player] + places_now(game, rules, player) >= rules["end_zone"]:
            return True
    return False
