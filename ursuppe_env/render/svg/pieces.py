"""The pieces: cubes, amoebas, markers and dice. Each bears its player's number, so that no colour has to be known."""

from ursuppe_env.render.svg.elements import Element, Value, circle, group, path, rectangle, text
from ursuppe_env.render.svg.theme import PLAYERS, Theme

CUBE = 14  # px
AMOEBA_WIDTH, AMOEBA_HEIGHT = 35, 25
SMALL_AMOEBA = 17
_OUTLINE = (
    "M17.6 0C17.6 2.7 14.3 6.2 11.3 8C8.4 9.8 4 10.5 0 10.7C-4 10.8 -10.2 10.9 -13 9.1C-15.7 7.4 -16.6 2.8 -16.3 0"
    "C-16 -2.8 -13.7 -5.8 -11 -7.8C-8.3 -9.8 -3.7 -12 0 -12C3.7 -12 8.4 -10 11.3 -8C14.3 -6 17.6 -2.7 17.6 0z"
)
_DASHES = {"acts": "none", "attacked": "5 3", "asked": "1.5 2.5", "clings": "1.5 2.5"}
_CUBE_DEPTH = 3  # of the faces of a cube that are seen from above and from the side
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def cube(parent: Element, x: float, y: float, colour: int) -> None:
    """A cube from its upper left corner."""
    paint, depth, front = PLAYERS[colour], _CUBE_DEPTH, CUBE - _CUBE_DEPTH
    edge: dict[str, Value] = {"stroke": paint.edge, "stroke_width": 0.8}
    faces = f"M{x:g} {y + depth:g}l{depth} {-depth}h{front}v{front}l{-depth} {depth}z"
    path(parent, faces, fill=paint.edge, **edge, stroke_linejoin="round")
    rectangle(parent, x, y + depth, front, front, fill=paint.fill, **edge)
    text(parent, x + front / 2, y + depth + 9, colour, size=9.5, anchor="middle", fill=paint.ink)


def no_cube(parent: Element, x: float, y: float, colour: int, theme: Theme) -> None:
    """Where a cube of this colour would be, if there were one."""
    front = CUBE - _CUBE_DEPTH
    y += _CUBE_DEPTH
    rectangle(parent, x, y, front, front, fill="none", stroke=theme.line, stroke_width=0.8, stroke_dasharray="2 1.5")
    text(parent, x + front / 2, y + 9, colour, size=9.5, anchor="middle", fill=theme.faint, opacity=0.7)


def amoeba(parent: Element, owner: int, label: str, damage: int) -> None:
    """An amoeba around the parent's origin, with its DP in a badge."""
    paint = PLAYERS[owner]
    path(parent, _OUTLINE, fill=paint.fill, stroke=paint.edge, stroke_width=1.5)
    text(parent, 0, 4, label, size=11.5, bold=True, anchor="middle", fill=paint.ink)
    _damage(parent, 14.5, -8.5, damage, radius=6)


def small_amoeba(parent: Element, owner: int, label: str, damage: int) -> None:
    """The same as a disc of half the width, for crowds."""
    paint = PLAYERS[owner]
    circle(parent, 0, 0, 8, fill=paint.fill, stroke=paint.edge, stroke_width=1.2)
    text(parent, 0, 4, label, size=11, bold=True, anchor="middle", fill=paint.ink)
    _damage(parent, 6.5, -6, damage, radius=4)


def ring(parent: Element, theme: Theme, sign: str, slimness: float = 1) -> None:
    """A line around the amoeba at the parent's origin: solid if it acts or is asked, dashed if it is attacked."""
    size = f"scale({1.22 * slimness:.3g} {1.3 * (1 + slimness) / 2:.3g})"
    stroke: dict[str, Value] = {"stroke": theme.alert, "stroke_width": 2, "stroke_dasharray": _DASHES[sign]}
    path(parent, _OUTLINE, class_="ring", transform=size, fill="none", **stroke)


def _damage(parent: Element, x: float, y: float, points: int, radius: float) -> None:
    if points:
        size = 1.5 * radius
        circle(parent, x, y, radius, fill="#000000", stroke="#ffffff", stroke_width=radius / 6)
        text(parent, x, y + 0.36 * size, points, size=size, bold=True, anchor="middle", width=size, fill="#ffffff")


def marker(parent: Element, x: float, y: float, player: int, radius: float = 10) -> None:
    """A score marker around a point; also the sign of a player wherever one is named."""
    paint = PLAYERS[player]
    element = group(parent)
    circle(element, x, y, radius, fill=paint.fill, stroke=paint.edge, stroke_width=1.5)
    size = 1.25 * radius
    text(element, x, y + 0.36 * size, player, size=size, bold=True, anchor="middle", fill=paint.ink)


def die(parent: Element, x: float, y: float, face: int, size: float) -> None:
    """A die from its upper left corner."""
    element = group(parent, class_="die", data_face=face)
    rectangle(element, x, y, size, size, rx=size / 5, fill="#ffffff", stroke="#55666c", stroke_width=1.2)
    for across, down in _PIPS[face]:
        circle(element, x + size * (0.5 + 0.27 * across), y + size * (0.5 + 0.27 * down), size / 11, fill="#101010")
