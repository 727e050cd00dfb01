"""Attacks and the answers to them, in phase 1 (feeding) and phase 5 (Aggression) (rules.md section 7)."""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import actions
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.chance import DEFENDER_WINS
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.legal import allow
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase, Stage
from ursuppe_env.rules.phases.movement import begin_steps, step_cost
from ursuppe_env.rules.ruleset import MAX_AMOEBAS
from ursuppe_env.rules.state import NOBODY, ask, has, owns_amoeba_in, place_cubes_of_each_colour, seat_after

# Bits of ``answers_used``: in this attack, and in this round, kept with ``paired_answers_once`` alone.
DEFENSE_USED = 1
ESCAPE_USED = 2
DEFENSE_USED_THIS_ROUND = 4
ESCAPE_USED_THIS_ROUND = 8
USED_THIS_ROUND = DEFENSE_USED_THIS_ROUND | ESCAPE_USED_THIS_ROUND


@compiled
def begin_attack(game, rules, attacker_amoeba, action):
    """``attack j.n``: the first attempt is paid for, the second one of Endurance is free; the victim may answer."""
    attacker = int(game["player"])
    target = action - actions.first_attack(rules)
    victim = (attacker + target // MAX_AMOEBAS) % rules["players"]
    if game["attempts"] == 0:
        game["bp"][attacker] -= rules["attack_cost"]
    game["attempts"] += 1
    game["attacker"] = attacker
    game["attacker_amoeba"] = attacker_amoeba
    game["victim"] = victim
    game["victim_amoeba"] = target % MAX_AMOEBAS
    game["place"] = game["amoeba_space"][attacker, attacker_amoeba]
    ask(game, Decision.DEFEND, victim)


@compiled
def legal_answers(game, rules):
    """Defense and Escape, each at most once an attack, as far as affordable; ``pass``."""
    player = int(game["victim"])
    defense, escape = _unused_answers(game, player)
    allow(game, actions.PASS)
    if defense and game["bp"][player] >= rules["defense_cost"]:
        allow(game, actions.DEFENSE)
    if escape and game["bp"][player] >= step_cost(game, rules, player):
        allow(game, actions.ESCAPE)


@compiled
def _unused_answers(game, player):
    """Which of Defense and Escape the player can still use against this attack.

    With ``paired_answers_once`` who owns both at this moment cannot use again what he has used in this round [R16].
    """
    used = int(game["answers_used"][player])
    owns_defense, owns_escape = has(game, player, Gene.DEFENSE), has(game, player, Gene.ESCAPE)
    if owns_defense and owns_escape:
        used |= used >> 2  # the round's bits count as this attack's
    return owns_defense and not used & DEFENSE_USED, owns_escape and not used & ESCAPE_USED


@compiled
def choose_answer(game, rules, action):
    """Defense: a fight. Escape: like an active move. ``pass`` ends the answers to this attack."""
    player = int(game["victim"])
    if action == actions.DEFENSE:
        game["bp"][player] -= rules["defense_cost"]
        _note_answer(game, rules, player, DEFENSE_USED, DEFENSE_USED_THIS_ROUND)
        game["node"] = Chance.FIGHT
    elif action == actions.ESCAPE:
        game["bp"][player] -= step_cost(game, rules, player)
        _note_answer(game, rules, player, ESCAPE_USED, ESCAPE_USED_THIS_ROUND)
        begin_steps(game, Movement.ESCAPE, player, game["victim_amoeba"])
    else:
        _attack_succeeds(game, rules)


@compiled
def _note_answer(game, rules, player, used, used_this_round):
    """The answer is used: against this attack, and with ``paired_answers_once`` in this round."""
    game["answers_used"][player] |= used | (used_this_round if rules["paired_answers_once"] else 0)


@compiled
def fought(game, rules, winner):
    """The defender wins: the attack has failed. The defender loses: with Endurance the fight is rolled once more."""
    if winner == DEFENDER_WINS:
        game["fights"] = 0
        # Hunger follows: in phase 1 always, in phase 5 with the switch.
        game["lost_fight"] = game["phase"] == Phase.MOVE_AND_FEED or rules["hungry_aggressor"]
        _attack_fails(game, rules)
        return
    game["fights"] += 1
    if game["fights"] == 1 and has(game, game["victim"], Gene.ENDURANCE):
        game["node"] = Chance.FIGHT
    else:
        game["fights"] = 0
        ask(game, Decision.DEFEND, game["victim"])


@compiled
def escape_done(game, rules):
    """It fails only if the attacked amoeba and the attacker both stand in the space of the attack [R10]."""
    victim_space = game["amoeba_space"][game["victim"], game["victim_amoeba"]]
    attacker_space = game["amoeba_space"][game["attacker"], game["attacker_amoeba"]]
    if victim_space == game["place"] and attacker_space == game["place"]:
        ask(game, Decision.DEFEND, game["victim"])
    else:
        _attack_fails(game, rules)


@compiled
def _attack_over(game):
    """What was used in this round stays used."""
    game["answers_used"][game["victim"]] &= USED_THIS_ROUND
    game["place"] = OFF_BOARD


@compiled
def forget_victim(game):
    """Nobody is attacked any more."""
    game["victim"] = game["victim_amoeba"] = NOBODY


@compiled
def _attack_succeeds(game, rules):
    """Phase 1: the victim leaves the board and the attacker has fed. Phase 5: it dies; Armour takes 1 DP instead."""
    victim, amoeba = game["victim"], game["victim_amoeba"]
    _attack_over(game)
    if game["phase"] == Phase.MOVE_AND_FEED:
        die(game, rules, victim, amoeba, rules["kill_food"])
        attacker_done(game)
        game["node"] = Stage.NEXT_AMOEBA
    else:
        if has(game, victim, Gene.ARMOUR):
            game["damage"][victim, amoeba] += 1
        if not has(game, victim, Gene.ARMOUR) or is_deadly(game, rules, victim, amoeba):
            die(game, rules, victim, amoeba, rules["death_food"])
        game["lost_fight"] = 0  # no hunger after a success or a hit on Armour
        game["node"] = Stage.AGGRESSOR_DONE


@compiled
def _attack_fails(game, rules):
    """Phase 1: back to ``feed`` where the attacker now stands. Phase 5: Endurance may try once more."""
    attacker = int(game["attacker"])
    _attack_over(game)
    if game["phase"] == Phase.MOVE_AND_FEED:
        attacker_done(game)
        ask(game, Decision.FEED, attacker)
    else:
        if game["attempts"] == 1 and has(game, attacker, Gene.ENDURANCE):
            if not rules["same_victim"]:
                forget_victim(game)
            ask(game, Decision.AGGRESS, attacker)
        else:
            game["node"] = Stage.AGGRESSOR_DONE


@compiled
def attacker_done(game):
    """Nobody is attacking or attacked any more."""
    game["attacker"] = game["attacker_amoeba"] = NOBODY
    forget_victim(game)


@compiled
def deadly_damage(game, rules, player):
    """The DP at which an amoeba of this player dies."""
    return rules["long_life_damage"] if has(game, player, Gene.LIFE_EXPECTANCY) else rules["deadly_damage"]


@compiled
def is_deadly(game, rules, player, amoeba):
    """Is this amoeba at its deadly DP?"""
    return game["damage"][player, amoeba] >= deadly_damage(game, rules, player)


@compiled
def die(game, rules, player, amoeba, cubes):
    """An amoeba leaves the board and loses its DP; cubes of each colour in play are placed there."""
    place_cubes_of_each_colour(game, rules, game["amoeba_space"][player, amoeba], cubes)
    game["amoeba_space"][player, amoeba] = OFF_BOARD
    game["damage"][player, amoeba] = 0


@compiled
def legal_aggressions(game, rules):
    """One amoeba of another player in a space with an own one; the second attempt where the attacker now stands."""
    player = int(game["player"])
    allow(game, actions.PASS)
    for seat in range(1, rules["players"]):
        victim = seat_after(player, seat, rules["players"])
        for amoeba in range(rules["amoebas"]):
            if _is_target(game, rules, player, victim, amoeba):
                allow(game, actions.first_attack(rules) + seat * MAX_AMOEBAS + amoeba)


@compiled
def _is_target(game, rules, player, victim, amoeba):
    """May the aggressor attack it? With ``same_victim`` the second attempt must be against the first victim [R12]."""
    space = game["amoeba_space"][victim, amoeba]
    if space == OFF_BOARD:
        return False
    if game["attempts"] == 0:
        return owns_amoeba_in(game, rules, player, space)
    is_first_victim = victim == game["victim"] and amoeba == game["victim_amoeba"]
    is_permitted = is_first_victim or not rules["same_victim"]
    return is_permitted and game["amoeba_space"][player, game["attacker_amoeba"]] == space


@compiled
def choose_aggression(game, rules, action):
    """The attacker is the aggressor's lowest-numbered amoeba in the victim's space; then the same one [R12]."""
    if action == actions.PASS:
        game["node"] = Stage.AGGRESSOR_DONE
        return
    player = int(game["player"])
    attacker_amoeba = int(game["attacker_amoeba"])
    if game["attempts"] == 0:
        target = action - actions.first_attack(rules)
        victim = (player + target // MAX_AMOEBAS) % rules["players"]
        space = game["amoeba_space"][victim, target % MAX_AMOEBAS]
        attacker_amoeba = 0
        while game["amoeba_space"][player, attacker_amoeba] != space:
            attacker_amoeba += 1
    begin_attack(game, rules, attacker_amoeba, action)
