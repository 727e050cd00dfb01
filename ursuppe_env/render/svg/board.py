"""The soup: 19 spaces with their cubes and amoebas, and what moves between them."""

from math import ceil
from xml.etree.ElementTree import Element

from ursuppe_env.render.facts import centre_of_attention, moving, space_of
from ursuppe_env.render.svg.amoebas import draw_amoebas, signs
from ursuppe_env.render.svg.elements import Value, group, path, placed, rectangle, text
from ursuppe_env.render.svg.pieces import CUBE, cube, no_cube
from ursuppe_env.render.svg.theme import MARGIN, Scene
from ursuppe_env.rules.actions import Amoeba
from ursuppe_env.rules.board import COLUMN, ISLAND, NUM_SPACES, ROW
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
_BORDERS = (  # where an arrow crosses them, beside the number of the space
    (0, CELL_HEIGHT / 2),
    (0.74 * CELL_WIDTH, 0),
    (CELL_WIDTH, CELL_HEIGHT / 2),
    (0.74 * CELL_WIDTH, CELL_HEIGHT),
)


def cell_corner(row: int, column: int) -> tuple[float, float]:
    """The upper left corner of a cell of the map."""
    return MARGIN + column * CELL_WIDTH, MARGIN + row * CELL_HEIGHT


def draw_board(parent: Element, scene: Scene) -> None:
    """The water, the spaces and the arrow of a displacement under way."""
    water = group(parent, class_="soup", fill=scene.theme.soup)
    for row, column in [*zip(ROW.tolist(), COLUMN.tolist(), strict=True), ISLAND]:
        x, y = cell_corner(row, column)
        rectangle(water, x - _WATER, y - _WATER, CELL_WIDTH + 2 * _WATER, CELL_HEIGHT + 2 * _WATER, rx=24)
    taking_part = signs(scene)
    for space in range(NUM_SPACES):
        _space(parent, scene, space, taking_part)
    _displacement(parent, scene)


def _space(parent: Element, scene: Scene, space: int, signs: dict[Amoeba, str]) -> None:
    corner = cell_corner(int(ROW[space]), int(COLUMN[space]))
    element = group(parent, class_="space", data_space=space + 1, **placed(*corner))
    border: dict[str, Value] = {"stroke": scene.theme.line, "stroke_width": 1}
    if space == centre_of_attention(scene.game):
        element.set("data-centre", "true")
        border = {"stroke": scene.theme.alert, "stroke_width": 3}
    width, height = CELL_WIDTH - 2 * _INSET, CELL_HEIGHT - 2 * _INSET
    rectangle(element, _INSET, _INSET, width, height, rx=14, fill=scene.theme.space, **border)
    rectangle(element, CELL_WIDTH / 2 - 11, -2, 22, 13, rx=6.5, fill=scene.theme.soup)
    text(element, CELL_WIDTH / 2, 8, space + 1, size=10, bold=True, anchor="middle", fill=scene.theme.ink)
    top = _food(element, scene, space) + _GAP
    room = CELL_WIDTH - 2 * _EDGE, CELL_HEIGHT - _EDGE - top
    draw_amoebas(group(element, **placed(_EDGE, top)), scene, space, signs, *room)


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
            cube(element, 0, 0, colour)
            room = width / scale - CUBE - 1.5 - _GAP
            text(element, CUBE + 1.5, 12.5, count, size=13, bold=True, width=room, fill=scene.theme.ink)
        else:
            no_cube(element, 0, 0, colour, scene.theme)
    return _FOOD_TOP + ceil(scene.ruleset.players / in_line) * height


def _displacement(parent: Element, scene: Scene) -> None:
    """An arrow across the border of the space that is being left."""
    mover, direction = moving(scene.game), int(scene.game["direction"])
    if mover is None or direction == NOBODY or direction >= len(TURNS):
        return
    space = space_of(scene.game, mover)
    x, y = cell_corner(int(ROW[space]), int(COLUMN[space]))
    across, down = _BORDERS[direction]
    path(
        parent,
        "M-11 -4H1V-10L13 0L1 10V4H-11z",
        class_="displacement",
        data_direction=direction,
        **placed(x + across, y + down, turn=TURNS[direction]),
        fill=scene.theme.alert,
        stroke=scene.theme.paper,
        stroke_width=1.2,
    )
