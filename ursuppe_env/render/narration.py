"""The game in words: what players may do and what has happened; the state is that before it happens."""

from collections.abc import Container, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ursuppe_env.line import quoted
from ursuppe_env.positions.facts import acting, asked_to_cling, attacked, clinging, moving, space_of, taking_cubes
from ursuppe_env.render.descriptions import PHASES
from ursuppe_env.rules import flow
from ursuppe_env.rules.actions import Amoeba, actions_for, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, FREE_CHOICE, NEIGHBOUR, OBSTACLE, OFF_BOARD
from ursuppe_env.rules.chance import number_of
from ursuppe_env.rules.genes import BOUGHT_GENE, GENE_NAMES, LOWER_GENE, NO_GENE, PURCHASE_NAMES, Gene
from ursuppe_env.rules.legal import forbid_all, legal_action
from ursuppe_env.rules.nodes import FINISHED, Chance, Decision, Phase, Stage
from ursuppe_env.rules.phases.combat import DEFENSE_USED, ESCAPE_USED
from ursuppe_env.rules.ruleset import Ruleset


def decider_in_words(game: np.void, persons: Container[int]) -> str:
    """Who decides, and for which of the own amoebas: ``player 3 (3.5)``, or ``you (0.2)`` in a seat of ``persons``."""
    player = int(game["player"])
    amoeba = taking_cubes(game) or moving(game) or acting(game) if game["node"] in _OF_AN_AMOEBA else None
    return f"{'you' if player in persons else f'player {player}'}{f' ({amoeba_name(amoeba)})' if amoeba else ''}"


_OF_AN_AMOEBA = (Decision.MOVE, Decision.DIRECTION, Decision.CARRY, Decision.AGAIN, Decision.FEED, Decision.MEAL)


def event_in_words(event: list[Any]) -> str:
    """A chance event of a record."""
    name, value = event
    if name == "card":
        current = "no current" if value[0] == "none" else f"the current goes {value[0]}"
        return f"environment card: {current}, ozone {value[1]}"
    if name == "start_order":
        return f"the start order is {', '.join(f'player {player}' for player in value)}"
    if name == "fight":
        return f"the {value} wins the fight"
    faces = value if isinstance(value, list) else [value]
    shown = [f"{face} ({'free choice' if face == FREE_CHOICE else DIRECTION_NAMES[face - 1]})" for face in faces]
    return f"the {'dice show' if name == 'dice' else 'die shows'} {' and '.join(shown)}"


def told(event: list[Any] | None, game: np.void, ruleset: Ruleset, persons: Container[int] = ()) -> list[str]:
    """An event with all that comes of it before anybody is asked again: a line for it, and one for each further turn.

    Such as ``you (0.1): drift north, to space 9: 0.1 eats 1 of colour 1, 2 of colour 2``, and then
    ``phase 5, deaths: 1.2 dies of 2 DP in space 4, space 4 gets 2 of colour 0, 2 of colour 1, 2 of colour 2``.
    The event is as records have it, None where the next round begins; ``persons`` are the seats of who is told.
    """
    if event is None:
        alone = f"round {game['round'] + 1} begins"
    elif len(event) == 2:
        alone = event_in_words(event)
    else:
        alone = f"{decider_in_words(game, persons)}: {action_in_words(game, ruleset, event[2])}"
    lines, separator = [alone], ": "
    says_where = event is not None and (event[0] == "direction" or event[-1] == "drift")
    phase = None  # of the last line
    for number, scene in enumerate(slow_motion(game, event, ruleset)):
        node = int(scene.before["node"])
        if number == 0:
            phase = scene.after["phase"]
        elif node in _TURNS:
            separator, says_where = "", False
        is_told = node in _TOLD_ALONE if number == 0 else says_where and node == Stage.CHANGE_SPACE
        changes = ", ".join(_changes(scene, ruleset)[is_told:])
        if not changes:
            continue
        if separator:
            lines[-1] += separator + changes
        else:
            where = "" if scene.after["phase"] == phase else f"{PHASES[scene.after['phase']].replace(':', ',')}: "
            lines.append(where + changes)
            phase = scene.after["phase"]
        separator = ", "
    return lines


