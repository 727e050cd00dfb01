"""The game in words: what players may do and what has happened; the state is that before it happens."""

from collections.abc import Callable, Container, Iterable
from itertools import chain
from typing import Any

import numpy as np

from ursuppe_env.line import quoted
from ursuppe_env.render.descriptions import PHASES
from ursuppe_env.render.facts import acting, asked_to_cling, attacked, clinging, moving, space_of, taking_cubes
from ursuppe_env.render.slow_motion import Occurrence, slow_motion
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NEIGHBOUR, OBSTACLE, OFF_BOARD
from ursuppe_env.rules.genes import BOUGHT_GENE, GENE_NAMES, LOWER_GENE, NO_GENE, PURCHASE_NAMES, Gene
from ursuppe_env.rules.nodes import FINISHED, Decision, Phase, Stage
from ursuppe_env.rules.phases.combat import DEFENSE_USED, ESCAPE_USED
from ursuppe_env.rules.ruleset import Ruleset


def action_in_words(game: np.void, ruleset: Ruleset, action: str) -> str:
    """What the action (its text in rules.md, section 8) means for the player who decides in this state."""
    return _WORDS[Decision(int(game["node"]))](game, ruleset, action)


def decider_in_words(game: np.void, persons: Container[int]) -> str:
    """Who decides in this state, and for which of the own amoebas: ``player 3 (3.5)``, or ``you (0.2)``.

    Args:
        game: the state.
        persons: the seats of the person who is told.
    """
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
    return f"the {'dice show' if name == 'dice' else 'die shows'} {' and '.join(map(_face, faces))}"


def told(event: list[Any] | None, game: np.void, ruleset: Ruleset, persons: Container[int] = ()) -> list[str]:
    """An event with all that comes of it before anybody is asked again: a line for it, and one for each further turn.

    Such as ``you (0.1): drift north, to space 9: 0.1 eats 1 of colour 1, 2 of colour 2``, and then
    ``phase 5, deaths: 1.2 dies of 2 DP in space 4, space 4 gets 2 of colour 0, 2 of colour 1, 2 of colour 2``.

    Args:
        event: as records have it; None: the next round begins.
        game: the state before it.
        ruleset: the numbers.
        persons: the seats of the person who is told.
    """
    lines, separator = [_told_alone(event, game, ruleset, persons)], ": "
    says_where = event is not None and (event[0] == "direction" or event[-1] == "drift")
    phase = None  # of the last line
    for number, scene in enumerate(slow_motion(game, event, ruleset)):
        node = int(scene.before["node"])
        if number == 0:
            phase = scene.after["phase"]
        elif node in _TURNS:
            separator, says_where = "", False
        is_told = node in _TOLD_ALONE if number == 0 else says_where and node == Stage.CHANGE_SPACE
        changes = ", ".join(_CHANGES[node](scene, ruleset)[is_told:] if node in _CHANGES else ())
        if changes and separator:
            lines[-1] += separator + changes
        elif changes:
            where = "" if scene.after["phase"] == phase else f"{PHASES[scene.after['phase']].replace(':', ',')}: "
            lines.append(where + changes)
            phase = scene.after["phase"]
        separator = ", " if changes else separator
    return lines


def _told_alone(event: list[Any] | None, game: np.void, ruleset: Ruleset, persons: Container[int]) -> str:
    """An event without what comes of it."""
    if event is None:
        return f"round {game['round'] + 1} begins"
    if len(event) == 2:
        return event_in_words(event)
    return f"{decider_in_words(game, persons)}: {action_in_words(game, ruleset, event[2])}"


#: The decisions whose first change is what was chosen.
_TOLD_ALONE = (Decision.START_PLACE, Decision.DIRECTION, Decision.FEED, Decision.MEAL, Decision.DEFECT)

#: Where the turn of another player or amoeba begins, or of nobody.
_TURNS = (
    *(Decision.START_PLACE, Stage.NEXT_AMOEBA, Stage.ENVIRONMENT, Stage.NEXT_DEBTOR, Stage.NEXT_BUYER),
    *(Stage.NEXT_DIVIDER, Stage.DEATHS, Stage.NEXT_AGGRESSOR, Stage.SCORING),
)


# ---------------------------------------------------------------------- a function for each node that changes something


