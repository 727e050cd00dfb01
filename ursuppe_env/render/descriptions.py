"""What goes on in a game, in words: the same for the terminal, the drawing and a player at the keyboard.

Amoebas are named as in the action texts: ``2.3`` is amoeba 3 of player 2.
"""

from typing import NamedTuple

import numpy as np

from ursuppe_env.positions import facts
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import FINISHED, PAUSED, Chance, Decision, Movement, Phase
from ursuppe_env.rules.ruleset import SWITCHES, Ruleset
from ursuppe_env.rules.state import NOBODY

PHASES = {
    Phase.SETUP: "set-up",
    Phase.MOVE_AND_FEED: "phase 1: move and feed",
    Phase.ENVIRONMENT: "phase 2: environment and gene defects",
    Phase.NEW_GENES: "phase 3: new genes",
    Phase.DIVISION: "phase 4: division",
    Phase.DEATHS: "phase 5: deaths",
    Phase.SCORING: "phase 6: scoring",
}

QUESTIONS = {
    Decision.START_PLACE: "which start place to take",
    Decision.PLACE: "where to place an amoeba",
    Decision.NUMBER: "which of the own amoebas it is",
    Decision.MOVE: "how the amoeba moves",
    Decision.DIRECTION: "where the step goes",
    Decision.CARRY: "which cubes to take along",
    Decision.CLING: "whether to come along",
    Decision.AGAIN: "whether to step once more",
    Decision.FEED: "how the amoeba feeds",
    Decision.MEAL: "which cubes to eat",
    Decision.DEFEND: "how to answer the attack",
    Decision.DEFECT: "how to pay for the gene defect",
    Decision.BUY: "which gene to buy",
    Decision.DIVIDE: "where to divide",
    Decision.AGGRESS: "whom to attack",
}

EVENTS = {
    Chance.CARD: "the next environment card",
    Chance.START_ORDER: "the start order",
    Chance.DIE: "one die for the step",
    Chance.DICE: "two dice for the step",
    Chance.FIGHT: "the fight between attacker and defender",
}

MOVEMENTS = {Movement.DRIFT: "drifts", Movement.MOVE: "moves", Movement.ESCAPE: "escapes"}
_HUNGER = {Phase.MOVE_AND_FEED: "cannot eat in this round", Phase.DEATHS: "goes hungry unless another attack succeeds"}


def heading(game: np.void, ruleset: Ruleset) -> str:
    """The game, the round, the phase and the edition: ``Ursuppe · round 3 · phase 4: division · edition 1998``."""
    when = [f"round {game['round']}"] if game["round"] else []
    return " · ".join(["Ursuppe", *when, phase_of(game), edition_of(ruleset)])


def edition_of(ruleset: Ruleset) -> str:
    """``edition 1998``, and whether numbers or rules, its switches, are changed: ``edition 1998, changed rules``."""
    kinds = dict.fromkeys("rules" if name in SWITCHES else "numbers" for name in ruleset.changes())
    return f"edition {ruleset.edition}" + (f", changed {' and '.join(kinds)}" if kinds else "")


def phase_of(game: np.void) -> str:
    """``phase 4: division``."""
    return "game over" if game["node"] == FINISHED else PHASES[Phase(int(game["phase"]))]


def gene_with_notes(game: np.void, player: int, gene: int) -> str:
    """The name of a player's gene; a star if it was bought in this round, a note if it has answered an attack."""
    text = GENE_NAMES[gene]
    if game["genes"][player, gene] == game["round"]:
        text += "*"
    use = facts.answer_use(game, player, gene)
    return f"{text} ({use})" if use else text


class Situation(NamedTuple):
    """What the game waits for, such as ``to decide``, player 2, ``– move: how the amoeba moves``."""

    title: str  # "to decide", "chance decides", "paused" or "game over"
    player: int | None  # who decides or is foremost: the beginning of the sentence that ``text`` goes on with
    text: str


