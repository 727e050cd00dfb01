"""Can a game stand at this position? Whatever came before must have been legal: the engine itself is asked."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ursuppe_env import kernels
from ursuppe_env.positions.possible_attacks import aggression_reasons, answer_reasons, attack_reasons, attempt_reasons
from ursuppe_env.positions.possible_movements import (
    carrying_reasons,
    clinging_reasons,
    displacement_reasons,
    movement_reasons,
)
from ursuppe_env.positions.standing import Standing, described
from ursuppe_env.positions.state_checks import fill_legal_actions
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.game import STEP
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.legal import legal_action
from ursuppe_env.rules.nodes import STOP_AFTER_ROUND, STOP_AT_CHANCE, Chance, Decision, Phase
from ursuppe_env.rules.state import NOBODY

_MOVING = (
    *(Decision.DIRECTION, Decision.CARRY, Decision.CLING, Decision.AGAIN),
    *(Chance.DIE, Chance.DICE),
)
_ANSWERING = (Decision.DEFEND, Chance.FIGHT)


def reasons(standing: Standing) -> Iterator[str]:
    """Why no game can stand like this, though each of its numbers and the table (``state_checks.py``) are possible.

    The first reason is sound; what comes after it may follow from it.
    """
    checks: tuple[Callable[[Standing], Iterator[str]], ...] = (
        _other_legal_actions,
        _set_up,
        _what_does_not_belong,
        movement_reasons,
        displacement_reasons,
        clinging_reasons,
        carrying_reasons,
        attack_reasons,
        aggression_reasons,
        answer_reasons,
        _number,
        _debt,
        _too_few_actions,
    )
    return (reason for check in checks for reason in check(standing))


def _other_legal_actions(standing: Standing) -> Iterator[str]:
    """The legal actions are in the state; the ruleset must make the same ones legal."""
    game = standing.game
    if standing.player < 0:
        if game["num_legal"] != 0 or game["legal"].any():
            yield f"it has legal actions, but nobody decides at {standing.name}"
        return
    again = standing.states.copy()[0]
    fill_legal_actions(again, standing.ruleset)
    if game["num_legal"] != again["num_legal"] or (game["legal"] != again["legal"]).any():
        decision = Decision(standing.node).name.lower()
        yield f"with this ruleset other actions are legal in its decision {decision}"


def _set_up(standing: Standing) -> Iterator[str]:
    """In the set-up everything but the markers and the first amoebas is as at the beginning."""
    game, ruleset = standing.game, standing.ruleset
    if standing.phase != Phase.SETUP:
        return
    players = ruleset.players
    if (game["food"][:, :players] != ruleset.start_food).any():
        yield f"food must be {ruleset.start_food} cubes of each colour on each space in the set-up"
    if (game["bp"][:players] != ruleset.start_bp).any():
        yield f"bp must be {ruleset.start_bp} for each player in the set-up"
    is_placing = standing.node in (Decision.PLACE, Decision.NUMBER)
    if not is_placing:
        if (game["amoeba_space"] != OFF_BOARD).any():
            yield f"there is an amoeba on the board at {standing.name}; it must be empty"
        if standing.node != Decision.START_PLACE and game["marker"].any():
            yield f"there is a marker on the track at {standing.name}; it must be empty"
        if game["marker"].max() > players:
            yield f"a marker stands on place {game['marker'].max()}; start places are 1 ... {players}"
        return
    yield from _placed_amoebas(standing)


def _placed_amoebas(standing: Standing) -> Iterator[str]:
    """Ascending one amoeba each, descending a second one, each in a space of its own."""
    game, ruleset = standing.game, standing.ruleset
    order, turn = game["order"][: ruleset.players].tolist(), int(game["turn"])
    placed = (order + order[::-1])[:turn]
    spaces = game["amoeba_space"][game["amoeba_space"] != OFF_BOARD]
    if len(set(spaces.tolist())) < len(spaces):
        yield "two amoebas share a space in the set-up; each is placed on a space with no amoeba"
    for player in range(ruleset.players):
        own = game["amoeba_space"][player] != OFF_BOARD
        count = placed.count(player)
        if own.sum() != count:
            yield f"player {player} has {own.sum()} amoebas on the board; with {turn} placed in all it must be {count}"
        damage = sorted([ruleset.first_damage, 0][:count])
        if sorted(game["damage"][player][own].tolist()) != damage:
            yield f"the amoebas of player {player} have other DP in the set-up; it must be {damage}"


def _what_does_not_belong(standing: Standing) -> Iterator[str]:
    """What is under way belongs to certain nodes."""
    game, node = standing.game, standing.node
    is_moving = node in _MOVING
    if is_moving != (standing.mover != NOBODY):
        yield f"{standing.name} {'needs' if is_moving else 'has no'} movement"
    is_attacked = node in _ANSWERING or standing.is_escape
    can_be_again = node == Decision.AGGRESS and game["attempts"] == 1 and standing.ruleset.same_victim
    if (is_attacked or can_be_again) != (standing.victim != NOBODY):
        yield f"{standing.name} {'has no' if standing.victim != NOBODY else 'needs'} attack with a victim"
    if node == Decision.NUMBER and game["place"] == OFF_BOARD:
        yield f"{standing.name} needs place, the space of the new amoeba"
    if game["place"] != OFF_BOARD and node != Decision.NUMBER and not is_attacked:
        yield f"{standing.name} has no place"
    if game["tapped"] and not (node == Decision.MEAL and standing.has(int(game["player"]), Gene.PARASITISM)):
        yield "tapped belongs to the decision meal of an owner of parasitism"
    if game["owed"] and node != Decision.DEFECT:
        yield "owed belongs to the decision defect"
    if game["fights"] and not (node == Chance.FIGHT and standing.has(standing.victim, Gene.ENDURANCE)):
        yield "lost_fights belongs to the chance event fight against an owner of endurance"
    yield from attempt_reasons(standing, is_attacked)


def _number(standing: Standing) -> Iterator[str]:
    """The space for the new amoeba must have been legal."""
    if standing.node != Decision.NUMBER:
        return
    game, ruleset = standing.game, standing.ruleset
    player, space = int(game["player"]), int(game["place"]) + 1

    def before(game: np.void) -> None:
        game["bp"][player] += max(ruleset.division_cost, ruleset.fast_division_cost)

    decision = Decision.PLACE if standing.phase == Phase.SETUP else Decision.DIVIDE
    if not standing.was_legal(decision, player, f"space {space}", before):
        yield f"place is {space}, which was not legal for player {player} in decision {decision.name.lower()}"


def _debt(standing: Standing) -> Iterator[str]:
    """MP beyond the ozone value; a Ray Protection that was discarded has paid its own number."""
    if standing.node != Decision.DEFECT:
        return
    game, ruleset = standing.game, standing.ruleset
    player, owed = int(game["player"]), int(game["owed"])
    points, ray = ruleset.mutation_points, Gene.RAY_PROTECTION
    ozone = ruleset.environment[game["card"]][1]
    excess = sum(points[gene] for gene in range(len(GENE_NAMES)) if game["genes"][player, gene]) - ozone
    possible = [excess]
    if game["supply"][ray] and not standing.has(player, ray):
        possible.append(excess + points[ray] - ruleset.ray_protection_payment)
    if owed < 1 or owed not in possible:
        right = " or ".join(str(number) for number in possible if number > 0)
        what = f"it must be {right}" if right else "nothing is owed"
        yield f"owed is {owed}; with {excess + ozone} MP and ozone {ozone} {what}"


def _too_few_actions(standing: Standing) -> Iterator[str]:
    """A decision has two legal actions or more."""
    game = standing.game
    if game["player"] < 0 or game["num_legal"] > 1:
        return
    if game["num_legal"] == 0:
        yield f"no action is legal at {standing.name}"
        return
    action = int(legal_action(game, 0))
    after: Any = standing.states.copy()
    with np.errstate(over="ignore"):
        stops = STOP_AT_CHANCE | STOP_AFTER_ROUND
        kernels.run(after, standing.ruleset.record, STEP, np.array([action]), stops)
    text = actions_for(standing.ruleset.players).text(action, int(game["player"]))
    yield (
        f"only {text!r} is legal at {standing.name}, so nobody is asked; the game would go on to {described(after[0])}"
    )
