"""The game in words: what players may do and what has happened; the state is that before it happens."""

from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

from ursuppe_env.render.facts import acting, asked_to_cling, moving, space_of
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NEIGHBOUR, OBSTACLE, OFF_BOARD
from ursuppe_env.rules.combat import DEFENSE_USED, ESCAPE_USED
from ursuppe_env.rules.genes import BOUGHT_GENE, GENE_NAMES, LOWER_GENE, NO_GENE, PURCHASE_NAMES, Gene
from ursuppe_env.rules.nodes import Decision, Phase
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
    amoeba = _that_acts(game) if game["node"] in _OF_AN_AMOEBA else None
    return f"{'you' if player in persons else f'player {player}'}{f' ({amoeba_name(amoeba)})' if amoeba else ''}"


def _that_acts(game: np.void) -> Amoeba | None:
    if game["node"] == Decision.CARRY:  # it may be one that clings
        return int(game["carrier"]), int(game["carrier_amoeba"])
    return moving(game) or acting(game)


_OF_AN_AMOEBA = (
    *(Decision.MOVE, Decision.DIRECTION, Decision.CARRY, Decision.AGAIN),
    *(Decision.FEED, Decision.MEAL),
)


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


def round_in_words(game: np.void, ruleset: Ruleset) -> str:
    """What the scoring of a round, after which the game pauses, has come to."""
    places = ", ".join(f"player {player} on place {game['marker'][player]}" for player in range(ruleset.players))
    return f"round {game['round']} is scored: {places}"


def told(what: str, before: np.void, after: np.void, ruleset: Ruleset) -> str:
    """An event with all that has come of it: ``you (0.1): drift north, to space 9: 0.1 eats 1 of colour 1``.

    Args:
        what: the event in words.
        before: the state before it.
        after: the state after it, and after all that happened by itself.
        ruleset: the numbers.
    """
    changes = changes_in_words(before, after, ruleset, what)
    return f"{what}{': ' if changes else ''}{', '.join(changes)}"


def changes_in_words(before: np.void, after: np.void, ruleset: Ruleset, told: str) -> list[str]:
    """The changes of players, amoebas and genes beyond what the words ``told`` say, also where nobody was asked."""
    changes = []
    for player in range(ruleset.players):
        for number in range(ruleset.amoebas):
            changes += _changes_of((player, number), before, after, told)
        lost = np.flatnonzero((before["genes"][player] > 0) & (after["genes"][player] == 0))
        changes += [f"player {player} gives up {GENE_NAMES[gene]}" for gene in lost if GENE_NAMES[gene] not in told]
        changes += _changes_of_player(player, before, after)
    return changes + _meals(before, after, ruleset, told)


def _changes_of_player(player: int, before: np.void, after: np.void) -> list[str]:
    """The start place that was left, and income. What an action costs is told with it, and nobody pays unasked."""
    changes = []
    place = after["marker"][player]
    if before["phase"] == Phase.SETUP and place > before["marker"][player] and player != before["player"]:
        changes.append(f"player {player} takes start place {place}")
    gained = int(after["bp"][player]) - int(before["bp"][player])
    if gained > 0:
        changes.append(f"player {player} receives {gained} BP")
    return changes


def _meals(before: np.void, after: np.void, ruleset: Ruleset, told: str) -> list[str]:
    """Who has eaten what without being asked: the amoebas in a space together, with the cubes where they are known."""
    eaters: dict[int, list[Amoeba]] = {}
    for amoeba in _done(before, after, ruleset, told):
        if after["damage"][amoeba] <= before["damage"][amoeba]:  # it has not starved
            eaters.setdefault(space_of(after, amoeba), []).append(amoeba)
    meals = []
    for space, amoebas in eaters.items():
        eaten = before["food"][space].astype(int) - after["food"][space]
        for owner, _ in amoebas:
            eaten[owner] += ruleset.excretion
        are_carried = before["node"] == Decision.CARRY or before["carried"].any()
        is_known = not are_carried and (eaten >= 0).all() and eaten.any()
        who = " and ".join(map(amoeba_name, amoebas))
        what = f" {_cubes(eaten)}" if is_known else ""
        meals.append(f"{who} {'eats' if len(amoebas) == 1 else 'eat'}{what}")
    return meals


