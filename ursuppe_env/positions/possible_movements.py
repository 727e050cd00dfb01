"""Can a movement stand like this? Who moves, with which dice, where to, with what and with whom."""

from collections.abc import Iterator

from ursuppe_env.line import counted
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
    """Where it goes."""
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


def _is_chosen(standing: Standing) -> bool:
    """Is the direction of the displacement known? Early clingers are asked before an active step has one."""
    if standing.game["movement"] == Movement.DRIFT or not standing.is_asking_clingers:
        return standing.node in (Decision.CARRY, Decision.CLING)
    return not standing.ruleset.early_clinging


def carrying_reasons(standing: Standing) -> Iterator[str]:
    """The cubes on their way: whose amoebas can have taken how many, and those of the amoeba that is taking some."""
    game, ruleset = standing.game, standing.ruleset
    if standing.mover == NOBODY:
        return
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
    yield from _taken_reasons(standing)


def _finished_carriers(standing: Standing, player: int) -> int:
    """How many amoebas of the player have taken along what they want: the mover and, if they may, those that cling."""
    game, ruleset = standing.game, standing.ruleset
    carriers = int(game["clinging"][player]).bit_count() if ruleset.clinging_carries else 0
    if player == standing.mover:
        carriers += not ruleset.early_clinging if standing.is_asking_clingers else standing.node == Decision.CARRY
    return carriers - (player == standing.carrier)


def _taken_reasons(standing: Standing) -> Iterator[str]:
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


def clinging_reasons(standing: Standing) -> Iterator[str]:
    """Amoebas that come along, or are asked whether they do, may cling and are in the space of the moving one."""
    game, mover, ruleset = standing.game, standing.mover, standing.ruleset
    if mover == NOBODY:
        return
    asked = int(game["cling_turn"]) if standing.is_asking_clingers else None
    is_carrying = standing.node == Decision.CARRY
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
                yield from _clinger_reasons(standing, player, number)
            if clings and not _is_answered(standing):
                yield f"{name} cannot have said at {standing.name} that it clings"
            if clings and asked is not None and asked + is_carrying <= place:
                yield f"{name} cannot have said that it clings; it is asked later"


def _clinger_reasons(standing: Standing, player: int, number: int) -> Iterator[str]:
    game, mover = standing.game, standing.mover
    name = amoeba_name((player, number))
    if (player, number) == (mover, game["mover_amoeba"]):
        yield f"{name} cannot cling; it is the moving amoeba itself"
    elif not standing.has(player, Gene.HOLDING) or (player == mover and not standing.ruleset.own_clinging):
        whose = "somebody" if standing.ruleset.own_clinging else f"an opponent of player {mover}"
        yield f"{name} cannot cling; it must belong to {whose} who owns holding"
    if game["amoeba_space"][player, number] != standing.space("mover", "mover_amoeba"):
        yield f"{name} cannot cling; it must be in the space of the moving amoeba"


def _is_answered(standing: Standing) -> bool:
    """May some clingers have answered? They are asked last of all, or first with early_clinging (rules.md, phase 1)."""
    return standing.is_asking_clingers or (standing.ruleset.early_clinging and standing.node != Decision.AGAIN)
