"""Can a game stand at this position? Whatever came before must have been legal: the engine itself is asked."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_env.line import counted
from ursuppe_env.positions.state_checks import fill_legal_actions
from ursuppe_env.positions.vocabulary import ANSWERING, ANSWERS, ANSWERS_THIS_ROUND, MOVING
from ursuppe_env.rules import kernels, nodes
from ursuppe_env.rules.actions import actions_for, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NEIGHBOUR, OBSTACLE, OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.kernels import STEP
from ursuppe_env.rules.legal import is_legal, legal_action
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase
from ursuppe_env.rules.phases.displacement import is_mover
from ursuppe_env.rules.ruleset import Ruleset
from ursuppe_env.rules.state import NOBODY


class Standing:
    """A state, with the questions that the checks ask about it."""

    def __init__(self, states: NDArray[np.void], ruleset: Ruleset) -> None:
        self.states = states
        self.ruleset = ruleset
        self.game = game = states[0]
        self.name = _described(game)
        self.node, self.player, self.phase = (int(game[name]) for name in ("node", "player", "phase"))
        roles = ("mover", "carrier", "attacker", "victim")
        self.mover, self.carrier, self.attacker, self.victim = (int(game[role]) for role in roles)
        self.is_escape = bool(game["movement"] == Movement.ESCAPE)
        # Is an amoeba asked to cling, or does one that clings take cubes along?
        is_clinger = self.node == Decision.CARRY and not is_mover(game, self.carrier, int(game["carrier_amoeba"]))
        self.is_asking_clingers = self.node == Decision.CLING or is_clinger

    def has(self, player: int, *genes: Gene) -> bool:
        """Does the player own one of these genes?"""
        return bool((self.game["genes"][player, list(genes)] > 0).any())

    def space(self, role: str) -> int:
        """The space of an amoeba by its fields, such as ``mover`` and ``mover_amoeba``."""
        return int(self.game["amoeba_space"][self.game[role], self.game[f"{role}_amoeba"]])

    def was_legal(self, decision: Decision, player: int, action: str, change: Callable[[np.void], None]) -> bool:
        """Was the action legal for the player in a decision that came before, at the state that ``change`` makes?"""
        game = self.states.copy()[0]
        game["node"], game["player"] = decision, player
        change(game)
        fill_legal_actions(game, self.ruleset)
        return bool(is_legal(game, actions_for(self.ruleset.players).id(action, player)))


def _described(game: np.void) -> str:
    """What the game stands at, in words."""
    node, player = int(game["node"]), int(game["player"])
    if player >= 0:
        return f"the decision {Decision(node).name.lower()} of player {player}"
    if player == nodes.PAUSED:
        return "the pause after a round"
    return "the end" if node == nodes.FINISHED else f"the chance event {Chance(node).name.lower()}"


def reasons(standing: Standing) -> Iterator[str]:
    """Why no game can stand like this, though each of its numbers and the table (``state_checks.py``) are possible.

    The first reason is sound; what comes after it may follow from it.
    """
    is_moving = standing.mover != NOBODY
    checks: tuple[Callable[[Standing], Iterator[str]], ...] = (
        *(_other_legal_actions, _set_up, _what_does_not_belong),
        *((_mover, _dice, _displacement, _clinging, _carrying, _taken) if is_moving else ()),
        *(_attack, _aggression, _answers),
        *(_number, _debt, _too_few_actions),
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
    if standing.node in (Decision.PLACE, Decision.NUMBER):
        yield from _placed_amoebas(standing)
        return
    if (game["amoeba_space"] != OFF_BOARD).any():
        yield f"there is an amoeba on the board at {standing.name}; it must be empty"
    if standing.node != Decision.START_PLACE and game["marker"].any():
        yield f"there is a marker on the track at {standing.name}; it must be empty"
    if game["marker"].max() > players:
        yield f"a marker stands on place {game['marker'].max()}; start places are 1 ... {players}"


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
    is_moving = node in MOVING
    if is_moving != (standing.mover != NOBODY):
        yield f"{standing.name} {'needs' if is_moving else 'has no'} movement"
    is_attacked = node in ANSWERING or standing.is_escape
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
    yield from _attempts(standing, is_attacked)


# ---------------------------------------------------------------------- a movement


def _mover(standing: Standing) -> Iterator[str]:
    """Who moves, and how."""
    game, node, mover = standing.game, standing.node, standing.mover
    name = amoeba_name((mover, int(game["mover_amoeba"])))
    if standing.is_escape:
        if (game["victim"], game["victim_amoeba"]) != (game["mover"], game["mover_amoeba"]):
            yield f"{name} escapes; the victim of the attack must be the same amoeba"
    elif standing.phase != Phase.MOVE_AND_FEED:
        yield "in phase deaths amoebas only escape"
    if game["movement"] == Movement.DRIFT and node not in (Decision.CARRY, Decision.CLING):
        yield f"a drift does not come to {standing.name}"
    has_second_step = standing.has(mover, Gene.SPEED, Gene.ENDURANCE)
    if (game["steps"] == 2 or node == Decision.AGAIN) and not has_second_step:
        yield f"player {mover} owns neither speed nor endurance and steps only once"
    if node == Decision.AGAIN and game["steps"] != 1:
        yield "step is 2; after the second step nobody is asked again"


def _dice(standing: Standing) -> Iterator[str]:
    """Movement II needs no dice, Movement I two, others one; they lie from the roll to the end of the step."""
    game, node, mover = standing.game, standing.node, standing.mover
    usual = 0 if standing.has(mover, Gene.MOVEMENT_2) else 2 if standing.has(mover, Gene.MOVEMENT_1) else 1
    if node in (Chance.DIE, Chance.DICE) and usual != 1 + (node == Chance.DICE):
        yield f"player {mover} rolls {('no die', 'one die', 'two dice')[usual]}; it cannot be {standing.name}"
    is_rolled = _is_chosen(standing) or node == Decision.DIRECTION
    needed = usual if is_rolled and game["movement"] != Movement.DRIFT else 0
    dice = [int(face) for face in game["dice"] if face]
    if len(dice) != needed:
        yield f"dice is {dice}; at {standing.name} it must have {needed} numbers, by the genes of player {mover}"


def _displacement(standing: Standing) -> Iterator[str]:
    """Where it goes."""
    game, mover = standing.game, standing.mover
    direction = int(game["direction"])
    if _is_chosen(standing) != (direction != NOBODY):
        yield f"{standing.name} {'needs' if _is_chosen(standing) else 'has no'} direction"
    if direction != NOBODY:
        space, word = standing.space("mover"), DIRECTION_NAMES[direction]
        is_drift = game["movement"] == Movement.DRIFT
        if NEIGHBOUR[space, direction] == OBSTACLE:
            yield f"nothing moves {word} from space {space + 1}"
        elif not is_drift and not standing.was_legal(Decision.DIRECTION, mover, word, lambda game: None):
            yield f"direction is {word!r}, which the dice do not allow"


def _is_chosen(standing: Standing) -> bool:
    """Is the direction of the displacement known? Early clingers are asked before an active step has one."""
    if standing.game["movement"] == Movement.DRIFT or not standing.is_asking_clingers:
        return standing.node in (Decision.CARRY, Decision.CLING)
    return not standing.ruleset.early_clinging


def _carrying(standing: Standing) -> Iterator[str]:
    """The cubes on their way: whose amoebas can have taken how many, and those of the amoeba that is taking some."""
    game, ruleset = standing.game, standing.ruleset
    for player in range(ruleset.players):
        cubes, is_carrier = int(game["carried"][player].sum()), player == standing.carrier
        if (cubes or is_carrier) and not standing.has(player, Gene.TENTACLE):
            yield f"player {player} does not own tentacle and carries no cubes"
        of_others = _finished_carriers(standing, player) * ruleset.carry
        most = of_others + (ruleset.carry - 1 if is_carrier else 0)
        if cubes > most:
            yield f"player {player} carries {counted(cubes, 'cube')}; at {standing.name} it must be at most {most}"
        least, taken = max(0, cubes - of_others), int(game["taken"])
        if is_carrier and not least <= taken <= cubes:
            whose = f"of the {counted(cubes, 'cube')} that player {player} carries"
            yield f"taken is {taken}; {whose} it must be {least} ... {cubes}"


def _finished_carriers(standing: Standing, player: int) -> int:
    """How many amoebas of the player have taken along what they want: the mover and, if they may, those that cling."""
    game, ruleset = standing.game, standing.ruleset
    carriers = int(game["clinging"][player]).bit_count() if ruleset.clinging_carries else 0
    if player == standing.mover:
        carriers += not ruleset.early_clinging if standing.is_asking_clingers else standing.node == Decision.CARRY
    return carriers - (player == standing.carrier)


def _taken(standing: Standing) -> Iterator[str]:
    """The amoeba that takes cubes along takes them in the order of the colours."""
    game = standing.game
    if standing.carrier == NOBODY:
        return
    if game["taken"] >= standing.ruleset.carry:
        yield f"taken is {game['taken']}; at {standing.name} it must be less than {standing.ruleset.carry}"
    colour, carried = int(game["carry_colour"]), game["carried"][standing.carrier]
    if (carried[colour] == 0) if game["taken"] else colour != 0:
        yield f"colour is {colour}, of which the amoeba has taken no cube"
    if carried[: colour + 1].sum() < game["taken"]:
        yield f"taken is {game['taken']}; there are fewer cubes up to colour {colour} among those carried"


def _clinging(standing: Standing) -> Iterator[str]:
    """Amoebas that come along, or are asked whether they do, may cling and are in the space of the moving one."""
    game, ruleset = standing.game, standing.ruleset
    asked = int(game["cling_turn"]) if standing.is_asking_clingers else None
    is_carrying = standing.node == Decision.CARRY
    # They are asked last of all, or first with early_clinging (rules.md, phase 1).
    may_have_answered = standing.is_asking_clingers or (ruleset.early_clinging and standing.node != Decision.AGAIN)
    if is_carrying and standing.is_asking_clingers and not ruleset.clinging_carries:
        yield "carrier must be the moving amoeba; with this ruleset one that clings takes no cubes"
    for turn, player in enumerate(game["order"][: ruleset.players].tolist()):
        for number in range(ruleset.amoebas):
            place = turn * ruleset.amoebas + number
            clings = int(game["clinging"][player]) >> number & 1
            name = amoeba_name((player, number))
            if place == asked and is_carrying and not clings:
                yield f"{name} takes cubes along; it must be among clinging"
            if place == asked or clings:
                yield from _clinger(standing, player, number)
            if clings and not may_have_answered:
                yield f"{name} cannot have said at {standing.name} that it clings"
            if clings and asked is not None and asked + is_carrying <= place:
                yield f"{name} cannot have said that it clings; it is asked later"


def _clinger(standing: Standing, player: int, number: int) -> Iterator[str]:
    game, mover = standing.game, standing.mover
    name = amoeba_name((player, number))
    if (player, number) == (mover, game["mover_amoeba"]):
        yield f"{name} cannot cling; it is the moving amoeba itself"
    elif not standing.has(player, Gene.HOLDING) or (player == mover and not standing.ruleset.own_clinging):
        whose = "somebody" if standing.ruleset.own_clinging else f"an opponent of player {mover}"
        yield f"{name} cannot cling; it must belong to {whose} who owns holding"
    if game["amoeba_space"][player, number] != standing.space("mover"):
        yield f"{name} cannot cling; it must be in the space of the moving amoeba"


# ---------------------------------------------------------------------- an attack


def _attempts(standing: Standing, is_attacked: bool) -> Iterator[str]:
    """How often the acting amoeba or the aggressor has attacked, and what came of it."""
    game, node = standing.game, standing.node
    attempts = int(game["attempts"])
    if is_attacked or (node == Decision.AGGRESS and standing.attacker != NOBODY):
        player, possible = standing.attacker, [1, 2] if is_attacked else [1]
    elif node in (Decision.FEED, Decision.MEAL):
        player, possible = int(game["player"]), [0, 1, 2]
    else:
        player, possible = NOBODY, [0]
    if attempts not in possible:
        yield f"attempts is {attempts}; at {standing.name} it must be {' or '.join(map(str, possible))}"
    if attempts and not standing.has(player, Gene.STRUGGLE_FOR_SURVIVAL, Gene.AGGRESSION):
        yield f"player {player} owns neither struggle_for_survival nor aggression and cannot have attacked"
    if attempts == 2 and not standing.has(player, Gene.ENDURANCE):
        yield f"player {player} does not own endurance and cannot have attacked twice"
    can_be_lost = standing.phase == Phase.MOVE_AND_FEED or standing.ruleset.hungry_aggressor
    if game["lost_fight"] and (not can_be_lost or node == Decision.MEAL or attempts < 1 + is_attacked):
        yield f"lost_fight cannot be true at {standing.name} with {attempts} attempts"


def _attack(standing: Standing) -> Iterator[str]:
    """The attack that is under way must have been legal."""
    game, victim, attacker = standing.game, standing.victim, standing.attacker
    if victim == NOBODY or standing.node == Decision.AGGRESS:
        return
    place = int(game["place"])
    spaces = standing.space("attacker"), standing.space("victim")
    has_stepped = standing.is_escape and (game["steps"] == 2 or standing.node == Decision.AGAIN)
    if not has_stepped and spaces != (place, place):
        yield f"attacker and victim must both be in the space of the attack, {place + 1}"
    target = amoeba_name((victim, int(game["victim_amoeba"])))
    is_phase_1 = standing.phase == Phase.MOVE_AND_FEED
    has_moved = standing.is_escape or bool(int(game["answers_used"][victim]) & ANSWERS["escape"])

    def before(game: np.void) -> None:
        game["attempts"] -= 1
        game["bp"][attacker] += standing.ruleset.attack_cost
        if has_moved:  # the escape may have moved all of them, and a Tentacle cubes, since the attack
            game["amoeba_space"][victim, game["victim_amoeba"]] = place
            game["amoeba_space"][attacker, game["attacker_amoeba"]] = place
            game["food"][place] = 0

    decision = Decision.FEED if is_phase_1 else Decision.AGGRESS
    if not standing.was_legal(decision, attacker, f"attack {target}", before):
        yield f"player {attacker} could not attack {target}: it was not legal in the decision {decision.name.lower()}"
    own = np.flatnonzero(game["amoeba_space"][attacker] == place)
    is_first_attempt = not is_phase_1 and game["attempts"] == 1
    if is_first_attempt and not has_moved and own[0] != game["attacker_amoeba"]:
        yield f"the attacker must be the lowest-numbered amoeba in its space, {amoeba_name((attacker, int(own[0])))}"


def _aggression(standing: Standing) -> Iterator[str]:
    """Who may attack in phase 5."""
    game, player = standing.game, int(standing.game["player"])
    if standing.phase != Phase.DEATHS:
        return
    aggressor = player if standing.attacker == NOBODY else standing.attacker
    if not standing.has(aggressor, Gene.AGGRESSION):
        yield f"player {aggressor} does not own aggression and does not attack in phase deaths"
    if standing.node != Decision.AGGRESS:
        return
    if game["attempts"] == 0 and game["bp"][player] < standing.ruleset.attack_cost:
        yield f"player {player} has {game['bp'][player]} BP; an attack costs {standing.ruleset.attack_cost}"
    if game["attempts"] and not standing.has(player, Gene.ENDURANCE):
        yield f"player {player} does not own endurance and does not attack a second time"
    if standing.victim == player:
        yield f"the victim of player {player} must belong to another player"


def _answers(standing: Standing) -> Iterator[str]:
    """Answers used: those of the attacked in this attack; with paired_answers_once those of everybody in this round."""
    game, victim = standing.game, standing.victim
    for player in range(standing.ruleset.players):
        used = int(game["answers_used"][player])
        for name, bit in ANSWERS.items():
            is_used, is_used_this_round = bool(used & bit), bool(used & ANSWERS_THIS_ROUND[name])
            if is_used and player != victim:
                yield f"player {player} has used {name}, but is not attacked"
            if is_used_this_round and not (standing.ruleset.paired_answers_once and game["round"]):
                yield f"player {player} has used {name} in this round; it is counted with paired_answers_once alone"
            if is_used and not is_used_this_round and standing.ruleset.paired_answers_once:
                yield f"player {player} has used {name}; it must be among answers_used"
            if is_used or (is_used_this_round and standing.phase == Phase.MOVE_AND_FEED):
                if not standing.has(player, Gene[name.upper()]):
                    yield f"player {player} has used {name}, but does not own it"
    needed = "defense" if standing.node == Chance.FIGHT else "escape" if standing.is_escape else None
    if needed:
        if not standing.has(victim, Gene[needed.upper()]):
            yield f"player {victim} does not own {needed}, which {standing.name} needs"
        if not int(game["answers_used"][victim]) & ANSWERS[needed]:
            yield f"player {victim} must have used {needed} at {standing.name}"


# ---------------------------------------------------------------------- what is asked


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
        stops = nodes.STOP_AT_CHANCE | nodes.STOP_AFTER_ROUND
        kernels.run(after, standing.ruleset.record, STEP, np.array([action]), stops)
    text = actions_for(standing.ruleset.players).text(action, int(game["player"]))
    then = _described(after[0])
    yield f"only {text!r} is legal at {standing.name}, so nobody is asked; the game would go on to {then}"