def situation(game: np.void) -> Situation:
    """The player and the decision, the chance event, a pause, or at the end who is foremost: not who wins in teams."""
    node, player = int(game["node"]), int(game["player"])
    if node == FINISHED:
        winner = int(game["winner"])
        return Situation("game over", winner, f"has the furthest marker, on place {game['marker'][winner]}")
    if player == PAUSED:
        return Situation("paused", None, f"after the scoring of round {game['round']}")
    if node > Decision.AGGRESS:
        event = Chance(node)
        return Situation("chance decides", None, f"{_in_words(event)} – {EVENTS[event]}")
    decision = Decision(node)
    return Situation("to decide", player, f"– {_in_words(decision)}: {QUESTIONS[decision]}")


def _in_words(node: Decision | Chance) -> str:
    """``start place``."""
    return node.name.lower().replace("_", " ")


def under_way(game: np.void, ruleset: Ruleset) -> list[str]:
    """The facts of the turn that are neither on the board nor among a player's possessions; often none."""
    lines = []
    amoeba, phase = facts.acting(game), Phase(int(game["phase"]))
    if phase == Phase.MOVE_AND_FEED and amoeba is not None:
        lines.append(f"amoeba {amoeba_name(amoeba)} acts in space {facts.space_of(game, amoeba) + 1}")
    if amoeba is not None and game["lost_fight"]:
        lines.append(f"{amoeba_name(amoeba)} has lost a fight and {_HUNGER[phase]}")
    lines += [*_attack(game), *_movement(game, ruleset)]
    if game["node"] == Decision.CLING:
        is_early = ruleset.early_clinging and game["movement"] != Movement.DRIFT
        where = ", wherever the step may lead" if is_early else ""
        lines.append(f"{amoeba_name(facts.asked_to_cling(game, ruleset))} may come along{where}")
    carrier = facts.taking_cubes(game)
    if game["node"] == Decision.CARRY and carrier is not None:
        lines.append(f"{amoeba_name(carrier)} takes cubes along, {game['taken']} of {ruleset.carry} so far")
    if game["tapped"]:
        lines.append("a host has paid for the meal")
    if game["node"] == Decision.DEFECT:
        lines.append(f"MP owed: {game['owed']}")
    if game["node"] == Decision.NUMBER:
        lines.append(f"the new amoeba goes to space {game['place'] + 1}")
    return lines


def _attack(game: np.void) -> list[str]:
    """An attack under way, or one that has failed and may be repeated."""
    attacker, victim = facts.acting(game), facts.attacked(game)
    if attacker is None or not game["attempts"]:
        return []
    if victim is None:
        failed = "the attack" if game["attempts"] == 1 else "the second attack"
        target = facts.amoeba_as(game, "victim")
        again = [] if target is None else [f"a second one can go at {amoeba_name(target)} only"]
        return [f"{failed} of {amoeba_name(attacker)} has failed", *again]
    lines = [f"{amoeba_name(attacker)} attacks {amoeba_name(victim)} in space {game['place'] + 1}"]
    if game["attempts"] > 1:
        lines[0] += " in a second attempt"
    if game["fights"]:
        lines.append("the defender has lost the fight and rolls once more")
    return lines


def _movement(game: np.void, ruleset: Ruleset) -> list[str]:
    """A movement under way, with its dice, cubes and company."""
    mover = facts.moving(game)
    if mover is None:
        return []
    why = MOVEMENTS[Movement(int(game["movement"]))]
    parts = [f"{amoeba_name(mover)} {why} from space {facts.space_of(game, mover) + 1}"]
    if game["steps"]:
        parts.append("first step" if game["steps"] == 1 else "second step")
    dice = [str(face) for face in game["dice"] if face]
    if dice:
        parts.append(f"{'dice' if len(dice) > 1 else 'die'} {' and '.join(dice)}")
    if game["direction"] != NOBODY:
        parts.append(f"to the {DIRECTION_NAMES[game['direction']]}")
    for player, taken in facts.carried(game, ruleset.players).items():
        cubes = " ".join(f"{colour}■{count}" for colour, count in taken.items())
        parts.append(f"with the cubes {cubes}" if player == mover[0] else f"player {player} carrying {cubes}")
    company = [amoeba_name(amoeba) for amoeba in facts.clinging(game)]
    if company:
        parts.append(f"{' and '.join(company)} clinging to it")
    return [", ".join(parts)]
