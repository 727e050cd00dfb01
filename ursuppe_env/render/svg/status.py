"""What goes on: who decides what, what is under way, the dice and the cubes on their way, and the last action."""

from xml.etree.ElementTree import Element

from ursuppe_env.render.descriptions import situation, under_way
from ursuppe_env.render.facts import carried
from ursuppe_env.render.fonts import text_width, wrapped
from ursuppe_env.render.svg.elements import group, placed, rectangle, text, tooltip
from ursuppe_env.render.svg.pieces import CUBE, cube, die, marker
from ursuppe_env.render.svg.theme import MARGIN, WIDTH, Scene

STATUS_HEIGHT = 92
_PADDING = 12
_DIE = 26
_MOST_CUBES_WIDTH = 330
_TITLE_WIDTH = 84
#: Size and height of lines, and how many there are: of long facts more and smaller ones.
_Lines = tuple[tuple[float, float, int], ...]
_LINES_OF_FACTS = ((12.0, 15.0, 2), (9.5, 11.5, 3))
_LINE_OF_ACTION = ((12.0, 15.0, 1),)


def draw_status(parent: Element, scene: Scene, top: float, last_action: str | None) -> None:
    """The panel at the bottom of the picture."""
    theme = scene.theme
    panel = group(parent, class_="status", **placed(MARGIN, top))
    rectangle(panel, 0, 0, WIDTH - 2 * MARGIN, STATUS_HEIGHT, rx=10, fill=theme.panel, stroke=theme.line)
    pieces_left = _dice_and_cubes(panel, scene, WIDTH - 2 * MARGIN - _PADDING)
    _situation(panel, scene, 24, pieces_left)
    y = _facts(panel, scene, "under way", "; ".join(under_way(scene.game, scene.ruleset)), 46, _LINES_OF_FACTS)
    _facts(panel, scene, "last action", last_action or "", y, _LINE_OF_ACTION)


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
    text(element, x, y, words, size=14, bold=True, width=right - x - 8, fill=ink)


def _title(parent: Element, scene: Scene, title: str, y: float) -> None:
    text(parent, _PADDING, y, title, size=11, width=_TITLE_WIDTH - 6, fill=scene.theme.faint)


def _facts(parent: Element, scene: Scene, title: str, facts: str, y: float, kinds_of_lines: _Lines) -> float:
    """Facts in the first of these kinds of lines that holds them, from the base line y on; returns the next one."""
    if not facts:
        return y
    element = group(parent, class_=title.replace(" ", "-"))
    tooltip(element, facts)
    _title(element, scene, title, y)
    width = WIDTH - 2 * MARGIN - 2 * _PADDING - _TITLE_WIDTH
    whole = (kind for kind in kinds_of_lines if " ".join(wrapped(facts, kind[0], width, kind[2])) == facts)
    size, line_height, most = next(whole, kinds_of_lines[-1])
    for words in wrapped(facts, size, width, most):
        text(element, _PADDING + _TITLE_WIDTH, y, words, size=size, fill=scene.theme.ink)
        y += line_height
    return y + 5


def _dice_and_cubes(parent: Element, scene: Scene, right: float) -> float:
    """The dice of the step and the cubes that are carried, from the right; returns where they begin."""
    for face in scene.game["dice"][::-1]:
        if face:
            right -= _DIE + 6
            die(parent, right, 6, int(face), _DIE)
    return _cubes(parent, scene, right) if scene.game["carried"].any() else right


def _cubes(parent: Element, scene: Scene, right: float) -> float:
    """The cubes on their way, each player's behind the marker of the player whose amoebas carry them."""
    row, x = group(parent), 0.0
    for player, cubes in carried(scene.game, scene.ruleset.players).items():
        marker(row, x + 12, 0, player, 8)
        x += 24
        for colour, count in cubes.items():
            element = group(row, class_="carried", data_carrier=player, data_player=colour, data_count=count)
            cube(element, x, -8, colour)
            text(element, x + CUBE + 3, 5, count, size=13, bold=True, fill=scene.theme.ink)
            x += CUBE + 12 + text_width(str(count), 13, bold=True)
    scale = min(1, _MOST_CUBES_WIDTH / x)
    row.set("transform", str(placed(right - scale * x, 19, scale)["transform"]))
    return right - scale * x
