"""The soup: 19 spaces with their cubes and amoebas, and what moves between them.

The amoebas of a space stand side by side as large as there is room, and in rows by owner where there are very many.
"""

from math import ceil
from typing import NamedTuple

from ursuppe_env.positions import facts
from ursuppe_env.render.svg import pieces
from ursuppe_env.render.svg.elements import Element, Value, group, path, placed, rectangle, text, tooltip
from ursuppe_env.render.svg.theme import MARGIN, Scene
from ursuppe_env.rules.actions import Amoeba
from ursuppe_env.rules.board import COLUMN, ISLAND, NUM_SPACES, ROW
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.state import NOBODY

CELL_WIDTH, CELL_HEIGHT = 104, 112
BOARD_WIDTH, BOARD_HEIGHT = 5 * CELL_WIDTH, 5 * CELL_HEIGHT
_WATER = 5  # around the spaces
_INSET = 3  # of a space in its cell
_EDGE = 7  # of a cell: no amoebas there
_FOOD_LEFT, _FOOD_TOP = 4, 11
_FOOD_LINE = 18
_FOOD_SCALE = {2: 1.15, 3: 0.92}  # by the colours in a line: three leave room for counts of two digits
_FOOD_WIDTH = 32  # of a cube and its count
_GAP = 3  # between a count and the next cube, and between cubes and amoebas
TURNS = (180, 270, 0, 90)  # degrees from an arrow to the east to one to the west, north, east, south
_BESIDE_NUMBER = 0.74 * CELL_WIDTH
#: Where an arrow crosses them, to the west, north, east, south.
_BORDERS = ((0, CELL_HEIGHT / 2), (_BESIDE_NUMBER, 0), (CELL_WIDTH, CELL_HEIGHT / 2), (_BESIDE_NUMBER, CELL_HEIGHT))
_MOST_IN_GRID = 12  # amoebas of a space; more are a crowd


def cell_corner(row: int, column: int) -> tuple[float, float]:
    """The upper left corner of a cell of the map."""
    return MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT


def draw_board(parent: Element, scene: Scene) -> None:
    """The water, the spaces and the arrow of a displacement under way."""
    water = group(parent, class_="soup", fill=scene.theme.soup)
    for row, column in [*zip(ROW.tolist(), COLUMN.tolist(), strict=True), ISLAND]:
        x, y = cell_corner(row, column)
        rectangle(water, x - _WATER, y - _WATER, CELL_WIDTH + 2 * _WATER, CELL_HEIGHT + 2 * _WATER, rx=24)
    taking_part = _signs(scene)
    for space in range(NUM_SPACES):
        _space(parent, scene, space, taking_part)
    _displacement(parent, scene)


def _space(parent: Element, scene: Scene, space: int, signs: dict[Amoeba, str]) -> None:
    corner = cell_corner(int(ROW[space]), int(COLUMN[space]))
    element = group(parent, class_="space", data_space=space + 1, **placed(*corner))
    border: dict[str, Value] = {"stroke": scene.theme.line, "stroke_width": 1}
    if space == facts.centre_of_attention(scene.game):
        element.set("data-centre", "true")
        border = {"stroke": scene.theme.alert, "stroke_width": 3}
    width, height = CELL_WIDTH - 2 * _INSET, CELL_HEIGHT - 2 * _INSET
    rectangle(element, _INSET, _INSET, width, height, rx=14, fill=scene.theme.space, **border)
    rectangle(element, CELL_WIDTH / 2 - 11, -2, 22, 13, rx=6.5, fill=scene.theme.soup)
    text(element, CELL_WIDTH / 2, 8, space + 1, size=10, bold=True, anchor="middle", fill=scene.theme.ink)
    top = _food(element, scene, space) + _GAP
    room = CELL_WIDTH - 2 * _EDGE, CELL_HEIGHT - _EDGE - top
    _amoebas(group(element, **placed(_EDGE, top)), scene, space, signs, *room)


def _food(parent: Element, scene: Scene, space: int) -> float:
    """The cubes, each colour at its own place; returns where the lines end."""
    in_line = 2 if scene.ruleset.players == 4 else 3
    scale = _FOOD_SCALE[in_line]
    width, height = (CELL_WIDTH - 2 * _FOOD_LEFT) / in_line, _FOOD_LINE * scale
    for colour in scene.players:
        count = int(scene.game["food"][space, colour])
        row, column = divmod(colour, in_line)
        x, y = _FOOD_LEFT + column * width + (width - _FOOD_WIDTH * scale) / 2, _FOOD_TOP + row * height
        element = group(parent, class_="food", data_player=colour, data_count=count, **placed(x, y, scale))
        if count:
            pieces.cube(element, 0, 0, colour)
            left = pieces.CUBE + 1.5
            room = width / scale - left - _GAP
            text(element, left, 12.5, count, size=13, bold=True, width=room, fill=scene.theme.ink)
        else:
            pieces.no_cube(element, 0, 0, colour, scene.theme)
    return _FOOD_TOP + ceil(scene.ruleset.players / in_line) * height


