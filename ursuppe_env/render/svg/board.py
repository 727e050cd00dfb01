"""The soup: 19 spaces with their cubes and amoebas, and what moves between them."""

from math import ceil
from xml.etree.ElementTree import Element

from ursuppe_env.render.position import (
    Amoeba,
    acting,
    amoebas_in,
    asked_to_cling,
    attacked,
    centre_of_attention,
    clinging,
    moving,
    space_of,
)
from ursuppe_env.render.svg.elements import Value, group, path, rectangle, text, tooltip
from ursuppe_env.render.svg.pieces import (
    AMOEBA_HEIGHT,
    AMOEBA_WIDTH,
    CUBE,
    SMALL_AMOEBA,
    amoeba,
    cube,
    marker,
    no_cube,
    ring,
    small_amoeba,
)
from ursuppe_env.render.svg.scene import MARGIN, Scene
from ursuppe_env.render.words import amoeba_name
from ursuppe_env.rules.board import COLUMN, ISLAND, NUM_SPACES, ROW
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.state import NOBODY

CELL_WIDTH, CELL_HEIGHT = 104, 112
BOARD_WIDTH, BOARD_HEIGHT = 5 * CELL_WIDTH, 5 * CELL_HEIGHT
_WATER = 5  # around the spaces
_INSET = 3  # of a space in its cell
_EDGE = 7  # of a cell: no pieces there
_FOOD_TOP = 11
_FOOD_LINE = 18
_FOOD_WIDTH = 29  # of a cube and its count
_GAP = 3  # between cubes and amoebas
_MOST_IN_GRID = 12  # with more amoebas a space is a crowd
TURNS = (180, 270, 0, 90)  # degrees from an arrow to the east to one to the west, north, east, south
_BORDERS = (
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
    signs = _signs(scene)
    for space in range(NUM_SPACES):
        _space(parent, scene, space, signs)
    _displacement(parent, scene)


def _signs(scene: Scene) -> dict[Amoeba, str]:
    """The amoebas that something goes on with, and what."""
    game = scene.game
    signs = dict.fromkeys(clinging(game), "clings")
    for sign, name in (("acts", acting(game)), ("attacked", attacked(game))):
        if name is not None:
            signs[name] = sign
    if game["node"] == Decision.CLING:
        signs[asked_to_cling(game, scene.ruleset)] = "asked"
    return signs


def _space(parent: Element, scene: Scene, space: int, signs: dict[Amoeba, str]) -> None:
    x, y = cell_corner(int(ROW[space]), int(COLUMN[space]))
    element = group(parent, class_="space", data_space=space + 1, transform=f"translate({x:g} {y:g})")
    border: dict[str, Value] = {"stroke": scene.theme.line, "stroke_width": 1}
    if space == centre_of_attention(scene.game):
        element.set("data-centre", "true")
        border = {"stroke": scene.theme.alert, "stroke_width": 3}
    width, height = CELL_WIDTH - 2 * _INSET, CELL_HEIGHT - 2 * _INSET
    rectangle(element, _INSET, _INSET, width, height, rx=16, fill=scene.theme.space, **border)
    rectangle(element, CELL_WIDTH / 2 - 11, -2, 22, 13, rx=6.5, fill=scene.theme.soup)
    text(element, CELL_WIDTH / 2, 8, space + 1, size=10, bold=True, anchor="middle", fill=scene.theme.ink)
    top = _food(element, scene, space) + _GAP
    _amoebas(element, scene, space, signs, top)


def _food(parent: Element, scene: Scene, space: int) -> float:
    """The cubes, each colour at its own place; returns where the lines end."""
    in_line = 2 if scene.ruleset.players == 4 else 3
    scale = 1.15 if in_line == 2 else 1
    width, height = (CELL_WIDTH - 2 * _EDGE) / in_line, _FOOD_LINE * scale
    for colour in scene.players:
        count = int(scene.game["food"][space, colour])
        row, column = divmod(colour, in_line)
        x, y = _EDGE + column * width + (width - _FOOD_WIDTH * scale) / 2, _FOOD_TOP + row * height
        element = group(parent, class_="food", data_player=colour, data_count=count, transform=_at(x, y, scale))
        if count:
            cube(element, 0, 0, colour)
            room = width / scale - CUBE - 2
            text(element, CUBE + 2, 12.5, count, size=13, bold=True, width=room, fill=scene.theme.ink)
        else:
            no_cube(element, 0, 0, colour, scene.theme)
    return _FOOD_TOP + ceil(scene.ruleset.players / in_line) * height


# ---------------------------------------------------------------------- amoebas


def _amoebas(parent: Element, scene: Scene, space: int, signs: dict[Amoeba, str], top: float) -> None:
    """The amoebas of a space, and in the decision "number" the one that is still to be chosen."""
    names = amoebas_in(scene.game, scene.ruleset, space)
    is_chosen_here = scene.game["node"] == Decision.NUMBER and scene.game["place"] == space
    how_many = len(names) + is_chosen_here
    if not how_many:
        return
    if how_many > _MOST_IN_GRID:
        _crowd(parent, scene, names, signs, top)
        return
    places, scale = _grid(how_many, CELL_WIDTH - 2 * _EDGE, CELL_HEIGHT - _EDGE - top)
    for name, (x, y) in zip(names, places, strict=False):
        element = _amoeba_group(parent, scene, name, signs, _EDGE + x, top + y, scale)
        amoeba(element, name[0], amoeba_name(name), int(scene.game["damage"][name]))
    if is_chosen_here:
        x, y = places[-1]
        player = int(scene.game["player"])
        element = group(parent, class_="new-amoeba", data_player=player, transform=_at(_EDGE + x, top + y, scale))
        ring(element, scene.theme, "asked")
        amoeba(element, player, f"{player}.?", 0)


def _grid(how_many: int, width: float, height: float) -> tuple[list[tuple[float, float]], float]:
    """The centres of so many amoebas in an area, and their scale: as large as there is room, at most 1."""
    scale, columns = max(
        (min(1, width / (columns * AMOEBA_WIDTH), height / (ceil(how_many / columns) * AMOEBA_HEIGHT)), columns)
        for columns in range(1, how_many + 1)
    )
    rows = ceil(how_many / columns)
    places = []
    for number in range(how_many):
        row, column = divmod(number, columns)
        in_row = min(columns, how_many - row * columns)
        x = width / 2 + (column - (in_row - 1) / 2) * min(width / columns, AMOEBA_WIDTH * scale * 1.15)
        y = height / 2 + (row - (rows - 1) / 2) * AMOEBA_HEIGHT * scale
        places.append((x, y))
    return places, scale


def _crowd(parent: Element, scene: Scene, names: list[Amoeba], signs: dict[Amoeba, str], top: float) -> None:
    """Very many amoebas: a row for each owner, headed by his marker, and only their own numbers on them."""
    owners = sorted({owner for owner, _ in names})
    longest = 1 + max(sum(owner == other for other, _ in names) for owner in owners)
    width, height = CELL_WIDTH - 2 * _EDGE, CELL_HEIGHT - _EDGE - top
    scale = min(1, width / (longest * SMALL_AMOEBA), height / (len(owners) * SMALL_AMOEBA))
    for row, owner in enumerate(owners):
        y = top + (row + 0.5) * height / len(owners)
        marker(parent, _EDGE + SMALL_AMOEBA * scale / 2, y, owner, 8 * scale)
        for column, name in enumerate(name for name in names if name[0] == owner):
            x = _EDGE + (column + 1.5) * SMALL_AMOEBA * scale
            element = _amoeba_group(parent, scene, name, signs, x, y, scale, SMALL_AMOEBA / AMOEBA_WIDTH)
            small_amoeba(element, owner, str(name[1] + 1), int(scene.game["damage"][name]))


def _amoeba_group(
    parent: Element,
    scene: Scene,
    name: Amoeba,
    signs: dict[Amoeba, str],
    x: float,
    y: float,
    scale: float,
    slimness: float = 1,
) -> Element:
    damage = int(scene.game["damage"][name])
    element = group(
        parent,
        class_="amoeba",
        data_amoeba=amoeba_name(name),
        data_player=name[0],
        data_damage=damage,
        transform=_at(x, y, scale),
    )
    tooltip(element, f"amoeba {name[1] + 1} of player {name[0]}, {damage} DP")
    if name in signs:
        element.set("data-sign", signs[name])
        ring(element, scene.theme, signs[name], slimness)
    return element


def _at(x: float, y: float, scale: float) -> str:
    return f"translate({x:.4g} {y:.4g}) scale({scale:.4g})"


# ---------------------------------------------------------------------- movement


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
        transform=f"translate({x + across:g} {y + down:g}) rotate({TURNS[direction]})",
        fill=scene.theme.alert,
        stroke=scene.theme.paper,
        stroke_width=1.2,
    )