def _done(before: np.void, after: np.void, ruleset: Ruleset, told: str) -> list[Amoeba]:
    """The amoebas whose actions in phase 1 came to their ends, but the first one if its end is told already."""
    is_within = before["phase"] == Phase.MOVE_AND_FEED and before["amoeba"] >= 0
    if is_within:
        first = int(before["turn"]), int(before["amoeba"])
    elif after["phase"] == Phase.MOVE_AND_FEED or after["round"] > before["round"]:
        first = 0, 0
    else:
        return []
    is_over = after["phase"] != Phase.MOVE_AND_FEED
    end = (ruleset.players, 0) if is_over else (int(after["turn"]), int(after["amoeba"]))
    done = [
        (int(after["order"][turn]), number)
        for turn in range(ruleset.players)
        for number in range(ruleset.amoebas)
        if first <= (turn, number) < end
    ]
    if is_within and done and (before["node"] == Decision.MEAL or before["attempts"] or "attack" in told):
        del done[0]
    return [amoeba for amoeba in done if space_of(after, amoeba) != OFF_BOARD]


def _changes_of(amoeba: Amoeba, before: np.void, after: np.void, told: str) -> list[str]:
    name, start, end = amoeba_name(amoeba), space_of(before, amoeba), space_of(after, amoeba)
    if start == OFF_BOARD and end == OFF_BOARD:
        return []
    if end == OFF_BOARD:
        return [f"{name} leaves the board"]
    if start == OFF_BOARD:
        return [f"{name} comes to space {end + 1}"]
    is_told = f"({name})" in told and told.endswith(f"to space {end + 1}")
    changes = [] if start == end or is_told else [f"{name} goes from space {start + 1} to {end + 1}"]
    damage = int(after["damage"][amoeba])
    if damage > before["damage"][amoeba]:
        why = "starves" if before["phase"] != Phase.DEATHS else "goes hungry" if amoeba == acting(before) else "is hit"
        changes.append(f"{name} {why}: {damage} DP")
    return changes


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


def _start_place(game: np.void, ruleset: Ruleset, action: str) -> str:
    return f"take start place {_number(action)}"


def _place(game: np.void, ruleset: Ruleset, action: str) -> str:
    return f"place an amoeba on space {_number(action)}"


def _amoeba(game: np.void, ruleset: Ruleset, action: str) -> str:
    return f"it is amoeba {_number(action)}"


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


def _meal(game: np.void, ruleset: Ruleset, action: str) -> str:
    cubes = [int(count) for count in _number(action).split("-")]
    return f"eat {_cubes(cubes)}" if any(cubes) else "eat a meal without cubes"


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
    Decision.START_PLACE: _start_place,
    Decision.PLACE: _place,
    Decision.NUMBER: _amoeba,
    Decision.MOVE: _move,
    Decision.DIRECTION: _direction,
    Decision.CARRY: _carry,
    Decision.CLING: _cling,
    Decision.AGAIN: _again,
    Decision.FEED: _feed,
    Decision.MEAL: _meal,
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
    Gene.RAY_PROTECTION: "lowers the MP; pays 4 when discarded",
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
        raise ValueError(f"there is no gene {name!r}; genes are {', '.join(GENE_NAMES)}")
    return ["gene                   BP  MP  left", *(_gene(game, ruleset, gene) for gene in chosen)]


def _gene(game: np.void, ruleset: Ruleset, gene: Gene) -> str:
    figures = f"{ruleset.price[gene]:>3} {ruleset.mutation_points[gene]:>3} {game['supply'][gene]:>5}"
    return f"{GENE_NAMES[gene]:<22}{figures}  {gene_effect(ruleset, gene)}"


def gene_effect(ruleset: Ruleset, gene: Gene) -> str:
    """What a gene does, in a few words."""
    effect = _EFFECTS[gene]
    return effect.replace("4", str(ruleset.ray_protection_payment)) if gene == Gene.RAY_PROTECTION else effect
