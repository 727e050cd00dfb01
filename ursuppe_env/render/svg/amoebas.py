"""The amoebas of a space: side by side as large as there is room, and in rows by owner where there are very many."""

from math import ceil
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ursuppe_env.render.facts import acting, amoebas_in, asked_to_cling, attacked, clinging, taking_cubes
from ursuppe_env.render.svg.elements import group, placed, text, tooltip
from ursuppe_env.render.svg.pieces import AMOEBA_HEIGHT, AMOEBA_WIDTH, SMALL_AMOEBA, amoeba, ring, small_amoeba
from ursuppe_env.render.svg.theme import Scene
from ursuppe_env.rules.actions import Amoeba
from ursuppe_env.rules.nodes import Decision

_MOST_IN_GRID = 12  # with more a space is a crowd
_UNKNOWN = "?"  # number of an amoeba that is still to be chosen


class _Piece(NamedTuple):
    owner: int
    number: str  # counted from 1
    damage: int
    sign: str  # acts, attacked, asked, clings; nothing: it has no part in what goes on

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.number}"


def signs(scene: Scene) -> dict[Amoeba, str]:
    """The amoebas that have a part in what goes on, and which."""
    game = scene.game
    found = dict.fromkeys(clinging(game), "clings")
    for sign, name in (("acts", acting(game)), ("attacked", attacked(game))):
        if name is not None:
            found[name] = sign
    if game["node"] == Decision.CLING:
        found[asked_to_cling(game, scene.ruleset)] = "asked"
    carrier = taking_cubes(game)
    if carrier is not None and found.get(carrier) == "clings":
        found[carrier] = "asked"
    return found


def draw_amoebas(
    parent: Element, scene: Scene, space: int, signs: dict[Amoeba, str], width: float, height: float
) -> None:
    """Draw the amoebas of a space into an area of this size, from the parent's origin."""
    pieces = _pieces(scene, space, signs)
    if len(pieces) > _MOST_IN_GRID:
        _crowd(parent, scene, pieces, width, height)
    elif pieces:
        _grid(parent, scene, pieces, width, height)


def _pieces(scene: Scene, space: int, signs: dict[Amoeba, str]) -> list[_Piece]:
    """The amoebas by owner and number, in the decision "number" also the one that is still to be chosen."""
    game = scene.game
    pieces = [
        _Piece(name[0], str(name[1] + 1), int(game["damage"][name]), signs.get(name, ""))
        for name in amoebas_in(game, scene.ruleset, space)
    ]
    if game["node"] == Decision.NUMBER and game["place"] == space:
        pieces.append(_Piece(int(game["player"]), _UNKNOWN, 0, "asked"))
    return pieces


def _grid(parent: Element, scene: Scene, pieces: list[_Piece], width: float, height: float) -> None:
    """In the number of columns that leaves them the largest, every row in the middle."""
    scale, columns = max(
        (min(1, width / (columns * AMOEBA_WIDTH), height / (ceil(len(pieces) / columns) * AMOEBA_HEIGHT)), columns)
        for columns in range(1, len(pieces) + 1)
    )
    rows = [pieces[first : first + columns] for first in range(0, len(pieces), columns)]
    step = min(width / columns, 1.15 * scale * AMOEBA_WIDTH)
    for row, line in enumerate(rows):
        y = height / 2 + (row - (len(rows) - 1) / 2) * scale * AMOEBA_HEIGHT
        for column, piece in enumerate(line):
            x = width / 2 + (column - (len(line) - 1) / 2) * step
            amoeba(_group(parent, scene, piece, x, y, scale), piece.owner, piece.name, piece.damage)


def _crowd(parent: Element, scene: Scene, pieces: list[_Piece], width: float, height: float) -> None:
    """Each owner's side by side behind the owner's number, with only their own numbers on them."""
    rows = {owner: [piece for piece in pieces if piece.owner == owner] for owner in scene.players}
    rows = {owner: row for owner, row in rows.items() if row}
    longest = 1 + max(map(len, rows.values()))
    step, columns = max(
        (min(SMALL_AMOEBA, width / (columns * longest), height / ceil(len(rows) / columns)), columns)
        for columns in (1, 2, 3)
    )
    scale, line_height = step / SMALL_AMOEBA, height / ceil(len(rows) / columns)
    for place, (owner, row) in enumerate(rows.items()):
        line, column = divmod(place, columns)
        x, y = column * width / columns + step / 2, (line + 0.5) * line_height
        text(parent, x, y + 4 * scale, f"{owner}.", size=12 * scale, bold=True, anchor="middle", fill=scene.theme.ink)
        for number, piece in enumerate(row, 1):
            element = _group(parent, scene, piece, x + number * step, y, scale, SMALL_AMOEBA / AMOEBA_WIDTH)
            small_amoeba(element, owner, piece.number, piece.damage)


def _group(
    parent: Element, scene: Scene, piece: _Piece, x: float, y: float, scale: float, slimness: float = 1
) -> Element:
    """What an amoeba is drawn into, with its marks and the line around it."""
    element = group(parent, class_="amoeba", data_amoeba=piece.name, data_player=piece.owner, **placed(x, y, scale))
    element.set("data-damage", str(piece.damage))
    tooltip(element, f"amoeba {piece.number} of player {piece.owner}, {piece.damage} DP")
    if piece.sign:
        element.set("data-sign", piece.sign)
        ring(element, scene.theme, piece.sign, slimness)
    return element
