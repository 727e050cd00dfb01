"""What stands in the cells of the map that are no spaces: legend, round and turn, compass, environment cards left."""

from ursuppe_env.positions.facts import environment_card, environment_cards_left, turn_order
from ursuppe_env.render.descriptions import edition_of, phase_of
from ursuppe_env.render.fonts import wrapped
from ursuppe_env.render.svg.board import CELL_HEIGHT, CELL_WIDTH, TURNS, cell_corner
from ursuppe_env.render.svg.elements import Element, Value, circle, group, path, placed, rectangle, text
from ursuppe_env.render.svg.pieces import amoeba, cube, marker, ring
from ursuppe_env.render.svg.theme import Scene
from ursuppe_env.rules.board import CARD_DIRECTIONS, DIRECTION_NAMES, ISLAND
from ursuppe_env.rules.nodes import FINISHED

_LEGEND, _HEADING, _CARDS = (0, 0), (0, 2), (4, 4)  # row and column
_COMPASS_RADIUS = 36
_ACROSS_AND_DOWN = ((-1, 0), (0, -1), (1, 0), (0, 1))  # of the directions


def draw_corners(parent: Element, scene: Scene) -> None:
    """All of them."""
    _legend(parent, scene)
    _heading(parent, scene)
    _compass(parent, scene)
    _cards_left(parent, scene)


def _cell(parent: Element, cell: tuple[int, int], **attributes: Value) -> Element:
    return group(parent, **attributes, **placed(*cell_corner(*cell)))


def _heading(parent: Element, scene: Scene) -> None:
    """Edition, round, phase, and the order of the players."""
    game, theme = scene.game, scene.theme
    element = _cell(parent, _HEADING, class_="heading", data_round=int(game["round"]), data_phase=int(game["phase"]))
    left, width = 14, 3 * CELL_WIDTH - 20
    title, phase = f"Round {game['round']}", phase_of(game)
    if not game["round"]:
        title, phase = phase.capitalize(), ""
    text(element, left, 14, f"Ursuppe · {edition_of(scene.ruleset)}", size=10, fill=theme.faint)
    text(element, left, 40, title, size=22, bold=True, fill=theme.ink)
    text(element, left, 60, phase, size=14, width=width, fill=theme.ink)
    _order(element, scene, left)


def _order(parent: Element, scene: Scene, left: float) -> None:
    """The players in the order of the phase, or at the end in that of their ranks."""
    game, theme = scene.game, scene.theme
    if game["node"] == FINISHED:
        title, order, with_ring = "ranks", sorted(scene.players, key=lambda j: -int(game["marker"][j])), None
    else:
        title, (order, with_ring) = "turns", turn_order(game, scene.ruleset.players)
    if order:
        text(parent, left, 88, title, size=10, fill=theme.faint)
    for number, player in enumerate(order):
        x = left + 48 + 34 * number
        if number:
            text(parent, x - 17, 88, "›", size=14, anchor="middle", fill=theme.faint)
        turn = group(parent, class_="turn", data_player=player)
        marker(turn, x, 84, player, 9)
        if player == with_ring:
            turn.set("data-now", "true")
            circle(turn, x, 84, 13, fill="none", stroke=theme.alert, stroke_width=2)


def _legend(parent: Element, scene: Scene) -> None:
    """How to read the pieces, by an example of player 1."""
    element = _cell(parent, _LEGEND, class_="legend")
    theme = scene.theme

    def explain(y: float, *lines: str) -> None:
        for number, words in enumerate(lines):
            text(element, 37, y + 3.5 + 11 * (number - (len(lines) - 1) / 2), words, size=9.5, fill=theme.faint)

    amoeba(group(element, **placed(16, 16, 0.9)), 1, "1.2", 1)
    explain(16, "player 1’s", "amoeba 2", "with 1 DP")
    cube(element, 7, 39, 1)
    text(element, 24, 52, 4, size=12, bold=True, fill=theme.ink)
    explain(48, "4 cubes")
    for y, sign, meaning in ((72, "acts", "acts"), (96, "attacked", "attacked")):
        ring(group(element, **placed(16, y, 0.65)), theme, sign)
        explain(y, meaning)


def _compass(parent: Element, scene: Scene) -> None:
    """The direction of the current and the ozone value."""
    card, theme = environment_card(scene.game, scene.ruleset), scene.theme
    direction, ozone = card or ("?", "?")
    element = _cell(parent, ISLAND, class_="island", data_direction=direction, data_ozone=ozone)
    x, y = CELL_WIDTH / 2, 45
    rectangle(element, 4, 4, CELL_WIDTH - 8, CELL_HEIGHT - 8, rx=34, fill=theme.island, stroke=theme.island_edge)
    circle(element, x, y, _COMPASS_RADIUS, fill=theme.paper, stroke=theme.island_edge, stroke_width=1.5)
    radius = _COMPASS_RADIUS - 7
    for name, (across, down) in zip(DIRECTION_NAMES[:4], _ACROSS_AND_DOWN, strict=True):
        where = x + across * radius, y + down * radius + 3.5
        point = group(element, class_="point", data_direction=name)
        text(point, *where, name[0].upper(), size=10, anchor="middle", fill=theme.faint)
    middle = group(element, class_="point", data_direction="stay")
    if card:
        _current(middle, scene, x, y, direction)
    else:
        text(middle, x, y + 8, "?", size=22, bold=True, anchor="middle", fill=theme.ink)
    text(element, x, CELL_HEIGHT - 13, f"ozone {ozone}", size=14, bold=True, anchor="middle", fill=theme.ink)


def _current(parent: Element, scene: Scene, x: float, y: float, direction: str, scale: float = 1) -> None:
    """The arrow of a direction around a point; a ring where nothing drifts."""
    ink = scene.theme.ink
    if direction == "none":
        circle(parent, x, y, 8 * scale, fill="none", stroke=ink, stroke_width=3 * scale)
        return
    turn = TURNS[DIRECTION_NAMES.index(direction)]
    path(parent, "M-18 -4H3V-12L20 0L3 12V4H-18z", fill=ink, **placed(x, y, scale, turn))


def _cards_left(parent: Element, scene: Scene) -> None:
    """The ozone values of the environment cards not yet turned up, a line for each direction."""
    element, theme = _cell(parent, _CARDS, class_="cards-left"), scene.theme
    cards = environment_cards_left(scene.game, scene.ruleset)
    text(element, 12, 16, f"environment: {cards.total()} left", size=10, width=CELL_WIDTH - 16, fill=theme.faint)
    for number, direction in enumerate(CARD_DIRECTIONS):
        values = " ".join(str(ozone) for name, ozone in sorted(cards.elements()) if name == direction)
        y, opacity = 33 + 18 * number, 1 if values else 0.4
        entry = group(element, class_="cards", data_direction=direction, data_ozone=values, opacity=opacity)
        _current(entry, scene, 20, y - 4, direction, scale=0.4)
        text(entry, 36, y, *wrapped(values or "–", 12, CELL_WIDTH - 38, 1), size=12, fill=theme.ink)
