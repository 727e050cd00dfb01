"""Displacement: what happens whenever an amoeba leaves a space, Tentacle and Holding (rules.md section 7, phase 1a).

The steps 1-3 are in the order of rules.md; with ``early_clinging`` 2 comes before 1 (``movement.py`` shows where).
"""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import NEIGHBOUR
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Decision, Movement, Stage
from ursuppe_env.rules.state import NOBODY, ask, has, in_ascending_order


@compiled
def is_mover(game, owner, amoeba):
    """Is it the amoeba whose movement is under way?"""
    return owner == game["mover"] and amoeba == game["mover_amoeba"]


@compiled
def take_cubes(game, rules):
    """1. Carrying: the owner, with Tentacle, may take cubes along from the space that the amoeba leaves.

    So may, with ``clinging_carries``, each amoeba that has just answered ``cling``.
    """
    if game["carrier"] == NOBODY:
        game["carrier"] = game["mover"]
        game["carrier_amoeba"] = game["mover_amoeba"]
    if has(game, game["carrier"], Gene.TENTACLE) and game["taken"] < rules["carry"]:
        ask(game, Decision.CARRY, game["carrier"])
    else:
        _cubes_taken(game, rules)


@compiled
def legal_carries(game, rules):
    """Colours in the space, in non-descending order of player number; it ends at ``pass``."""
    player = int(game["carrier"])
    space = game["amoeba_space"][player, game["carrier_amoeba"]]
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
    player = int(game["carrier"])
    colour = (player + action - actions.first_carry(rules)) % rules["players"]
    game["food"][game["amoeba_space"][player, game["carrier_amoeba"]], colour] -= 1
    game["carried"][player, colour] += 1
    game["taken"] += 1
    game["carry_colour"] = colour
    game["node"] = Stage.TAKE_CUBES


@compiled
def _cubes_taken(game, rules):
    was_mover = is_mover(game, game["carrier"], game["carrier_amoeba"])
    game["carrier"] = NOBODY
    game["carrier_amoeba"] = NOBODY
    game["taken"] = 0
    game["carry_colour"] = 0
    if not was_mover:
        _ask_next_clinger(game)
    else:
        game["node"] = Stage.CHANGE_SPACE if rules["early_clinging"] else Stage.ASK_CLINGERS


@compiled
def asked_to_cling(game, rules):
    """(owner, amoeba) at this point of the order of asking: owners ascending, then by number."""
    turn = int(game["cling_turn"])
    return in_ascending_order(game, turn // rules["amoebas"]), turn % rules["amoebas"]


@compiled
def ask_clingers(game, rules):
    """2. Clinging: each amoeba in the space that the mover leaves that may come along is asked."""
    first, amoebas = int(game["cling_turn"]), int(rules["amoebas"])
    for turn in range(rules["players"]):
        owner = in_ascending_order(game, turn)
        if _may_cling(game, rules, owner):
            for amoeba in range(max(first - turn * amoebas, 0), amoebas):
                if _is_beside_mover(game, owner, amoeba):
                    game["cling_turn"] = turn * amoebas + amoeba
                    ask(game, Decision.CLING, owner)
                    return
    game["cling_turn"] = 0
    if not rules["early_clinging"]:
        game["node"] = Stage.CHANGE_SPACE
    elif game["movement"] == Movement.DRIFT:
        game["node"] = Stage.TAKE_CUBES
    else:
        game["node"] = Stage.ROLL


@compiled
def _may_cling(game, rules, owner):
    """Opponents with Holding; with ``own_clinging`` the mover's owner with Holding, too."""
    return has(game, owner, Gene.HOLDING) and (owner != game["mover"] or rules["own_clinging"])


@compiled
def _is_beside_mover(game, owner, amoeba):
    """Is it another amoeba in the mover's space?"""
    space = game["amoeba_space"][game["mover"], game["mover_amoeba"]]
    return game["amoeba_space"][owner, amoeba] == space and not is_mover(game, owner, amoeba)


@compiled
def legal_clings(game):
    """``cling`` or ``pass``."""
    allow(game, actions.CLING)
    allow(game, actions.PASS)


@compiled
def choose_cling(game, rules, action):
    """Each amoeba decides for itself; clinging is free. With ``clinging_carries`` its own carrying follows at once."""
    owner, amoeba = asked_to_cling(game, rules)
    if action == actions.CLING:
        game["clinging"][owner] |= 1 << amoeba
    if action == actions.CLING and rules["clinging_carries"]:
        game["carrier"] = owner
        game["carrier_amoeba"] = amoeba
        game["node"] = Stage.TAKE_CUBES
    else:
        _ask_next_clinger(game)


@compiled
def _ask_next_clinger(game):
    game["cling_turn"] += 1
    game["node"] = Stage.ASK_CLINGERS


@compiled
def put_cubes_down(game, rules):
    """All cubes on their way come into the mover's space; without displacement they go back there."""
    space = game["amoeba_space"][game["mover"], game["mover_amoeba"]]
    for player in range(rules["players"]):
        if has(game, player, Gene.TENTACLE):  # nobody else carries any
            for colour in range(rules["players"]):
                game["food"][space, colour] += game["carried"][player, colour]
                game["carried"][player, colour] = 0


@compiled
def on_their_way(game, rules, colour):
    """How many cubes of this colour are neither on a space nor in the reserve."""
    cubes = 0
    for player in range(rules["players"]):
        cubes += int(game["carried"][player, colour])
    return cubes


@compiled
def change_space(game, rules):
    """3. All of them change space together, and all cubes taken along arrive there [R4]."""
    mover, mover_amoeba = game["mover"], game["mover_amoeba"]
    space = NEIGHBOUR[game["amoeba_space"][mover, mover_amoeba], game["direction"]]
    game["amoeba_space"][mover, mover_amoeba] = space
    for player in range(rules["players"]):
        if game["clinging"][player]:
            for amoeba in range(rules["amoebas"]):
                if (int(game["clinging"][player]) >> amoeba) & 1:
                    game["amoeba_space"][player, amoeba] = space
    put_cubes_down(game, rules)
    game["node"] = Stage.STEP_DONE
