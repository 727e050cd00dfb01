"""Phase 2: the environment card and gene defects (rules.md section 7)."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.genes import NUM_GENES, Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Chance, Decision, Phase, Stage
from ursuppe_env.rules.state import ask, in_descending_order


@compiled
def turn_up_card(game):
    """The next environment card is turned up."""
    game["phase"] = Phase.ENVIRONMENT
    game["turn"] = 0
    game["node"] = Chance.CARD


@compiled
def card_turned_up(game):
    """In round 1 nothing else happens."""
    game["node"] = Stage.NEXT_BUYER if game["round"] == 1 else Stage.NEXT_DEBTOR


@compiled
def next_debtor(game, rules):
    """Each player (descending) whose MP sum is greater than the ozone value owes the difference."""
    game["owed"] = 0
    while game["turn"] < rules["players"]:
        player = in_descending_order(game, rules, game["turn"])
        game["turn"] += 1
        owed = game["mutation_points"][player] - rules["card_ozone"][game["card"]]
        if owed > 0:
            game["owed"] = owed
            game["player"] = player
            game["node"] = Stage.DEBT
            return
    game["turn"] = 0
    game["node"] = Stage.NEXT_BUYER


@compiled
def debt(game):
    """While players owe they pay; with no card left and too few BP they lose their BP and the rest lapses."""
    player = int(game["player"])
    if game["owed"] <= 0:
        game["node"] = Stage.NEXT_DEBTOR
    elif not _has_cards(game, player) and game["bp"][player] < game["owed"]:
        game["bp"][player] = 0
        game["node"] = Stage.NEXT_DEBTOR
    else:
        ask(game, Decision.DEFECT, player)


@compiled
def _has_cards(game, player):
    for gene in range(NUM_GENES):
        if game["genes"][player, gene] > 0:
            return True
    return False


@compiled
def legal_defects(game):
    """``discard g`` for each card, ``pay`` with enough BP for all the rest."""
    player = int(game["player"])
    for gene in range(NUM_GENES):
        if game["genes"][player, gene] > 0:
            allow(game, actions.FIRST_DISCARD + gene)
    if game["bp"][player] >= game["owed"]:
        allow(game, actions.PAY)


@compiled
def choose_defect(game, rules, action):
    """A card pays its MP (Ray Protection its own number); too much paid is lost, a negative one raises the debt."""
    player = int(game["player"])
    if action == actions.PAY:
        game["bp"][player] -= game["owed"]
        game["owed"] = 0
    else:
        gene = action - actions.FIRST_DISCARD
        game["genes"][player, gene] = 0
        game["mutation_points"][player] -= rules["mutation_points"][gene]
        game["supply"][gene] += 1
        if gene == Gene.RAY_PROTECTION:
            game["owed"] -= rules["ray_protection_payment"]
        else:
            game["owed"] -= rules["mutation_points"][gene]
    game["node"] = Stage.DEBT
