"""Phase 1a: whose amoeba acts, drift, active steps (rules.md section 7); what displaces it is in ``displacement.py``.

An active step is the same in a move and in an escape. It runs through these stages (rules.md, end of section 10):

    ACTIVE_STEP -> [early_clinging: ASK_CLINGERS] -> ROLL -> direction -> TAKE_CUBES
                -> [else: ASK_CLINGERS] -> CHANGE_SPACE -> STEP_DONE -> again?

Whoever clings may take cubes at once with ``clinging_carries``; a drift asks early clingers before TAKE_CUBES.
"""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import FREE_CHOICE, NEIGHBOUR, OBSTACLE, OFF_BOARD, Direction
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Stage
from ursuppe_env.rules.phases.displacement import put_cubes_down
from ursuppe_env.rules.state import NOBODY, ask, has, in_ascending_order

ALL_DIRECTIONS = 0b01111  # bits by Direction
STAY_BIT = 0b10000


@compiled
def next_amoeba(game, rules):
    """Phase 1 (ascending): a player's amoebas act in the order of their numbers, each on the board once."""
    game["attempts"] = 0
    game["lost_fight"] = 0
    while game["turn"] < rules["players"]:
        player = in_ascending_order(game, game["turn"])
        game["amoeba"] += 1
        while game["amoeba"] < rules["amoebas"]:
            if game["amoeba_space"][player, game["amoeba"]] != OFF_BOARD:
                ask(game, Decision.MOVE, player)
                return
            game["amoeba"] += 1
        game["amoeba"] = NOBODY
        game["turn"] += 1
    game["node"] = Stage.ENVIRONMENT


@compiled
def step_cost(game, rules, player):
    """BP for a move or an escape: none with Streamlining."""
    return 0 if has(game, player, Gene.STREAMLINING) else rules["move_cost"]


@compiled
def legal_moves(game, rules):
    """``drift`` always, ``move`` if the owner can pay for it, ``hold`` with Holding."""
    player = int(game["player"])
    allow(game, actions.DRIFT)
    if game["bp"][player] >= step_cost(game, rules, player):
        allow(game, actions.MOVE)
    if has(game, player, Gene.HOLDING):
        allow(game, actions.HOLD)


@compiled
def choose_move(game, rules, action):
    """The acting amoeba drifts, makes an active step or stays."""
    player = int(game["player"])
    if action == actions.HOLD:
        ask(game, Decision.FEED, player)
    elif action == actions.DRIFT:
        _drift(game, rules, player)
    else:
        game["bp"][player] -= step_cost(game, rules, player)
        begin_steps(game, Movement.MOVE, player, game["amoeba"])


@compiled
def _drift(game, rules, player):
    """One space in the direction of the environment card; none if that is "none" or an obstacle."""
    direction = rules["card_direction"][game["card"]]
    space = int(game["amoeba_space"][player, game["amoeba"]])
    if direction == Direction.STAY or NEIGHBOUR[space, direction] == OBSTACLE:
        ask(game, Decision.FEED, player)
        return
    game["movement"] = Movement.DRIFT
    game["mover"] = player
    game["mover_amoeba"] = game["amoeba"]
    game["direction"] = direction
    game["node"] = Stage.ASK_CLINGERS if rules["early_clinging"] else Stage.TAKE_CUBES


@compiled
def begin_steps(game, movement, player, amoeba):
    """A move or an escape, already paid for, begins with its first active step."""
    game["movement"] = movement
    game["mover"] = player
    game["mover_amoeba"] = amoeba
    game["steps"] = 0
    game["node"] = Stage.ACTIVE_STEP


@compiled
def begin_step(game, rules):
    """An active step; with ``early_clinging`` Holding is asked first of all."""
    game["steps"] += 1
    game["node"] = Stage.ASK_CLINGERS if rules["early_clinging"] else Stage.ROLL


@compiled
def roll(game):
    """Dice: none with Movement II, two with Movement I, else one."""
    if has(game, game["mover"], Gene.MOVEMENT_2):
        ask(game, Decision.DIRECTION, game["mover"])
    elif has(game, game["mover"], Gene.MOVEMENT_1):
        game["node"] = Chance.DICE
    else:
        game["node"] = Chance.DIE


@compiled
def rolled(game, first, second):
    """The dice lie; ``second`` is 0 where only one was rolled."""
    game["dice"][0] = first
    game["dice"][1] = second
    ask(game, Decision.DIRECTION, game["mover"])


@compiled
def _options_of_die(face):
    """1-4 its direction, 5 stay, 6 any of the four directions (not stay [R3])."""
    if face == 0:
        return 0
    if face == FREE_CHOICE:
        return ALL_DIRECTIONS
    return 1 << (face - 1)


@compiled
def legal_directions(game, rules):
    """The options of all dice together; an option towards an obstacle *is* the option stay."""
    if has(game, game["mover"], Gene.MOVEMENT_2):
        rolled_options = ALL_DIRECTIONS | STAY_BIT if rules["free_stay"] else ALL_DIRECTIONS
    else:
        rolled_options = _options_of_die(game["dice"][0]) | _options_of_die(game["dice"][1])
    space = game["amoeba_space"][game["mover"], game["mover_amoeba"]]
    stay = rolled_options & STAY_BIT != 0
    for direction in range(4):
        if (rolled_options >> direction) & 1:
            if NEIGHBOUR[space, direction] == OBSTACLE:
                stay = True
            else:
                allow(game, actions.FIRST_DIRECTION + direction)
    if stay:
        allow(game, actions.FIRST_DIRECTION + Direction.STAY)


@compiled
def choose_direction(game, rules, action):
    """The step displaces the amoeba, or it stays; then the answers of early clingers lapse."""
    direction = action - actions.FIRST_DIRECTION
    if direction == Direction.STAY:
        put_cubes_down(game, rules)
        game["node"] = Stage.STEP_DONE
    else:
        game["direction"] = direction
        game["node"] = Stage.TAKE_CUBES


@compiled
def step_done(game):
    """After the first active step, whatever came of it, Speed and Endurance may step again."""
    game["clinging"][:] = 0
    game["dice"][:] = 0
    game["direction"] = NOBODY
    player = int(game["mover"])
    may_repeat = has(game, player, Gene.SPEED) or has(game, player, Gene.ENDURANCE)
    if game["steps"] == 1 and may_repeat:
        ask(game, Decision.AGAIN, player)
    else:
        _steps_done(game)


@compiled
def legal_agains(game):
    """``again`` or ``pass``."""
    allow(game, actions.AGAIN)
    allow(game, actions.PASS)


@compiled
def choose_again(game, action):
    """A second, free active step or none."""
    if action == actions.AGAIN:
        game["node"] = Stage.ACTIVE_STEP
    else:
        _steps_done(game)


@compiled
def _steps_done(game):
    """A drift or a move is followed by feeding, an escape by its result."""
    if game["movement"] == Movement.ESCAPE:
        game["node"] = Stage.ESCAPE_DONE
    else:
        ask(game, Decision.FEED, game["mover"])
    game["movement"] = Movement.NONE
    game["mover"] = NOBODY
    game["mover_amoeba"] = NOBODY
    game["steps"] = 0
