"""What goes on: who decides what, what is under way, the dice and the cubes on their way, and the last action."""

from xml.etree.ElementTree import Element

from ursuppe_env.render.descriptions import situation, under_way
from ursuppe_env.render.fonts import text_width, wrapped
from ursuppe_env.render.svg.elements import group, placed, rectangle, text, tooltip
from ursuppe_env.render.svg.pieces import CUBE, cube, die, marker
from ursuppe_env.render.svg.scene import MARGIN, WIDTH, Scene

STATUS_HEIGHT = 92
_PADDING = 12
_DIE = 26
_TITLE_WIDTH = 84
_TEXT_SIZE = 12
_LINE = 15


def draw_status(parent: Element, scene: Scene, top: float, last_action: str | None) -> None:
    """The panel at the bottom of the picture."""
    theme = scene.theme
    panel = group(parent, class_="status", **placed(MARGIN, top))
    rectangle(panel, 0, 0, WIDTH - 2 * MARGIN, STATUS_HEIGHT, rx=10, fill=theme.panel, stroke=theme.line)
    pieces_left = _dice_and_cubes(panel, scene, WIDTH - 2 * MARGIN - _PADDING)
    _situation(panel, scene, 24, pieces_left)
    y = _facts(panel, scene, "under way", "; ".join(under_way(scene.game, scene.ruleset)), 46, 2)
    _facts(panel, scene, "last action", last_action or "", y, 1)


def _situation(parent: Element, scene: Scene, y: float, right: float) -> None:
    now, ink = situation(scene.game), scene.theme.ink
    element = group(parent, class_="situation", data_title=now.title)
    _title(element, scene, now.title, y)
    x = _PADDING + _TITLE_WIDTH
    if now.player is not None:
        element.set("data-player", str(now.player))
        marker(element, x + 9, y - 5, now.player, 9)
        x += 24
    words = f"player {now.player} {now.text}" if now.player is not None else now.text
    text(element, x, y, words, size=14, bold=True, width=right - x, fill=ink)


def _title(parent: Element, scene: Scene, title: str, y: float) -> None:
    text(parent, _PADDING, y, title, size=11, width=_TITLE_WIDTH - 6, fill=scene.theme.faint)


def _facts(parent: Element, scene: Scene, title: str, facts: str, y: float, most: int) -> float:
    """Facts in at most so many lines, from the base line y on; returns the base line of what follows."""
    if not facts:
        return y
    element = group(parent, class_=title.replace(" ", "-"))
    tooltip(element, facts)
    _title(element, scene, title, y)
    width = WIDTH - 2 * MARGIN - 2 * _PADDING - _TITLE_WIDTH
    for words in wrapped(facts, _TEXT_SIZE, width, most):
        text(element, _PADDING + _TITLE_WIDTH, y, words, size=_TEXT_SIZE, fill=scene.theme.ink)
        y += _LINE
    return y + 5


def _dice_and_cubes(parent: Element, scene: Scene, right: float) -> float:
    """The dice of the step and the cubes that are carried, from the right; returns where they begin."""
    for face in scene.game["dice"][::-1]:
        if face:
            right -= _DIE + 6
            die(parent, right, 6, int(face), _DIE)
    for colour in reversed(scene.players):
        count = int(scene.game["carried"][:, colour].sum())
        if count:
            right -= text_width(str(count), 13, bold=True) + CUBE + 12
            carried = group(parent, class_="carried", data_player=colour, data_count=count)
            cube(carried, right, 11, colour)
            text(carried, right + CUBE + 3, 24, count, size=13, bold=True, fill=scene.theme.ink)
    return right