def _displacement(parent: Element, scene: Scene) -> None:
    """An arrow across the border of the space that is being left."""
    mover, direction = facts.moving(scene.game), int(scene.game["direction"])
    if mover is None or direction == NOBODY:
        return
    space = facts.space_of(scene.game, mover)
    x, y = cell_corner(int(ROW[space]), int(COLUMN[space]))
    across, down = _BORDERS[direction]
    where = placed(x + across, y + down, turn=TURNS[direction])
    paint: dict[str, Value] = {"fill": scene.theme.alert, "stroke": scene.theme.paper, "stroke_width": 1.2}
    path(parent, "M-11 -4H1V-10L13 0L1 10V4H-11z", class_="displacement", data_direction=direction, **where, **paint)


class _Piece(NamedTuple):
    owner: int
    number: str  # counted from 1; "?" is still to be chosen
    damage: int
    sign: str  # acts, attacked, asked, clings; nothing: it has no part in what goes on


def _signs(scene: Scene) -> dict[Amoeba, str]:
    """The amoebas that have a part in what goes on, and which."""
    game = scene.game
    found = dict.fromkeys(facts.clinging(game), "clings")
    for sign, name in (("acts", facts.acting(game)), ("attacked", facts.attacked(game))):
        if name is not None:
            found[name] = sign
    if game["node"] == Decision.CLING:
        found[facts.asked_to_cling(game, scene.ruleset)] = "asked"
    carrier = facts.taking_cubes(game)
    if carrier is not None and found.get(carrier) == "clings":
        found[carrier] = "asked"
    return found


def _amoebas(parent: Element, scene: Scene, space: int, signs: dict[Amoeba, str], width: float, height: float) -> None:
    """By owner and number, in an area of this size; in the decision "number" also the one still to be chosen."""
    game = scene.game
    amoebas = [
        _Piece(name[0], str(name[1] + 1), int(game["damage"][name]), signs.get(name, ""))
        for name in facts.amoebas_in(game, scene.ruleset, space)
    ]
    if game["node"] == Decision.NUMBER and game["place"] == space:
        amoebas.append(_Piece(int(game["player"]), "?", 0, "asked"))
    if len(amoebas) > _MOST_IN_GRID:
        _crowd(parent, scene, amoebas, width, height)
    elif amoebas:
        _grid(parent, scene, amoebas, width, height)


def _grid(parent: Element, scene: Scene, amoebas: list[_Piece], width: float, height: float) -> None:
    """In the number of columns that leaves them the largest, every row in the middle."""
    wide, high, number = pieces.AMOEBA_WIDTH, pieces.AMOEBA_HEIGHT, len(amoebas)
    scale, columns = max(
        (min(1, width / (columns * wide), height / (ceil(number / columns) * high)), columns)
        for columns in range(1, number + 1)
    )
    rows = [amoebas[first : first + columns] for first in range(0, number, columns)]
    step = min(width / columns, 1.15 * scale * wide)
    for row, line in enumerate(rows):
        y = height / 2 + (row - (len(rows) - 1) / 2) * scale * high
        for column, amoeba in enumerate(line):
            x = width / 2 + (column - (len(line) - 1) / 2) * step
            _amoeba(parent, scene, amoeba, x, y, scale, in_crowd=False)


def _crowd(parent: Element, scene: Scene, amoebas: list[_Piece], width: float, height: float) -> None:
    """Each owner's side by side behind the owner's number, with only their own numbers on them."""
    owners = sorted({amoeba.owner for amoeba in amoebas})
    rows = {owner: [amoeba for amoeba in amoebas if amoeba.owner == owner] for owner in owners}
    longest = 1 + max(map(len, rows.values()))
    step, columns = max(
        (min(pieces.SMALL_AMOEBA, width / (columns * longest), height / ceil(len(rows) / columns)), columns)
        for columns in (1, 2, 3)
    )
    scale, line_height = step / pieces.SMALL_AMOEBA, height / ceil(len(rows) / columns)
    for place, (owner, row) in enumerate(rows.items()):
        line, column = divmod(place, columns)
        x, y = column * width / columns + step / 2, (line + 0.5) * line_height
        text(parent, x, y + 4 * scale, f"{owner}.", size=12 * scale, bold=True, anchor="middle", fill=scene.theme.ink)
        for number, amoeba in enumerate(row, 1):
            _amoeba(parent, scene, amoeba, x + number * step, y, scale, in_crowd=True)


def _amoeba(parent: Element, scene: Scene, amoeba: _Piece, x: float, y: float, scale: float, in_crowd: bool) -> None:
    """An amoeba with its marks and the line around it."""
    name = f"{amoeba.owner}.{amoeba.number}"
    element = group(parent, class_="amoeba", data_amoeba=name, data_player=amoeba.owner, **placed(x, y, scale))
    element.set("data-damage", str(amoeba.damage))
    tooltip(element, f"amoeba {amoeba.number} of player {amoeba.owner}, {amoeba.damage} DP")
    if amoeba.sign:
        element.set("data-sign", amoeba.sign)
        pieces.ring(element, scene.theme, amoeba.sign, pieces.SMALL_AMOEBA / pieces.AMOEBA_WIDTH if in_crowd else 1)
    if in_crowd:
        pieces.small_amoeba(element, amoeba.owner, amoeba.number, amoeba.damage)
    else:
        pieces.amoeba(element, amoeba.owner, name, amoeba.damage)
