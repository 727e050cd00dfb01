"""Where a game can stand: the decisions, the chance events and the stages between them (rules.md section 8)."""

from enum import IntEnum


class Decision(IntEnum):
    """The points where a player has two or more legal actions; names as in rules.md section 8."""

    START_PLACE = 0
    PLACE = 1
    NUMBER = 2
    MOVE = 3
    DIRECTION = 4
    CARRY = 5
    CLING = 6
    AGAIN = 7
    FEED = 8
    MEAL = 9
    DEFEND = 10
    DEFECT = 11
    BUY = 12
    DIVIDE = 13
    AGGRESS = 14


class Chance(IntEnum):
    """The chance events of rules.md section 8."""

    CARD = 15
    START_ORDER = 16
    DIE = 17
    DICE = 18
    FIGHT = 19


class Stage(IntEnum):
    """What the rules do next where nobody decides."""

    NEXT_AMOEBA = 20  # phase 1: the next amoeba acts
    ACTIVE_STEP = 21  # movement: one active step begins
    ROLL = 22  # its dice
    TAKE_CUBES = 23  # Tentacle
    ASK_CLINGERS = 24  # Holding
    CHANGE_SPACE = 25  # all of them change space together
    STEP_DONE = 26  # after a step, whatever came of it
    ESCAPE_DONE = 27  # has the attacked amoeba escaped?
    ENVIRONMENT = 28  # phase 2
    NEXT_DEBTOR = 29
    DEBT = 30
    NEXT_BUYER = 31  # phase 3
    NEXT_DIVIDER = 32  # phase 4
    DEATHS = 33  # phase 5
    NEXT_AGGRESSOR = 34
    AGGRESSOR_DONE = 35
    SCORING = 36  # phase 6
    NEXT_ROUND = 37


FINISHED = -1  # as a node, a decision or the player to act
CHANCE_PLAYER = -2  # "the player to act" at a chance event
PAUSED = -3  # "the player to act" after a phase 6 that the batch was asked to stop at

# Where ``advance`` stops besides decisions, as bits.
STOP_AT_CHANCE = 1
STOP_AFTER_ROUND = 2


class Phase(IntEnum):
    """The phases of a round (rules.md section 7), the set-up before them."""

    SETUP = 0
    MOVE_AND_FEED = 1
    ENVIRONMENT = 2
    NEW_GENES = 3
    DIVISION = 4
    DEATHS = 5
    SCORING = 6


class Movement(IntEnum):
    """Why an amoeba leaves, or may leave, its space."""

    NONE = 0
    DRIFT = 1
    MOVE = 2
    ESCAPE = 3
