"""Below the board: the score track with its end zone and the markers on it, and the panel that says what goes on."""

from math import ceil

from ursuppe_env.positions.facts import carried
from ursuppe_env.render.descriptions import situation, under_way
from ursuppe_env.render.fonts import text_width, wrapped
from ursuppe_env.render.svg.board import BOARD_HEIGHT
from ursuppe_env.render.svg.elements import Element, group, placed, rectangle, text, tooltip
from ursuppe_env.render.svg.pieces import CUBE, cube, die, marker
from ursuppe_env.render.svg.theme import MARGIN, WIDTH, Scene

_GAP = 10  # above the track, and below it
_TOP = MARGIN + BOARD_HEIGHT + _GAP
_HEAD = 20  # height of the heading
_IN_ROW = 28
_PLACE_WIDTH = (WIDTH - 2 * MARGIN) / _IN_ROW
_PLACE_HEIGHT = 26
_BEYOND = 12  # places that are drawn from the beginning of the end zone on, at least; a marker may go further

_PANEL_HEIGHT = 92
_PADDING = 12
_DIE = 26
_MOST_CUBES_WIDTH = 330
_TITLE_WIDTH = 84
#: Size and height of lines, and how many there are: of long facts more and smaller ones.
_ONE_LINE, _USUAL_LINES, _SMALL_LINES = (12.0, 15.0, 1), (12.0, 15.0, 2), (9.5, 11.5, 3)


def picture_height(end_zone: int) -> float:
    """The height of the picture; depends on the ruleset alone, so that all pictures of a game have one size."""
    return _TOP + _HEAD + _rows(end_zone) * _PLACE_HEIGHT + _GAP + _PANEL_HEIGHT + MARGIN


def draw_track(parent: Element, scene: Scene) -> None:
    """The places in rows from left to right, and above them the markers that have no place there."""
    end_zone, theme = scene.ruleset.end_zone, scene.theme
    track = group(parent, class_="track", data_end_zone=end_zone)
    text(track, MARGIN, _TOP + 12, "score track", size=12, bold=True, fill=theme.ink)
    text(track, MARGIN + 84, _TOP + 12, f"end zone from {end_zone}", size=10, fill=theme.faint)
    last = _rows(end_zone) * _IN_ROW
    for place in range(1, last + 1):
        _place(track, scene, place)
    aside = []
    for player in scene.players:
        place = int(scene.game["marker"][player])
        if 1 <= place <= last:
            marker(_marker_group(track, player, place), *_centre(place), player, 11)
        else:
            aside.append((place, player))
    _aside(track, scene, sorted(aside))


def _rows(end_zone: int) -> int:
    return ceil((end_zone - 1 + _BEYOND) / _IN_ROW)


def _centre(place: int) -> tuple[float, float]:
    row, column = divmod(place - 1, _IN_ROW)
    return MARGIN + (column + 0.5) * _PLACE_WIDTH, _TOP + _HEAD + (row + 0.5) * _PLACE_HEIGHT


def _place(parent: Element, scene: Scene, place: int) -> None:
    """In the end zone the number is bold, and the border too."""
    theme, is_end = scene.theme, place >= scene.ruleset.end_zone
    x, y = _centre(place)
    element = group(parent, class_="end-zone" if is_end else "place", data_place=place)
    fill, border, ink = (theme.end_zone, 1.5, theme.ink) if is_end else (theme.panel, 0.7, theme.faint)
    left, top, width, height = x - _PLACE_WIDTH / 2 + 1, y - _PLACE_HEIGHT / 2 + 1, _PLACE_WIDTH - 2, _PLACE_HEIGHT - 2
    rectangle(element, left, top, width, height, rx=5, fill=fill, stroke=theme.line, stroke_width=border)
    text(element, x, y + 3.5, place, size=10, bold=is_end, anchor="middle", fill=ink)


def _aside(parent: Element, scene: Scene, markers: list[tuple[int, int]]) -> None:
    """Markers beyond the last place with their places, and those that are not yet on the track, from the right."""
    x, y = float(WIDTH - MARGIN), _TOP + 8
    for place, player in reversed(markers):
        label = f"on {place}" if place else "not yet"
        text(parent, x, y + 4, label, size=10, bold=place > 0, anchor="end", fill=scene.theme.ink)
        x -= text_width(label, 10, bold=place > 0) + 13
        marker(_marker_group(parent, player, place), x, y, player, 9)
        x -= 16


def _marker_group(parent: Element, player: int, place: int) -> Element:
    return group(parent, class_="marker", data_player=player, data_place=place)


def draw_status(parent: Element, scene: Scene, last_action: str | None) -> None:
    """Who decides what, what is under way, the dice and the cubes on their way, and the last action."""
    theme, top = scene.theme, picture_height(scene.ruleset.end_zone) - MARGIN - _PANEL_HEIGHT
    panel = group(parent, class_="status", **placed(MARGIN, top))
    rectangle(panel, 0, 0, WIDTH - 2 * MARGIN, _PANEL_HEIGHT, rx=10, fill=theme.panel, stroke=theme.line)
    pieces_left = _dice_and_cubes(panel, scene, WIDTH - 2 * MARGIN - _PADDING)
    _situation(panel, scene, 24, pieces_left)
    facts = "; ".join(under_way(scene.game, scene.ruleset))
    y = _facts(panel, scene, "under way", facts, 46, _USUAL_LINES, _SMALL_LINES)
    _facts(panel, scene, "last action", last_action or "", y, _ONE_LINE)


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


def _facts(parent: Element, scene: Scene, title: str, facts: str, y: float, *kinds: tuple[float, float, int]) -> float:
    """Facts in the first of these kinds of lines that holds them, from the base line y on; returns the next one."""
    if not facts:
        return y
    element = group(parent, class_=title.replace(" ", "-"))
    tooltip(element, facts)
    _title(element, scene, title, y)
    width = WIDTH - 2 * MARGIN - 2 * _PADDING - _TITLE_WIDTH
    whole = (kind for kind in kinds if " ".join(wrapped(facts, kind[0], width, kind[2])) == facts)
    size, line_height, most = next(whole, kinds[-1])
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
    if not scene.game["carried"].any():
        return right
    row, x = group(parent), 0.0  # each player's cubes behind the marker of the player whose amoebas carry them
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