#: The decisions whose first change is what was chosen.
_TOLD_ALONE = (Decision.START_PLACE, Decision.DIRECTION, Decision.FEED, Decision.MEAL, Decision.DEFECT)

#: Where the turn of another player or amoeba begins, or of nobody.
_TURNS = (
    *(Decision.START_PLACE, Stage.NEXT_AMOEBA, Stage.ENVIRONMENT, Stage.NEXT_DEBTOR, Stage.NEXT_BUYER),
    *(Stage.NEXT_DIVIDER, Stage.DEATHS, Stage.NEXT_AGGRESSOR, Stage.SCORING),
)


# ---------------------------------------------------------------------- what has happened


class Occurrence(NamedTuple):
    """One thing that happens: a decision, even with a single legal action, a chance event or a stage of the rules."""

    before: np.void  # its ``node`` says what happens
    action: str  # the text of what is decided; "" where nobody decides
    after: np.void


def slow_motion(game: np.void, event: list[Any] | None, ruleset: Ruleset) -> Iterator[Occurrence]:
    """An event that is possible, and all that it leads to before anybody is asked again, one thing at a time.

    It runs through the same rules as ``flow.advance``, and ends where games stop that stop wherever they can. Without
    an event the game goes on after the pause at the end of a round.
    """
    rules, actions = ruleset.record[0], actions_for(ruleset.players)
    before, action, game = game.copy(), "", game.copy()
    if event is None:
        flow.run_stage(game, rules)
    elif len(event) == 2:
        flow.resolve(game, rules, number_of(game, rules, event[1]))
    else:
        action = event[2]
        flow.apply(game, rules, actions.id(action, event[1]))
    while True:
        yield Occurrence(before, action, game.copy())
        before, action = game.copy(), ""
        node = int(game["node"])
        if node in (FINISHED, Stage.NEXT_ROUND) or Chance.CARD <= node <= Chance.FIGHT:
            return
        if node > Decision.AGGRESS:
            flow.run_stage(game, rules)
            continue
        forbid_all(game)
        flow.find_legal_actions(game, rules)
        if game["num_legal"] != 1:
            return
        only = int(legal_action(game, 0))
        action = actions.text(only, int(game["player"]))
        flow.apply(game, rules, only)


