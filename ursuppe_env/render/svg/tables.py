"""The tables at the right: what each player has, and who owns which gene."""

from itertools import accumulate

from ursuppe_env.positions.facts import answer_is_spent, figures
from ursuppe_env.render.descriptions import gene_with_notes
from ursuppe_env.render.svg.board import BOARD_HEIGHT, BOARD_WIDTH
from ursuppe_env.render.svg.elements import Element, group, line, rectangle, text, tooltip
from ursuppe_env.render.svg.pieces import marker
from ursuppe_env.render.svg.theme import MARGIN, WIDTH, Scene
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES, Gene

_LEFT = MARGIN + BOARD_WIDTH + 14
_RIGHT = WIDTH - MARGIN
_HEAD = 16  # height of the headings
_PLAYER_LINE = 24
_GAP = 14
_MOST_GENE_LINE = 20
_GENE_FIGURES = {"price": 42, "MP": 24, "left": 5}  # titles, and how far left of the owners the columns end
_FIGURE_WIDTH = 14
_OWNER_RADIUS = 6.5
_COLUMNS = {"place": 38, "BP": 34, "amoebas": 56, "reserve": 48, "MP": 30}  # titles and widths
_ENDS = [_RIGHT - 4 - sum(_COLUMNS.values()) + end for end in accumulate(_COLUMNS.values())]
_SMALL_WORDS = ("for",)
_NUMERALS = {"1": "I", "2": "II"}


def draw_tables(parent: Element, scene: Scene) -> None:
    """Both tables, together as high as the board."""
    table = group(parent, class_="players")
    for title, end in zip(_COLUMNS, _ENDS, strict=True):
        text(table, end, MARGIN + 10, title, size=9.5, anchor="end", fill=scene.theme.faint)
    for player in scene.players:
        _player(table, scene, player, MARGIN + _HEAD + player * _PLAYER_LINE)
    top = MARGIN + _HEAD + scene.ruleset.players * _PLAYER_LINE + _GAP
    _genes(parent, scene, top, min(_MOST_GENE_LINE, (MARGIN + BOARD_HEIGHT - top - _HEAD) / NUM_GENES))


def _player(parent: Element, scene: Scene, player: int, y: float) -> None:
    game, ruleset, theme = scene.game, scene.ruleset, scene.theme
    has = figures(game, ruleset, player)
    row = group(parent, class_="player", data_player=player, **{f"data_{name}": value for name, value in has.items()})
    is_asked, has_won = game["player"] == player, game["winner"] == player
    if is_asked or has_won:
        row.set("data-sign", "decides" if is_asked else "winner")
        rectangle(row, _LEFT, y, _RIGHT - _LEFT, _PLAYER_LINE, rx=6, fill=theme.alert_panel)
        text(row, _LEFT + 3, y + 17, "▸" if is_asked else "★", size=14, bold=True, fill=theme.alert)
    marker(row, _LEFT + 25, y + _PLAYER_LINE / 2, player)
    shown = {**has, "amoebas": f"{has['amoebas']} of {ruleset.amoebas}", "place": has["place"] or "–"}
    for (name, value), end, width in zip(shown.items(), _ENDS, _COLUMNS.values(), strict=True):
        is_first = name in ("place", "bp")
        size = 14 if is_first else 12
        text(row, end, y + 17, value, size=size, bold=is_first, anchor="end", width=width - 4, fill=theme.ink)


def _genes(parent: Element, scene: Scene, top: float, height: float) -> None:
    """A line for each gene: its price in BP, its mutation points, the cards left, and a marker for each owner."""
    theme = scene.theme
    table = group(parent, class_="genes")
    y = top + 10
    text(table, _LEFT + 4, y, "gene", size=9.5, fill=theme.faint)
    owners = _RIGHT - 2 - scene.ruleset.players * _owner_width(scene)
    for title, distance in _GENE_FIGURES.items():
        text(table, owners - distance, y, title, size=9.5, anchor="end", fill=theme.faint)
    text(table, _RIGHT - 2, y, "owners (* new)", size=9.5, anchor="end", fill=theme.faint)
    for gene in range(NUM_GENES):
        _gene(table, scene, gene, top + _HEAD + gene * height, height, owners)


def _owner_width(scene: Scene) -> float:
    return max(14, 72 / scene.ruleset.players)


def _gene(parent: Element, scene: Scene, gene: int, y: float, height: float, owners: float) -> None:
    game, ruleset, theme = scene.game, scene.ruleset, scene.theme
    price, left = ruleset.price[gene], int(game["supply"][gene])
    row = group(parent, class_="gene", data_gene=GENE_NAMES[gene], data_price=price, data_left=left)
    if gene == Gene.ENDURANCE:
        line(row, _LEFT, y, _RIGHT, y, stroke=theme.line)
    elif gene % 2:
        rectangle(row, _LEFT, y, _RIGHT - _LEFT, height, fill=theme.panel)
    base = y + height / 2 + 4
    is_around = left or game["genes"][:, gene].any()
    ink = theme.ink if is_around else theme.faint
    name_width = owners - max(_GENE_FIGURES.values()) - _FIGURE_WIDTH - _LEFT - 8
    text(row, _LEFT + 4, base, gene_title(GENE_NAMES[gene]), size=11, width=name_width, fill=ink)
    figures = (price, ruleset.mutation_points[gene], left or "–")
    for figure, distance, bold in zip(figures, _GENE_FIGURES.values(), (False, False, left > 0), strict=True):
        text(row, owners - distance, base, figure, size=11, bold=bold, anchor="end", width=_FIGURE_WIDTH, fill=ink)
    for player in scene.players:
        if game["genes"][player, gene]:
            _owner(row, scene, gene, player, owners + (player + 0.5) * _owner_width(scene), y + height / 2)


def _owner(parent: Element, scene: Scene, gene: int, player: int, x: float, y: float) -> None:
    """An owner's marker: with a star if bought in this round, pale if it cannot answer again."""
    bought = int(scene.game["genes"][player, gene])
    note = gene_with_notes(scene.game, player, gene)
    owner = group(parent, class_="owner", data_player=player, data_bought=bought)
    tooltip(owner, f"player {player}: {note}, bought in round {bought}")
    marker(owner, x, y, player, _OWNER_RADIUS)
    if bought == scene.game["round"]:
        text(owner, x + 4, y + 1, "*", size=14, bold=True, fill=scene.theme.ink)
    if answer_is_spent(scene.game, player, gene):
        owner.set("data-used", "true")
        owner.set("opacity", "0.45")


def gene_title(name: str) -> str:
    """A gene's name as people write it: ``Struggle for Survival``, ``Movement II``."""
    words = name.split("_")
    return " ".join(_NUMERALS.get(word, word if word in _SMALL_WORDS else word.title()) for word in words)
