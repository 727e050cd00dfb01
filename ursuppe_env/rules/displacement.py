"""Displacement: what happens whenever an amoeba leaves a space, Tentacle and Holding (rules.md section 7, phase 1a).

The order of its steps 1-3 is that of edition 1998; ``movement.py`` shows both.
"""

from ursuppe_env.rules import actions
from ursuppe_env.rules.board import NEIGHBOUR
from ursuppe_env.rules.compilation import compiled
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Decision, Movement, Stage
from ursuppe_env.rules.state import ask, has, in_ascending_order


@compiled
def take_cubes(game, rules):
    """1. The owner, with Tentacle, may take up to T cubes along from the space that the amoeba leaves."""
    if has(game, game["mover"], Gene.TENTACLE) and _num_carried(game) < rules["carry"]:
        ask(game, Decision.CARRY, game["mover"])
    else:
        _cubes_taken(game, rules)


@compiled
def _num_carried(game):
    carried = 0
    for colour in range(len(game["carried"])):
        carried += game["carried"][colour]
    return carried


@compiled
def legal_carries(game, rules):
    """Colours in the space, in non-descending order of player number; it ends at ``pass``."""
    player = int(game["mover"])
    space = game["amoeba_space"][player, game["mover_amoeba"]]
    allow(game, actions.PASS)
    for colour in range(game["carry_colour"], rules["players"]):
        if game["food"][space, colour] > 0:
            allow(game, actions.first_carry(rules) + actions.seen_from(player, colour, rules))


@compiled
def choose_carry(game, rules, action):
    """``carry j``: one cube leaves the space; ``pass``: no more."""
    if action == actions.PASS:
        _cubes_taken(game, rules)
        return
    player = int(game["mover"])
    colour = (player + action - actions.first_carry(rules)) % rules["players"]
    game["food"][game["amoeba_space"][player, game["mover_amoeba"]], colour] -= 1
    game["carried"][colour] += 1
    game["carry_colour"] = colour
    game["node"] = Stage.TAKE_CUBES


@compiled
def _cubes_taken(game, rules):
    game["carry_colour"] = 0
    game["node"] = Stage.CHANGE_SPACE if rules["first_edition"] else Stage.ASK_CLINGERS


@compiled
def asked_to_cling(game, rules):
    """(owner, amoeba) at this point of the order of asking: owners ascending, then by number."""
    turn = int(game["cling_turn"])
    return in_ascending_order(game, turn // rules["amoebas"]), turn % rules["amoebas"]


@compiled
def ask_clingers(game, rules):
    """2. Each opponent's amoeba in the space that it leaves whose owner has Holding may come along."""
    space = game["amoeba_space"][game["mover"], game["mover_amoeba"]]
    while game["cling_turn"] < rules["players"] * rules["amoebas"]:
        owner, amoeba = asked_to_cling(game, rules)
        if owner == game["mover"] or not has(game, owner, Gene.HOLDING):
            game["cling_turn"] += rules["amoebas"]
        elif game["amoeba_space"][owner, amoeba] == space:
            ask(game, Decision.CLING, owner)
            return
        else:
            game["cling_turn"] += 1
    game["cling_turn"] = 0
    if not rules["first_edition"]:
        game["node"] = Stage.CHANGE_SPACE
    elif game["movement"] == Movement.DRIFT:
        game["node"] = Stage.TAKE_CUBES
    else:
        game["node"] = Stage.ROLL


@compiled
def legal_clings(game):
    """``cling`` or ``pass``."""
    allow(game, actions.CLING)
    allow(game, actions.PASS)


@compiled
def choose_cling(game, rules, action):
    """Each amoeba decides for itself; clinging is free."""
    if action == actions.CLING:
        owner, amoeba = asked_to_cling(game, rules)
        game["clinging"][owner] |= 1 << amoeba
    game["cling_turn"] += 1
    game["node"] = Stage.ASK_CLINGERS


@compiled
def change_space(game, rules):
    """3. All of them change space together; an amoeba dragged along carries no cubes [R4]."""
    mover, mover_amoeba = game["mover"], game["mover_amoeba"]
    space = NEIGHBOUR[game["amoeba_space"][mover, mover_amoeba], game["direction"]]
    game["amoeba_space"][mover, mover_amoeba] = space
    for player in range(rules["players"]):
        game["food"][space, player] += game["carried"][player]
        for amoeba in range(rules["amoebas"]):
            if (int(game["clinging"][player]) >> amoeba) & 1:
                game["amoeba_space"][player, amoeba] = space
    game["carried"][:] = 0
    game["node"] = Stage.STEP_DONE
