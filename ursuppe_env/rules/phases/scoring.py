"""The track, phase 6 and the end of the game (rules.md section 7)."""

import numpy as np

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.nodes import FINISHED, Phase, Stage
from ursuppe_env.rules.state import amoebas_on_board, in_descending_order


@compiled
def set_ascending_order(game, rules):
    """Order the players along the track: the last marker first."""
    players = rules["players"]
    for player in range(players):
        behind = 0
        for other in range(players):
            if game["marker"][other] < game["marker"][player]:
                behind += 1
        game["order"][behind] = player


@compiled
def gene_points(game, rules, player):
    """The sum of the scores of a player's genes."""
    points = 0
    for gene in range(len(rules["gene_score"])):
        if game["genes"][player, gene] > 0:
            points += rules["gene_score"][gene]
    return points


@compiled
def is_occupied(game, rules, place):
    """Does a marker stand on this place?"""
    for player in range(rules["players"]):
        if game["marker"][player] == place:
            return True
    return False


@compiled
def advance_marker(game, rules, player, places):
    """Advance by so many places; those occupied by other markers are not counted."""
    place = int(game["marker"][player])
    for _ in range(places):
        place += 1
        while is_occupied(game, rules, place):
            place += 1
    game["marker"][player] = place


@compiled
def no_card_left(game, rules):
    """Has the last environment card been turned up?"""
    return np.int64(game["drawn"]) == (1 << rules["num_cards"]) - 1


@compiled
def is_over(game, rules):
    """A marker stands in the end zone, or the last environment card was turned up in this round."""
    leader = in_descending_order(game, rules, 0)
    return game["marker"][leader] >= rules["end_zone"] or no_card_left(game, rules)


@compiled
def score(game, rules):
    """Phase 6 (descending): each marker advances by the amoeba places plus the gene places; then the end?"""
    game["phase"] = Phase.SCORING
    for turn in range(rules["players"]):
        player = in_descending_order(game, rules, turn)
        amoeba_places = rules["amoeba_places"][amoebas_on_board(game, rules, player)]
        points = min(gene_points(game, rules, player), rules["num_gene_places"] - 1)
        advance_marker(game, rules, player, amoeba_places + rules["gene_places"][points])
    set_ascending_order(game, rules)
    if is_over(game, rules):
        game["winner"] = in_descending_order(game, rules, 0)  # the furthest marker wins
        game["node"] = game["player"] = FINISHED
    else:
        game["node"] = Stage.NEXT_ROUND