def _starts(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    return [f"player {scene.before['player']} takes start place {_number(scene.action)}"]


def _comes(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    amoeba = int(scene.before["player"]), int(_number(scene.action)) - 1
    damage = int(scene.after["damage"][amoeba])
    with_damage = f" with {damage} DP" if damage else ""
    return [f"{amoeba_name(amoeba)} comes to space {space_of(scene.after, amoeba) + 1}{with_damage}"]


def _stays(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    amoeba = moving(scene.before)
    assert amoeba is not None
    space = space_of(scene.after, amoeba) + 1
    back = [f"the cubes taken along go back to space {space}"] if scene.before["carried"].any() else []
    return [f"{amoeba_name(amoeba)} stays in space {space}", *back] if scene.action == "stay" else []


def _changes_space(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    mover = moving(scene.before)
    assert mover is not None
    along = [amoeba_name(amoeba) for amoeba in clinging(scene.before)]
    start, end = (space_of(game, mover) + 1 for game in (scene.before, scene.after))
    return [f"{amoeba_name(mover)} goes from space {start} to {end}", *(f"{name} comes along" for name in along)]


def _feeds(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    amoeba = acting(scene.before)
    assert amoeba is not None
    return [f"{amoeba_name(amoeba)} starves: {scene.after['damage'][amoeba]} DP"] if scene.action == "starve" else []


def _eats(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    amoeba = acting(scene.before)
    assert amoeba is not None
    return [f"{amoeba_name(amoeba)} eats {_eaten(scene.action)}"]


def _is_beaten(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    victim = attacked(scene.before)
    assert victim is not None
    is_hit = scene.before["phase"] == Phase.DEATHS and _has(scene.before, victim[0], Gene.ARMOUR)
    if scene.action != "pass":
        return []
    return _hit(scene, victim, "is hit") if is_hit else [*_lost(scene, victim, "is killed"), *_food_of_the_dead(scene)]


def _goes_hungry(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    attacker = acting(scene.before)
    return _hit(scene, attacker, "goes hungry") if attacker is not None and scene.before["lost_fight"] else []


def _hit(scene: Occurrence, amoeba: Amoeba, what: str) -> list[str]:
    """It gets 1 DP, and may die of it."""
    damage = int(scene.before["damage"][amoeba]) + 1
    changes = [f"{amoeba_name(amoeba)} {what}: {damage} DP"]
    if space_of(scene.after, amoeba) == OFF_BOARD:
        changes += [*_lost(scene, amoeba, f"dies of {damage} DP"), *_food_of_the_dead(scene)]
    return changes


def _dead(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    leaders_first = reversed(scene.before["order"][: ruleset.players].tolist())
    gone = (scene.before["amoeba_space"] != OFF_BOARD) & (scene.after["amoeba_space"] == OFF_BOARD)
    amoebas = [(player, number) for player in leaders_first for number in np.flatnonzero(gone[player]).tolist()]
    deaths = [_lost(scene, amoeba, f"dies of {scene.before['damage'][amoeba]} DP") for amoeba in amoebas]
    return [*chain.from_iterable(deaths), *_food_of_the_dead(scene)]


def _lost(scene: Occurrence, amoeba: Amoeba, what: str) -> list[str]:
    return [f"{amoeba_name(amoeba)} {what} in space {space_of(scene.before, amoeba) + 1}"]


def _food_of_the_dead(scene: Occurrence) -> list[str]:
    more = scene.after["food"] - scene.before["food"]
    return [f"space {space + 1} gets {_cubes(more[space])}" for space in np.flatnonzero(more.any(axis=1))]


def _owes(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    return [f"player {scene.after['player']} owes {scene.after['owed']} MP"] if scene.after["owed"] else []


def _cannot_pay(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    player = scene.before["player"]
    lost = scene.before["bp"][player] - scene.after["bp"][player]
    return [f"player {player} has no gene left and loses {lost} BP"] if lost else []


def _pays(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    how = f"pays {scene.before['owed']} BP" if scene.action == "pay" else f"discards {_number(scene.action)}"
    return [f"player {scene.before['player']} {how}"]


def _receives(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    gained = scene.after["bp"] - scene.before["bp"]
    return [f"player {player} receives {gained[player]} BP" for player in np.flatnonzero(gained)]


def _scores(scene: Occurrence, ruleset: Ruleset) -> list[str]:
    before, after = scene.before["marker"], scene.after["marker"]
    leaders_first = reversed(scene.before["order"][: ruleset.players].tolist())
    places = ", ".join(
        f"player {one} goes from place {before[one]} to {after[one]}"
        if after[one] > before[one]
        else f"player {one} stays on place {after[one]}"
        for one in leaders_first
    )
    end = [f"player {scene.after['winner']} wins"] if scene.after["node"] == FINISHED else []
    return [f"round {scene.before['round']} is scored: {places}", *end]


_CHANGES: dict[int, Callable[[Occurrence, Ruleset], list[str]]] = {
    Decision.START_PLACE: _starts,
    Decision.NUMBER: _comes,
    Decision.DIRECTION: _stays,
    Decision.FEED: _feeds,
    Decision.MEAL: _eats,
    Decision.DEFEND: _is_beaten,
    Decision.DEFECT: _pays,
    Stage.CHANGE_SPACE: _changes_space,
    Stage.NEXT_DEBTOR: _owes,
    Stage.DEBT: _cannot_pay,
    Stage.NEXT_DIVIDER: _receives,
    Stage.DEATHS: _dead,
    Stage.AGGRESSOR_DONE: _goes_hungry,
    Stage.SCORING: _scores,
}


def _face(face: int) -> str:
    meaning = {5: "stay", 6: "free choice"}
    return f"{face} ({meaning.get(face) or DIRECTION_NAMES[face - 1]})"


def _bp(cost: int) -> str:
    return f"{cost} BP" if cost else "free"


def _has(game: np.void, player: int, gene: Gene) -> bool:
    return bool(game["genes"][player, gene])


def _number(action: str) -> str:
    return action.split()[1]


# ---------------------------------------------------------------------- a function for each decision


def _move(game: np.void, ruleset: Ruleset, action: str) -> str:
    amoeba = acting(game)
    assert amoeba is not None
    space = space_of(game, amoeba)
    if action == "hold":
        return f"hold on to space {space + 1}"
    if action == "move":
        return f"make a step of its own ({_bp(_step_cost(game, ruleset, amoeba[0]))}; {_dice(game, amoeba[0])})"
    direction, _ = ruleset.environment[game["card"]]
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


def _direction(game: np.void, ruleset: Ruleset, action: str) -> str:
    amoeba = moving(game)
    assert amoeba is not None
    space = space_of(game, amoeba)
    if action == "stay":
        return f"stay in space {space + 1}"
    return f"step {action}, to space {NEIGHBOUR[space, DIRECTION_NAMES.index(action)] + 1}"


def _carry(game: np.void, ruleset: Ruleset, action: str) -> str:
    if action == "pass":
        return "take no further cube along" if game["taken"] else "take no cube along"
    return f"take a cube of colour {_number(action)} along"


def _cling(game: np.void, ruleset: Ruleset, action: str) -> str:
    name = amoeba_name(asked_to_cling(game, ruleset))
    return f"{name} comes along" if action == "cling" else f"{name} stays"


def _again(game: np.void, ruleset: Ruleset, action: str) -> str:
    return f"step once more (free; {_dice(game, int(game['player']))})" if action == "again" else "step no more"


def _feed(game: np.void, ruleset: Ruleset, action: str) -> str:
    if action == "eat":
        return "eat"
    if action == "starve":
        return "starve: 1 DP"
    if action.startswith("tap"):
        return f"eat with player {_number(action)} as host, who pays {_bp(ruleset.tap_cost)}"
    return _attack(game, ruleset, action)


def _attack(game: np.void, ruleset: Ruleset, action: str) -> str:
    if action == "pass":
        return "attack nobody"
    owner, number = _number(action).split(".")
    cost = _bp(0 if game["attempts"] else ruleset.attack_cost)
    armour = ", whose armour takes 1 DP" if _has(game, int(owner), Gene.ARMOUR) else ""
    return f"attack amoeba {number} of player {owner} ({cost}){armour}"


def _eaten(action: str) -> str:
    return _cubes(int(count) for count in _number(action).split("-")) or "a meal without cubes"


def _cubes(counts: Iterable[int]) -> str:
    return ", ".join(f"{count} of colour {colour}" for colour, count in enumerate(counts) if count)


def _defend(game: np.void, ruleset: Ruleset, action: str) -> str:
    player = int(game["player"])
    if action == "defense":
        return f"fight ({_bp(ruleset.defense_cost)})"
    if action == "escape":
        return f"escape ({_bp(_step_cost(game, ruleset, player))}; {_dice(game, player)})"
    has_answered = game["answers_used"][player] & (DEFENSE_USED | ESCAPE_USED)
    return "do nothing more: the attack succeeds" if has_answered else "do nothing: the attack succeeds"


def _defect(game: np.void, ruleset: Ruleset, action: str) -> str:
    if action == "pay":
        return f"pay {game['owed']} BP"
    gene = GENE_NAMES.index(_number(action))
    points = ruleset.ray_protection_payment if gene == Gene.RAY_PROTECTION else ruleset.mutation_points[gene]
    return f"discard {_number(action)}, for {points} of the {game['owed']} MP owed"


def _buy(game: np.void, ruleset: Ruleset, action: str) -> str:
    if action == "pass":
        return "buy nothing more"
    purchase = PURCHASE_NAMES.index(action.removeprefix("buy "))
    gene, lower = BOUGHT_GENE[purchase], LOWER_GENE[purchase]
    gives_up = f", giving up {GENE_NAMES[lower]}" if lower != NO_GENE else ""
    return f"buy {GENE_NAMES[gene]} ({_bp(ruleset.price[gene])}, {ruleset.mutation_points[gene]} MP){gives_up}"


def _divide(game: np.void, ruleset: Ruleset, action: str) -> str:
    if action == "pass":
        return "divide no more"
    player = int(game["player"])
    if (game["amoeba_space"][player] == OFF_BOARD).all():
        cost = 0
    else:
        is_fast = _has(game, player, Gene.DIVISION_RATE)
        cost = ruleset.fast_division_cost if is_fast else ruleset.division_cost
    return f"divide to space {_number(action)} ({_bp(cost)})"


_WORDS: dict[Decision, Callable[[np.void, Ruleset, str], str]] = {
    Decision.START_PLACE: lambda game, ruleset, action: f"take start place {_number(action)}",
    Decision.PLACE: lambda game, ruleset, action: f"place an amoeba on space {_number(action)}",
    Decision.NUMBER: lambda game, ruleset, action: f"it is amoeba {_number(action)}",
    Decision.MOVE: _move,
    Decision.DIRECTION: _direction,
    Decision.CARRY: _carry,
    Decision.CLING: _cling,
    Decision.AGAIN: _again,
    Decision.FEED: _feed,
    Decision.MEAL: lambda game, ruleset, action: f"eat {_eaten(action)}",
    Decision.DEFEND: _defend,
    Decision.DEFECT: _defect,
    Decision.BUY: _buy,
    Decision.DIVIDE: _divide,
    Decision.AGGRESS: _attack,
}


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
    Gene.MOVEMENT_2: "no dice: any direction, or stay",
    Gene.AGGRESSION: "attack when hungry, and in phase 5",
    Gene.ARMOUR: "no attacks in phase 1; 1 DP in phase 5",
}


def genes_in_words(game: np.void, ruleset: Ruleset, name: str = "") -> list[str]:
    """The genes, a line of 80 columns each: price, mutation points, cards left, and what the gene does.

    Args:
        game: the state.
        ruleset: the numbers.
        name: of the genes, or what they begin with; "" are all.

    Raises:
        ValueError: no gene begins so.
    """
    chosen = [gene for gene in Gene if GENE_NAMES[gene].startswith(name.lower())]
    if not chosen:
        raise ValueError(f"there is no gene {quoted(name)}; genes are {', '.join(GENE_NAMES)}")
    return ["gene                   BP  MP  left", *(_gene(game, ruleset, gene) for gene in chosen)]


def _gene(game: np.void, ruleset: Ruleset, gene: Gene) -> str:
    figures = f"{ruleset.price[gene]:>3} {ruleset.mutation_points[gene]:>3} {game['supply'][gene]:>5}"
    return f"{GENE_NAMES[gene]:<22}{figures}  {gene_effect(ruleset, gene)}"


def gene_effect(ruleset: Ruleset, gene: Gene) -> str:
    """What a gene does, in a few words."""
    return _EFFECTS[gene].format(payment=ruleset.ray_protection_payment)
