"""Phase 3: new genes (rules.md section 7)."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.genes import BARRED_BY, BOUGHT_GENE, LOWER_GENE, NO_GENE, NUM_PURCHASES
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Decision, Phase, Stage
from ursuppe_env.rules.state import ask, has, in_descending_order


@compiled
def next_buyer(game, rules):
    """Each player (descending) buys until ``pass``."""
    game["phase"] = Phase.NEW_GENES
    if game["turn"] < rules["players"]:
        ask(game, Decision.BUY, in_descending_order(game, rules, game["turn"]))
        game["turn"] += 1
    else:
        game["turn"] = 0
        game["node"] = Stage.NEXT_DIVIDER


@compiled
def legal_purchases(game, rules):
    """Any cards that are left, affordable, not owned and not barred; ``pass``."""
    player = int(game["player"])
    allow(game, actions.PASS)
    for purchase in range(NUM_PURCHASES):
        gene = BOUGHT_GENE[purchase]
        if game["supply"][gene] == 0 or game["bp"][player] < rules["price"][gene] or has(game, player, gene):
            continue
        if BARRED_BY[gene] != NO_GENE and has(game, player, BARRED_BY[gene]):
            continue
        lower = LOWER_GENE[purchase]
        if lower != NO_GENE and not _was_bought_earlier(game, player, lower):
            continue
        allow(game, actions.FIRST_BUY + purchase)


@compiled
def _was_bought_earlier(game, player, gene):
    """Does the player own the gene since an earlier round?"""
    return 0 < game["genes"][player, gene] < game["round"]


@compiled
def choose_purchase(game, rules, action):
    """One card after the other; the lower gene of an advanced one goes back to the supply."""
    if action == actions.PASS:
        game["node"] = Stage.NEXT_BUYER
        return
    player = int(game["player"])
    purchase = action - actions.FIRST_BUY
    gene = BOUGHT_GENE[purchase]
    game["bp"][player] -= rules["price"][gene]
    game["supply"][gene] -= 1
    game["genes"][player, gene] = game["round"]
    game["mutation_points"][player] += rules["mutation_points"][gene]
    lower = LOWER_GENE[purchase]
    if lower != NO_GENE:
        game["genes"][player, lower] = 0
        game["mutation_points"][player] -= rules["mutation_points"][lower]
        game["supply"][lower] += 1
