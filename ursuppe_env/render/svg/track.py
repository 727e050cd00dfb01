"""The score track with its end zone and the markers on it."""

from math import ceil
from xml.etree.ElementTree import Element

from ursuppe_env.render.fonts import text_width
from ursuppe_env.render.svg.board import BOARD_HEIGHT
from ursuppe_env.render.svg.elements import group, rectangle, text
from ursuppe_env.render.svg.pieces import marker
from ursuppe_env.render.svg.theme import MARGIN, WIDTH, Scene

_TOP = MARGIN + BOARD_HEIGHT + 10
_TITLE = 20
_IN_ROW = 28
_PLACE_WIDTH = (WIDTH - 2 * MARGIN) / _IN_ROW
_PLACE_HEIGHT = 26
_BEYOND = 12  # places that are drawn from the beginning of the end zone on, at least; a marker may go further


def track_bottom(end_zone: int) -> float:
    """Where the track ends; depends on the ruleset alone, so that all pictures of a game have one size."""
    return _TOP + _TITLE + _rows(end_zone) * _PLACE_HEIGHT


def draw_track(parent: Element, scene: Scene) -> None:
    """The places in rows from left to right, and above them the markers that have no place there."""
    end_zone, theme = scene.ruleset.end_zone, scene.theme
    places = {player: int(scene.game["marker"][player]) for player in scene.players}
    track = group(parent, class_="track", data_end_zone=end_zone)
    text(track, MARGIN, _TOP + 12, "score track", size=12, bold=True, fill=theme.ink)
    text(track, MARGIN + 84, _TOP + 12, f"end zone from {end_zone}", size=10, fill=theme.faint)
    last = _rows(end_zone) * _IN_ROW
    for place in range(1, last + 1):
        _place(track, scene, place)
    aside = []
    for player, place in places.items():
        if 1 <= place <= last:
            marker(_marker_group(track, player, place), *_centre(place), player, 11)
        else:
            aside.append((place, player))
    _aside(track, scene, sorted(aside))


def _rows(end_zone: int) -> int:
    return ceil((end_zone - 1 + _BEYOND) / _IN_ROW)


def _centre(place: int) -> tuple[float, float]:
    row, column = divmod(place - 1, _IN_ROW)
    return MARGIN + (column + 0.5) * _PLACE_WIDTH, _TOP + _TITLE + (row + 0.5) * _PLACE_HEIGHT


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
