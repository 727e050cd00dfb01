"""Phase 4: income and division (rules.md section 7)."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import BESIDE, NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Decision, Phase, Stage
from ursuppe_env.rules.state import amoebas_on_board, ask, has, in_descending_order, spaces_of


@compiled
def next_divider(game, rules):
    """Each player (descending) gets the income, then divides until ``pass``."""
    game["phase"] = Phase.DIVISION
    if game["turn"] < rules["players"]:
        player = in_descending_order(game, rules, game["turn"])
        game["turn"] += 1
        game["bp"][player] += rules["income"]
        ask(game, Decision.DIVIDE, player)
    else:
        game["node"] = Stage.DEATHS


@compiled
def cost_of_division(game, rules, player):
    """With no amoeba on the board: free; else by Division Rate."""
    if amoebas_on_board(game, rules, player) == 0:
        return 0
    return rules["fast_division_cost"] if has(game, player, Gene.DIVISION_RATE) else rules["division_cost"]


@compiled
def legal_divisions(game, rules):
    """Spaces for a new amoeba, if one is off the board and the player can pay; ``pass`` is always allowed."""
    player = int(game["player"])
    allow(game, actions.PASS)
    count = amoebas_on_board(game, rules, player)
    if count == rules["amoebas"] or game["bp"][player] < cost_of_division(game, rules, player):
        return
    anywhere = count <= 1 or has(game, player, Gene.SPORES)
    own = spaces_of(game, rules, player)
    for space in range(NUM_SPACES):
        is_own, is_next_to_own = (own >> space) & 1 == 1, own & BESIDE[space] != 0  # orthogonally
        if not is_own and (anywhere or is_next_to_own):
            allow(game, actions.FIRST_SPACE + space)


@compiled
def choose_division(game, rules, action):
    """``space s``: the division is paid for, then the number is asked."""
    if action == actions.PASS:
        game["node"] = Stage.NEXT_DIVIDER
        return
    player = int(game["player"])
    game["bp"][player] -= cost_of_division(game, rules, player)
    game["place"] = action - actions.FIRST_SPACE
    ask(game, Decision.NUMBER, player)


@compiled
def number_in_division(game, action):
    """``amoeba n``: the new amoeba, with 0 DP; then the next division."""
    player = int(game["player"])
    amoeba = action - actions.FIRST_AMOEBA
    game["amoeba_space"][player, amoeba] = game["place"]
    game["damage"][player, amoeba] = 0
    game["place"] = OFF_BOARD
    ask(game, Decision.DIVIDE, player)