def _changes(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    """What is different afterwards, by what happened; often nothing."""
    before, after = scene.before, scene.after
    player, number = int(before["player"]), scene.action.partition(" ")[2]  # ``3`` of ``space 3``
    match int(before["node"]):
        case Decision.START_PLACE:
            return [f"player {player} takes start place {number}"]
        case Decision.NUMBER:
            amoeba = player, int(number) - 1
            damage = int(after["damage"][amoeba])
            with_damage = f" with {damage} DP" if damage else ""
            return [f"{amoeba_name(amoeba)} comes to space {space_of(after, amoeba) + 1}{with_damage}"]
        case Decision.DIRECTION if scene.action == "stay":
            mover = _there(moving(before))
            space = space_of(after, mover) + 1
            back = [f"the cubes taken along go back to space {space}"] if before["carried"].any() else []
            return [f"{amoeba_name(mover)} stays in space {space}", *back]
        case Stage.CHANGE_SPACE:
            mover = _there(moving(before))
            start, end = (space_of(game, mover) + 1 for game in (before, after))
            along = [f"{amoeba_name(amoeba)} comes along" for amoeba in clinging(before)]
            return [f"{amoeba_name(mover)} goes from space {start} to {end}", *along]
        case Decision.FEED if scene.action == "starve":
            amoeba = _there(acting(before))
            return [f"{amoeba_name(amoeba)} starves: {after['damage'][amoeba]} DP"]
        case Decision.MEAL:
            return [f"{amoeba_name(_there(acting(before)))} eats {_eaten(number)}"]
        case Decision.DEFEND if scene.action == "pass":
            victim = _there(attacked(before))
            if before["phase"] == Phase.DEATHS and _has(before, victim[0], Gene.ARMOUR):
                return _hit(scene, victim, "is hit")
            return [_lost(scene, victim, "is killed"), *_food_of_the_dead(scene)]
        case Stage.AGGRESSOR_DONE if before["lost_fight"]:
            return _hit(scene, _there(acting(before)), "goes hungry")
        case Stage.DEATHS:
            gone = (before["amoeba_space"] != OFF_BOARD) & (after["amoeba_space"] == OFF_BOARD)
            dead = [(one, int(n)) for one in _leaders_first(scene, ruleset) for n in np.flatnonzero(gone[one])]
            deaths = [_lost(scene, amoeba, f"dies of {before['damage'][amoeba]} DP") for amoeba in dead]
            return [*deaths, *_food_of_the_dead(scene)]
        case Stage.NEXT_DEBTOR if after["owed"]:
            return [f"player {after['player']} owes {after['owed']} MP"]
        case Stage.DEBT if before["bp"][player] > after["bp"][player]:
            lost = before["bp"][player] - after["bp"][player]
            return [f"player {player} has no gene left and loses {lost} BP"]
        case Decision.DEFECT:
            how = f"pays {before['owed']} BP" if scene.action == "pay" else f"discards {number}"
            return [f"player {player} {how}"]
        case Stage.NEXT_DIVIDER:
            gained = after["bp"] - before["bp"]
            return [f"player {one} receives {gained[one]} BP" for one in np.flatnonzero(gained)]
        case Stage.SCORING:
            places = ", ".join(_scored(scene, one) for one in _leaders_first(scene, ruleset))
            first = [f"player {after['winner']} has the furthest marker"] if after["node"] == FINISHED else []
            return [f"round {before['round']} is scored: {places}", *first]
    return []


def _there(amoeba: Amoeba | None) -> Amoeba:
    """The amoeba that there is wherever a game stands at this node."""
    assert amoeba is not None
    return amoeba


def _leaders_first(scene: Occurrence, ruleset: Ruleset) -> list[int]:
    return scene.before["order"][: ruleset.players][::-1].tolist()


def _hit(scene: Occurrence, amoeba: Amoeba, what: str) -> list[str]:
    """It gets 1 DP, and may die of it."""
    damage = int(scene.before["damage"][amoeba]) + 1
    changes = [f"{amoeba_name(amoeba)} {what}: {damage} DP"]
    if space_of(scene.after, amoeba) == OFF_BOARD:
        changes += [_lost(scene, amoeba, f"dies of {damage} DP"), *_food_of_the_dead(scene)]
    return changes


def _lost(scene: Occurrence, amoeba: Amoeba, what: str) -> str:
    return f"{amoeba_name(amoeba)} {what} in space {space_of(scene.before, amoeba) + 1}"


def _food_of_the_dead(scene: Occurrence) -> list[str]:
    more = scene.after["food"] - scene.before["food"]
    return [f"space {space + 1} gets {_cubes(more[space])}" for space in np.flatnonzero(more.any(axis=1))]


def _scored(scene: Occurrence, player: int) -> str:
    before, after = scene.before["marker"][player], scene.after["marker"][player]
    return f"player {player} {f'goes from place {before} to {after}' if after > before else f'stays on place {after}'}"


# ---------------------------------------------------------------------- what players may do


def action_in_words(game: np.void, ruleset: Ruleset, action: str) -> str:
    """What the action (its text in rules.md, section 8) means for the player who decides in this state."""
    player = int(game["player"])
    verb, _, number = action.partition(" ")
    match int(game["node"]), verb:
        case Decision.START_PLACE, _:
            return f"take start place {number}"
        case Decision.PLACE, _:
            return f"place an amoeba on space {number}"
        case Decision.NUMBER, _:
            return f"it is amoeba {number}"
        case Decision.MOVE, "hold":
            return f"hold on to space {space_of(game, _there(acting(game))) + 1}"
        case Decision.MOVE, "move":
            return f"make a step of its own ({_bp(_step_cost(game, ruleset, player))}; {_dice(game, player)})"
        case Decision.MOVE, _:
            return _drift(ruleset.environment[game["card"]][0], space_of(game, _there(acting(game))))
        case Decision.DIRECTION, "stay":
            return f"stay in space {space_of(game, _there(moving(game))) + 1}"
        case Decision.DIRECTION, _:
            target = NEIGHBOUR[space_of(game, _there(moving(game))), DIRECTION_NAMES.index(action)]
            return f"step {action}, to space {target + 1}"
        case Decision.CARRY, "pass":
            return "take no further cube along" if game["taken"] else "take no cube along"
        case Decision.CARRY, _:
            return f"take a cube of colour {number} along"
        case Decision.CLING, answer:
            return f"{amoeba_name(asked_to_cling(game, ruleset))} {'comes along' if answer == 'cling' else 'stays'}"
        case Decision.AGAIN, "again":
            return f"step once more (free; {_dice(game, player)})"
        case Decision.AGAIN, _:
            return "step no more"
        case Decision.FEED, "eat":
            return "eat"
        case Decision.FEED, "starve":
            return f"starve: {game['damage'][_there(acting(game))] + 1} DP"
        case Decision.FEED, "tap":
            return f"eat with player {number} as host, who pays {ruleset.tap_cost} BP"
        case Decision.AGGRESS, "pass":
            return "attack nobody"
        case Decision.FEED | Decision.AGGRESS, _:
            owner, amoeba = number.split(".")
            cost = _bp(0 if game["attempts"] else ruleset.attack_cost)
            armour = ", whose armour takes 1 DP" if _has(game, int(owner), Gene.ARMOUR) else ""
            return f"attack amoeba {amoeba} of player {owner} ({cost}){armour}"
        case Decision.MEAL, _:
            return f"eat {_eaten(number)}"
        case Decision.DEFEND, "defense":
            return f"fight ({_bp(ruleset.defense_cost)})"
        case Decision.DEFEND, "escape":
            return f"escape ({_bp(_step_cost(game, ruleset, player))}; {_dice(game, player)})"
        case Decision.DEFEND, _:
            has_answered = game["answers_used"][player] & (DEFENSE_USED | ESCAPE_USED)
            is_armoured = game["phase"] == Phase.DEATHS and _has(game, player, Gene.ARMOUR)
            end = "1 DP" if is_armoured else "the attack succeeds"
            return f"do nothing more: {end}" if has_answered else f"do nothing: {end}"
        case Decision.DEFECT, "pay":
            return f"pay {game['owed']} BP"
        case Decision.DEFECT, _:
            gene = GENE_NAMES.index(number)
            is_ray = gene == Gene.RAY_PROTECTION
            points = ruleset.ray_protection_payment if is_ray else ruleset.mutation_points[gene]
            return f"discard {number}, for {points} of the {game['owed']} MP owed"
        case Decision.BUY, "pass":
            return "buy nothing more"
        case Decision.BUY, _:
            purchase = PURCHASE_NAMES.index(action.removeprefix("buy "))
            gene, lower = BOUGHT_GENE[purchase], LOWER_GENE[purchase]
            gives_up = f", giving up {GENE_NAMES[lower]}" if lower != NO_GENE else ""
            return f"buy {GENE_NAMES[gene]} ({_bp(ruleset.price[gene])}, {ruleset.mutation_points[gene]} MP){gives_up}"
        case Decision.DIVIDE, "pass":
            return "divide no more"
        case Decision.DIVIDE, _:
            is_fast = _has(game, player, Gene.DIVISION_RATE)
            price = ruleset.fast_division_cost if is_fast else ruleset.division_cost
            is_free = (game["amoeba_space"][player] == OFF_BOARD).all()
            return f"divide to space {number} ({_bp(0 if is_free else price)})"
    raise ValueError(f"nobody decides at node {game['node']}")


def _drift(direction: str, space: int) -> str:
    if direction == "none":
        return f"drift: there is no current, it stays in space {space + 1}"
    target = int(NEIGHBOUR[space, DIRECTION_NAMES.index(direction)])
    if target == OBSTACLE:
        return f"drift {direction}: that way is closed, it stays in space {space + 1}"
    return f"drift {direction}, to space {target + 1}"


def _step_cost(game: np.void, ruleset: Ruleset, player: int) -> int:
    return 0 if _has(game, player, Gene.STREAMLINING) else ruleset.move_cost


def _dice(game: np.void, player: int) -> str:
    if _has(game, player, Gene.MOVEMENT_2):
        return "any direction"
    return "two dice" if _has(game, player, Gene.MOVEMENT_1) else "one die"


def _bp(cost: int) -> str:
    return f"{cost} BP" if cost else "free"


def _has(game: np.void, player: int, gene: Gene) -> bool:
    return bool(game["genes"][player, gene])


def _eaten(meal: str) -> str:
    return _cubes(map(int, meal.split("-"))) or "a meal without cubes"


def _cubes(counts: Iterable[int]) -> str:
    return ", ".join(f"{count} of colour {colour}" for colour, count in enumerate(counts) if count)


# ---------------------------------------------------------------------- genes

_EFFECTS = {
    Gene.INTELLIGENCE: "nothing but its gene point",
    Gene.MOVEMENT_1: "two dice for a step, pick from both",
    Gene.SPORES: "divide to any space",
    Gene.SPEED: "a second step for the same price",
    Gene.DEFENSE: "fight off an attack",
    Gene.ESCAPE: "run from an attack",
    Gene.SUBSTITUTION: "eat more of fewer colours",
    Gene.RAY_PROTECTION: "lowers the MP; pays {payment} when discarded",
    Gene.STREAMLINING: "moves and escapes cost nothing",
    Gene.TENTACLE: "take cubes along when moving",
    Gene.HOLDING: "stay for free; cling to who leaves",
    Gene.LIFE_EXPECTANCY: "one DP more until death",
    Gene.FRUGALITY: "eat one cube less",
    Gene.STRUGGLE_FOR_SURVIVAL: "attack instead of starving",
    Gene.PARASITISM: "let another pay for one of the cubes",
    Gene.DIVISION_RATE: "divide for less",
    Gene.ENDURANCE: "like speed; a second try at fights",
    Gene.MOVEMENT_2: "no dice: pick the direction",
    Gene.AGGRESSION: "attack when hungry, and in phase 5",
    Gene.ARMOUR: "no attacks in phase 1; 1 DP in phase 5",
}


def genes_in_words(game: np.void, ruleset: Ruleset, name: str = "") -> list[str]:
    """The genes whose names begin so, a line of 80 columns each: price, mutation points, cards left, what it does.

    ``ValueError``: none begins so.
    """
    chosen = [gene for gene in Gene if GENE_NAMES[gene].startswith(name.lower())]
    if not chosen:
        raise ValueError(f"there is no gene {quoted(name)}; genes are {', '.join(GENE_NAMES)}")
    lines = ["gene                   BP  MP  left"]
    for gene in chosen:
        figures = f"{ruleset.price[gene]:>3} {ruleset.mutation_points[gene]:>3} {game['supply'][gene]:>5}"
        lines.append(f"{GENE_NAMES[gene]:<22}{figures}  {gene_effect(ruleset, gene)}")
    return lines


def gene_effect(ruleset: Ruleset, gene: Gene) -> str:
    """What a gene does, in a few words."""
    return _EFFECTS[gene].format(payment=ruleset.ray_protection_payment)
