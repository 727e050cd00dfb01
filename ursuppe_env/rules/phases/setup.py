"""The set-up (rules.md section 6)."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.chance import nth_permutation
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Chance, Decision, Phase, Stage
from ursuppe_env.rules.phases.scoring import is_occupied, set_ascending_order
from ursuppe_env.rules.state import (
    LAYOUT_NUMBER,
    NOBODY,
    ask,
    in_ascending_order,
    in_descending_order,
    place_cubes_of_each_colour,
    spaces_of,
)


@compiled
def set_up(game, rules):
    """1. Cubes on all spaces, the players' BP; the first environment card is about to be turned up."""
    players = rules["players"]
    game["layout"] = LAYOUT_NUMBER
    game["amoeba_space"][:] = OFF_BOARD
    game["food"][:] = game["damage"][:] = game["genes"][:] = 0
    game["reserve"][:] = game["bp"][:] = game["marker"][:] = game["mutation_points"][:] = 0
    game["order"][:] = game["answers_used"][:] = 0
    for player in range(players):
        game["reserve"][player] = rules["cubes"]
        game["bp"][player] = rules["start_bp"]
    for space in range(NUM_SPACES):
        place_cubes_of_each_colour(game, rules, space, rules["start_food"])
    for gene in range(len(rules["cards"])):
        game["supply"][gene] = rules["cards"][gene]
    game["card"] = -1
    game["phase"] = Phase.SETUP
    game["drawn"] = game["round"] = game["turn"] = 0
    game["amoeba"] = game["winner"] = NOBODY
    # No movement, attack or meal is under way, and nobody owes anything.
    game["mover"] = game["mover_amoeba"] = game["carrier"] = game["carrier_amoeba"] = game["direction"] = NOBODY
    game["carried"][:] = 0
    game["dice"][:] = game["clinging"][:] = 0
    game["movement"] = game["steps"] = game["taken"] = game["carry_colour"] = game["cling_turn"] = 0
    game["attacker"] = game["attacker_amoeba"] = game["victim"] = game["victim_amoeba"] = NOBODY
    game["tapped"] = game["attempts"] = game["lost_fight"] = game["fights"] = game["owed"] = 0
    game["place"] = OFF_BOARD
    game["node"] = Chance.CARD


@compiled
def start_order_drawn(game, rules, number):
    """2. In this order each takes one free start place."""
    nth_permutation(number, rules["players"], game["order"])
    ask(game, Decision.START_PLACE, in_ascending_order(game, 0))


@compiled
def legal_start_places(game, rules):
    """Start places that no marker stands on."""
    for place in range(rules["players"]):
        if not is_occupied(game, rules, place + 1):
            allow(game, actions.FIRST_START + place)


@compiled
def take_start_place(game, rules, action):
    """``start k``."""
    game["marker"][game["player"]] = action - actions.FIRST_START + 1
    game["turn"] += 1
    if game["turn"] < rules["players"]:
        ask(game, Decision.START_PLACE, in_ascending_order(game, game["turn"]))
    else:
        set_ascending_order(game, rules)
        game["turn"] = 0
        _next_to_place(game, rules)


@compiled
def is_first_placing(game, rules):
    """Is this the ascending placing of the first amoebas?"""
    return game["turn"] < rules["players"]


@compiled
def _next_to_place(game, rules):
    """3. Ascending: each places one amoeba. Descending: each a second one."""
    if is_first_placing(game, rules):
        ask(game, Decision.PLACE, in_ascending_order(game, game["turn"]))
    else:
        ask(game, Decision.PLACE, in_descending_order(game, rules, game["turn"] - rules["players"]))


@compiled
def legal_places(game, rules):
    """Spaces with no amoeba at all."""
    taken = 0
    for player in range(rules["players"]):
        taken |= spaces_of(game, rules, player)
    for space in range(NUM_SPACES):
        if (taken >> space) & 1 == 0:
            allow(game, actions.FIRST_SPACE + space)


@compiled
def place_in_setup(game, action):
    """``space s``; the number of the amoeba is asked next."""
    game["place"] = action - actions.FIRST_SPACE
    ask(game, Decision.NUMBER, game["player"])


@compiled
def legal_numbers(game, rules):
    """The player's amoebas that are not on the board (also in phase 4)."""
    for amoeba in range(rules["amoebas"]):
        if game["amoeba_space"][game["player"], amoeba] == OFF_BOARD:
            allow(game, actions.FIRST_AMOEBA + amoeba)


@compiled
def number_in_setup(game, rules, action):
    """``amoeba n``: the first with the DP of section 5, the second with 0 DP."""
    player = int(game["player"])
    amoeba = action - actions.FIRST_AMOEBA
    game["amoeba_space"][player, amoeba] = game["place"]
    game["damage"][player, amoeba] = rules["first_damage"] if is_first_placing(game, rules) else 0
    game["place"] = OFF_BOARD
    game["turn"] += 1
    if game["turn"] < 2 * rules["players"]:
        _next_to_place(game, rules)
    else:
        begin_round(game)


@compiled
def begin_round(game):
    """The next round, or the first one, begins with phase 1 (rules.md section 7)."""
    game["round"] += 1
    game["phase"] = Phase.MOVE_AND_FEED
    game["turn"] = 0
    game["amoeba"] = NOBODY
    game["answers_used"][:] = 0
    game["node"] = Stage.NEXT_AMOEBA
