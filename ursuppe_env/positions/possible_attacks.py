"""Can an attack stand like this? It must have been legal; then its attempts, and the answers to it."""

from collections.abc import Iterator

import numpy as np

from ursuppe_env.positions.standing import Standing
from ursuppe_env.positions.vocabulary import ANSWERS, ANSWERS_THIS_ROUND
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.nodes import Chance, Decision, Phase
from ursuppe_env.rules.state import NOBODY


def attempt_reasons(standing: Standing, is_attacked: bool) -> Iterator[str]:
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


def attack_reasons(standing: Standing) -> Iterator[str]:
    """The attack that is under way must have been legal."""
    game, victim, attacker = standing.game, standing.victim, standing.attacker
    if victim == NOBODY or standing.node == Decision.AGGRESS:
        return
    place = int(game["place"])
    spaces = standing.space("attacker", "attacker_amoeba"), standing.space("victim", "victim_amoeba")
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


def aggression_reasons(standing: Standing) -> Iterator[str]:
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


def answer_reasons(standing: Standing) -> Iterator[str]:
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
