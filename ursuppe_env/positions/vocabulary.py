"""The vocabulary of a position: its keys, and the names of decisions, chance events, phases and the like."""

from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase
from ursuppe_env.rules.phases.combat import DEFENSE_USED, DEFENSE_USED_THIS_ROUND, ESCAPE_USED, ESCAPE_USED_THIS_ROUND

FORMAT = "ursuppe-position/1"

DECISIONS = {decision.name.lower(): decision for decision in Decision}
CHANCE_EVENTS = {chance.name.lower(): chance for chance in Chance}
PHASES = {phase.name.lower(): phase for phase in Phase}
MOVEMENTS = {movement.name.lower(): movement for movement in Movement if movement}
#: The nodes where an amoeba acts, moves, and where it is attacked.
ACTING = (Decision.MOVE, Decision.FEED, Decision.MEAL)
MOVING = (Decision.DIRECTION, Decision.CARRY, Decision.CLING, Decision.AGAIN, Chance.DIE, Chance.DICE)
ANSWERING = (Decision.DEFEND, Chance.FIGHT)
#: Bits of the state for the answers used in this attack, and in this round.
ANSWERS = {"defense": DEFENSE_USED, "escape": ESCAPE_USED}
ANSWERS_THIS_ROUND = {"defense": DEFENSE_USED_THIS_ROUND, "escape": ESCAPE_USED_THIS_ROUND}
STREAMS = ("card", "start_order", "dice", "fight", "choice")  # in the order of their numbers in rules/chance.py

PAUSED = "paused"
FINISHED = "finished"

KEYS = (
    *("format", "players", "edition", "ruleset"),
    *("round", "phase", "decision", "player", "chance", PAUSED, FINISHED),
    *("card", "earlier_cards", "markers", "start_order"),
    *("bp", "genes", "supply", "amoebas", "food", "reserve"),
    *("acting", "movement", "attack", "attempts", "lost_fight", "tapped", "place", "owed", "answers_used"),
    "streams",
)
MOVEMENT_KEYS = (
    *("kind", "amoeba", "step", "dice", "direction"),
    *("carried", "carrier", "taken", "colour", "clinging", "asked"),
)
ATTACK_KEYS = ("attacker", "victim", "space", "lost_fights", "answers")
STREAM_KEYS = ("seed", "index", "episode", "draws")
