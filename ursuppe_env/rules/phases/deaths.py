"""Phase 5: deaths, then Aggression (rules.md section 7); the attack itself is in ``combat.py``."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.nodes import Decision, Phase, Stage
from ursuppe_env.rules.phases.combat import attacker_done, die, is_deadly
from ursuppe_env.rules.state import ask, has, in_descending_order


@compiled
def deaths(game, rules):
    """Player by player (descending), number by number: amoebas at their deadly DP leave the board."""
    game["phase"] = Phase.DEATHS
    for turn in range(rules["players"]):
        player = in_descending_order(game, rules, turn)
        for amoeba in range(rules["amoebas"]):
            if game["amoeba_space"][player, amoeba] != OFF_BOARD and is_deadly(game, rules, player, amoeba):
                die(game, rules, player, amoeba, rules["death_food"])
    game["turn"] = 0
    game["node"] = Stage.NEXT_AGGRESSOR


@compiled
def aggressor_done(game, rules):
    """The aggressor's turn is over; beaten off with ``hungry_aggressor``, the attacking amoeba gets 1 DP [R13]."""
    if game["lost_fight"]:
        attacker, amoeba = game["attacker"], game["attacker_amoeba"]
        game["damage"][attacker, amoeba] += 1
        if is_deadly(game, rules, attacker, amoeba):
            die(game, rules, attacker, amoeba, rules["death_food"])
    game["lost_fight"] = 0
    game["attempts"] = 0
    attacker_done(game)
    game["node"] = Stage.NEXT_AGGRESSOR


@compiled
def next_aggressor(game, rules):
    """Descending, each owner of Aggression who can pay when their turn comes: once a round and owner."""
    while game["turn"] < rules["players"]:
        player = in_descending_order(game, rules, game["turn"])
        game["turn"] += 1
        if has(game, player, Gene.AGGRESSION) and game["bp"][player] >= rules["attack_cost"]:
            ask(game, Decision.AGGRESS, player)
            return
    game["node"] = Stage.SCORING
