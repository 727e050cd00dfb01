"""Can a movement stand like this? Who moves, with which dice, where to, with what and with whom."""

from collections.abc import Iterator

from ursuppe_env.positions.standing import Standing
from ursuppe_env.rules.actions import amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NEIGHBOUR, OBSTACLE, Direction
from ursuppe_env.rules.genes import Gene
from ursuppe_env.rules.nodes import Chance, Decision, Movement, Phase
from ursuppe_env.rules.state import NOBODY


def movement_reasons(standing: Standing) -> Iterator[str]:
    """Who moves, how, and with which dice."""
    game, node, mover = standing.game, standing.node, standing.mover
    if mover == NOBODY:
        return
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
    yield from _dice(standing)


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


def displacement_reasons(standing: Standing) -> Iterator[str]:
    """Where it goes, and the cubes that a Tentacle takes along."""
    game, mover = standing.game, standing.mover
    if mover == NOBODY:
        return
    direction = int(game["direction"])
    if _is_chosen(standing) != (direction != NOBODY):
        yield f"{standing.name} {'needs' if _is_chosen(standing) else 'has no'} direction"
    if direction != NOBODY:
        space = standing.space("mover", "mover_amoeba")
        if direction == Direction.STAY or NEIGHBOUR[space, direction] == OBSTACLE:
            yield f"nothing moves {DIRECTION_NAMES[direction]} from space {space + 1}"
        elif game["movement"] != Movement.DRIFT:
            word = DIRECTION_NAMES[direction]
            if not standing.was_legal(Decision.DIRECTION, mover, word, lambda game: None):
                yield f"direction is {word!r}, which the dice do not allow"
    carried = int(game["carried"].sum())
    takes_cubes = standing.node == Decision.CARRY
    if (carried or takes_cubes) and not standing.has(mover, Gene.TENTACLE):
        yield f"player {mover} does not own tentacle and carries no cubes"
    most = standing.ruleset.carry - takes_cubes if _is_chosen(standing) else 0
    if carried > most:
        yield f"{carried} cubes are carried; at {standing.name} it must be at most {most}"


def _is_chosen(standing: Standing) -> bool:
    """Is the direction of the displacement known? Edition 1997 asks clingers before an active step has one."""
    is_drift = standing.game["movement"] == Movement.DRIFT
    return standing.node == Decision.CARRY or (
        standing.node == Decision.CLING and (is_drift or not standing.is_first_edition)
    )


def clinging_reasons(standing: Standing) -> Iterator[str]:
    """Amoebas that come along, or are asked whether they do, belong to opponents with Holding, in the same space."""
    game, mover, ruleset = standing.game, standing.mover, standing.ruleset
    if mover == NOBODY:
        return
    asked = int(game["cling_turn"]) if standing.node == Decision.CLING else None
    is_answered = _is_answered(standing)
    for turn, player in enumerate(game["order"][: ruleset.players].tolist()):
        for number in range(ruleset.amoebas):
            is_asked = asked == turn * ruleset.amoebas + number
            clings = int(game["clinging"][player]) >> number & 1
            if not (is_asked or clings):
                continue
            name = amoeba_name((player, number))
            if player == mover or not standing.has(player, Gene.HOLDING):
                yield f"{name} cannot cling; it must belong to an opponent of player {mover} who owns holding"
            if game["amoeba_space"][player, number] != standing.space("mover", "mover_amoeba"):
                yield f"{name} cannot cling; it must be in the space of the moving amoeba"
            if clings and not is_answered:
                yield f"{name} cannot have said at {standing.name} that it clings"
            if clings and asked is not None and asked <= turn * ruleset.amoebas + number:
                yield f"{name} cannot have said that it clings; it is asked later"


def _is_answered(standing: Standing) -> bool:
    """May some clingers have answered? Edition 1998 asks them last of all, edition 1997 first (rules.md, phase 1)."""
    return standing.node == Decision.CLING or (standing.is_first_edition and standing.node != Decision.AGAIN)
