"""How a game flows: legal actions of a decision, its effect, chance, and on to the next node.

A game always stands at a node (``nodes.py``). The functions of the phase modules each do one thing and set the
next node; ``advance`` runs them until somebody outside must answer.
"""

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.rules import chance
from ursuppe_env.rules.legal import forbid_all, legal_action
from ursuppe_env.rules.nodes import (
    CHANCE_PLAYER,
    FINISHED,
    PAUSED,
    STOP_AFTER_ROUND,
    STOP_AT_CHANCE,
    Chance,
    Decision,
    Phase,
    Stage,
)
from ursuppe_env.rules.phases import (
    combat,
    deaths,
    defects,
    displacement,
    division,
    feeding,
    movement,
    purchase,
    scoring,
    setup,
)


@compiled
def advance(game, rules, stops):
    """Run the rules until a decision with two or more legal actions, the end, or one of the ``stops``.

    Where nothing can happen (a decision without a legal action, no card left to turn up), which no real game
    reaches, the game stands still: nobody is to act any more, although it is not finished (``is_stuck``).
    """
    while True:
        forbid_all(game)
        node = game["node"]
        if node == FINISHED:
            return
        if node <= Decision.AGGRESS:
            find_legal_actions(game, rules)
            if game["num_legal"] > 1:
                return
            if game["num_legal"] == 0:
                game["player"] = FINISHED
                return
            apply(game, rules, legal_action(game, 0))
        elif node <= Chance.FIGHT:
            if node == Chance.CARD and scoring.no_card_left(game, rules):
                game["player"] = FINISHED
                return
            if stops & STOP_AT_CHANCE:
                game["player"] = CHANCE_PLAYER
                return
            resolve(game, rules, chance.draw(game, rules))
        else:
            if node == Stage.NEXT_ROUND and stops & STOP_AFTER_ROUND and game["player"] != PAUSED:
                game["player"] = PAUSED
                return
            run_stage(game, rules)


@compiled
def is_stuck(game):
    """Does the game stand where nothing can happen?"""
    return game["player"] == FINISHED and game["node"] != FINISHED


@compiled
def find_legal_actions(game, rules):
    """Fill the set of legal actions of the decision that the game stands at."""
    decision = game["node"]
    if decision == Decision.MOVE:
        movement.legal_moves(game, rules)
    elif decision == Decision.DIRECTION:
        movement.legal_directions(game, rules)
    elif decision == Decision.CARRY:
        displacement.legal_carries(game, rules)
    elif decision == Decision.CLING:
        displacement.legal_clings(game)
    elif decision == Decision.AGAIN:
        movement.legal_agains(game)
    elif decision == Decision.FEED:
        feeding.legal_feedings(game, rules)
    elif decision == Decision.MEAL:
        feeding.legal_meals(game, rules)
    elif decision == Decision.DEFEND:
        combat.legal_answers(game, rules)
    elif decision == Decision.DEFECT:
        defects.legal_defects(game)
    elif decision == Decision.BUY:
        purchase.legal_purchases(game, rules)
    elif decision == Decision.DIVIDE:
        division.legal_divisions(game, rules)
    elif decision == Decision.NUMBER:
        setup.legal_numbers(game, rules)
    elif decision == Decision.AGGRESS:
        combat.legal_aggressions(game, rules)
    elif decision == Decision.START_PLACE:
        setup.legal_start_places(game, rules)
    else:
        setup.legal_places(game, rules)


@compiled
def apply(game, rules, action):
    """Take a legal action of the decision that the game stands at."""
    decision = game["node"]
    if decision == Decision.MOVE:
        movement.choose_move(game, rules, action)
    elif decision == Decision.DIRECTION:
        movement.choose_direction(game, rules, action)
    elif decision == Decision.CARRY:
        displacement.choose_carry(game, rules, action)
    elif decision == Decision.CLING:
        displacement.choose_cling(game, rules, action)
    elif decision == Decision.AGAIN:
        movement.choose_again(game, action)
    elif decision == Decision.FEED:
        feeding.choose_feeding(game, rules, action)
    elif decision == Decision.MEAL:
        feeding.eat_meal(game, rules, action)
    elif decision == Decision.DEFEND:
        combat.choose_answer(game, rules, action)
    elif decision == Decision.DEFECT:
        defects.choose_defect(game, rules, action)
    elif decision == Decision.BUY:
        purchase.choose_purchase(game, rules, action)
    elif decision == Decision.DIVIDE:
        division.choose_division(game, rules, action)
    elif decision == Decision.NUMBER:
        if game["phase"] == Phase.SETUP:
            setup.number_in_setup(game, rules, action)
        else:
            division.number_in_division(game, action)
    elif decision == Decision.AGGRESS:
        combat.choose_aggression(game, rules, action)
    elif decision == Decision.START_PLACE:
        setup.take_start_place(game, rules, action)
    else:
        setup.place_in_setup(game, action)


@compiled
def resolve(game, rules, number):
    """The chance event that the game stands at has this value (its number in ``chance.outcomes``)."""
    event = game["node"]
    if event == Chance.CARD:
        game["drawn"] |= 1 << number
        game["card"] = number
        if game["phase"] == Phase.SETUP:
            game["node"] = Chance.START_ORDER
        else:
            defects.card_turned_up(game)
    elif event == Chance.START_ORDER:
        setup.start_order_drawn(game, rules, number)
    elif event == Chance.DIE:
        movement.rolled(game, number + 1, 0)
    elif event == Chance.DICE:
        movement.rolled(game, number // 6 + 1, number % 6 + 1)
    else:
        combat.fought(game, rules, number)


@compiled
def run_stage(game, rules):
    """Do what the rules do here without asking anybody."""
    stage = game["node"]
    if stage == Stage.NEXT_AMOEBA:
        movement.next_amoeba(game, rules)
    elif stage == Stage.ACTIVE_STEP:
        movement.begin_step(game, rules)
    elif stage == Stage.ROLL:
        movement.roll(game)
    elif stage == Stage.TAKE_CUBES:
        displacement.take_cubes(game, rules)
    elif stage == Stage.ASK_CLINGERS:
        displacement.ask_clingers(game, rules)
    elif stage == Stage.CHANGE_SPACE:
        displacement.change_space(game, rules)
    elif stage == Stage.STEP_DONE:
        movement.step_done(game)
    elif stage == Stage.ESCAPE_DONE:
        combat.escape_done(game, rules)
    elif stage == Stage.ENVIRONMENT:
        defects.turn_up_card(game)
    elif stage == Stage.NEXT_DEBTOR:
        defects.next_debtor(game, rules)
    elif stage == Stage.DEBT:
        defects.debt(game)
    elif stage == Stage.NEXT_BUYER:
        purchase.next_buyer(game, rules)
    elif stage == Stage.NEXT_DIVIDER:
        division.next_divider(game, rules)
    elif stage == Stage.DEATHS:
        deaths.deaths(game, rules)
    elif stage == Stage.NEXT_AGGRESSOR:
        deaths.next_aggressor(game, rules)
    elif stage == Stage.AGGRESSOR_DONE:
        deaths.aggressor_done(game, rules)
    elif stage == Stage.SCORING:
        scoring.score(game, rules)
    else:
        setup.begin_round(game)
