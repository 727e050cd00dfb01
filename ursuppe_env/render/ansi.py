"""Pictures of one game for a terminal: board, score track, players, cards and what is being decided.

Everything is told by characters, so that a picture can be read without colours: ``2.3`` is amoeba 3 of player 2 (as in
the action texts), one ``•`` behind it a damage point, ``2■4`` four cubes of player 2's colour. Colours only repeat the
player's number.
"""

from collections.abc import Sequence
from io import StringIO
from itertools import chain, groupby, zip_longest
from operator import itemgetter

import numpy as np
from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ursuppe_env.positions import facts
from ursuppe_env.render.descriptions import gene_with_notes, heading, phase_of, situation, under_way
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import ISLAND, MAP
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset

__all__ = ["draw_ansi", "draw_compact"]

WIDTH = 100
WIDTH_OF_MANY = 120  # with 5 and 6 players
_FRAME = 2  # characters or lines that a panel's border takes
_MOST_CUBES_IN_LINE = 5  # with 6 colours two lines of three look better than five and one
_LEAST_LINES = 2  # in a space
_LEGEND = "1.2• amoeba 2 of player 1 with one DP   1■4 four cubes of colour 1   [ ] acts   { } is attacked"

COMPACT_WIDTH = 80
COMPACT_LINES = 21  # what a terminal of 24 lines has beside a question of one line, its actions and the prompt
_WIDEST_BOARD = 120
_COMPACT_LEGEND = "1.24 amoebas 2 and 4 of player 1   1.3• with a DP   [ ] acts   { } is attacked"
_SHORT = 4  # letters of a gene's name where there is no room for all

_ARROWS = {"west": "◄", "north": "▲", "east": "►", "south": "▼", "none": "○"}
_MOST_DOTS = 3

# Near to six colours of Okabe and Ito, from the part of the 256 colours that a terminal's theme leaves alone; any two
# of them differ clearly for people with protanopia, deuteranopia and tritanopia too. They always lie under dark or
# light digits, so that they show on any background of the terminal.
_PLAYER_STYLES = (
    "color(16) on color(208)",  # orange
    "color(16) on color(117)",  # sky blue
    "color(16) on color(227)",  # yellow
    "color(231) on color(25)",  # blue
    "color(16) on color(175)",  # reddish purple
    "color(16) on color(29)",  # bluish green
)


def draw_ansi(game: np.void, ruleset: Ruleset, last_action: str | None = None, color: bool = True) -> str:
    """Draw a game as text: 100 columns wide, with 5 and 6 players 120.

    Args:
        game: its record, ``games.state[i]``.
        ruleset: the numbers it is played with.
        last_action: what is shown as the last action, such as ``"player_1: space 3"``; None: nothing.
        color: mark the players by colours too (ANSI escape codes); False: plain characters only.
    """
    width = WIDTH if ruleset.players <= 4 else WIDTH_OF_MANY
    parts = (
        Rule(Text(heading(game, ruleset), "bold"), characters="═", style=""),
        _board(game, ruleset, width),
        Text(_LEGEND, "dim", justify="center"),
        _track(game, ruleset, width),
        _players(game, ruleset),
        *_cards_left(game, ruleset, width),
        _what_happens(game, ruleset, last_action),
    )
    return _as_text(Group(*parts), width, color)


def draw_compact(
    game: np.void, ruleset: Ruleset, color: bool = True, width: int = COMPACT_WIDTH, lines: int = COMPACT_LINES
) -> str:
    """Draw the board and the players as text for a terminal that has no room for ``draw_ansi``.

    Args:
        game: its record, ``games.state[i]``.
        ruleset: the numbers it is played with.
        color: mark the players by colours too (ANSI escape codes); False: plain characters only.
        width: columns, at least 80.
        lines: where there are more than the board and the players need, they have the genes in full, what the signs
            mean, and the cards that are left.
    """
    return _as_text(Group(*_compact(game, ruleset, width, lines)), width, color)


def _as_text(picture: RenderableType, width: int, color: bool) -> str:
    """Render to a string; every setting is given, so that neither terminal nor notebook nor environment matters."""
    file = StringIO()
    console = Console(
        file=file,
        width=width,
        color_system="256" if color else None,
        no_color=not color,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    console.print(picture)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


# ---------------------------------------------------------------------- the board


def _board(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The map of the rules: a panel for each space, rows of equal height."""
    panel_width = width // len(MAP)
    grid = Table.grid(padding=0)
    for _ in range(len(MAP)):
        grid.add_column(width=panel_width)
    for row, numbers in enumerate(MAP):
        cells = [_space(game, ruleset, int(number) - 1, panel_width - _FRAME) if number else [] for number in numbers]
        if row == ISLAND[0]:
            cells[ISLAND[1]] = _island(game, ruleset)
        height = max(_LEAST_LINES, *map(len, cells))
        grid.add_row(*(_panel(game, (row, column), lines, panel_width, height) for column, lines in enumerate(cells)))
    return grid


def _panel(game: np.void, cell: tuple[int, int], lines: list[Text], width: int, height: int) -> Panel | str:
    """A space or the island, or nothing if it has no lines; the space where it happens has a heavy border."""
    if not lines:
        return ""
    is_island = cell == ISLAND
    is_centre = not is_island and MAP[cell] - 1 == facts.centre_of_attention(game)
    return Panel(
        Text("\n").join(lines),
        box=box.DOUBLE if is_island else box.HEAVY if is_centre else box.ROUNDED,
        title=Text("island" if is_island else str(MAP[cell]), "not dim"),
        title_align="left",
        border_style="bold" if is_centre else "dim",
        padding=0,
        width=width,
        height=height + _FRAME,
    )


def _space(game: np.void, ruleset: Ruleset, space: int, width: int) -> list[Text]:
    """A space line by line: the cubes of each colour, then the amoebas."""
    food = [_cubes(colour, int(game["food"][space, colour])) for colour in range(ruleset.players)]
    in_line = len(food) if len(food) <= _MOST_CUBES_IN_LINE else len(food) // 2
    lines = [line for first in range(0, len(food), in_line) for line in _packed(food[first : first + in_line], width)]
    amoebas = [_amoeba(game, amoeba) for amoeba in facts.amoebas_in(game, ruleset, space)]
    return lines + _packed(amoebas + _asked_for(game, space), width)


def _island(game: np.void, ruleset: Ruleset) -> list[Text]:
    """The compass with the arrow of the current, and the ozone value."""
    card = facts.environment_card(game, ruleset)
    direction, ozone, arrow = (card[0], str(card[1]), _ARROWS[card[0]]) if card else ("?", "?", "?")
    return [
        Text("   N    current"),
        Text(" W ") + Text(arrow, "bold") + Text(" E  ") + Text(direction, "bold"),
        Text("   S    ozone ") + Text(ozone, "bold"),
    ]


# ---------------------------------------------------------------------- the track, the players and what happens


def _track(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The score track in rows of places; rows without a marker and without the beginning of the end zone are named."""
    in_row = (width - 2 * _FRAME) // 10 * 5  # two characters a place, a multiple of five
    markers = {int(game["marker"][player]): player for player in range(ruleset.players) if game["marker"][player]}
    lines = []
    skipped: list[int] = []
    for first in range(1, max([ruleset.end_zone, *markers]) + 1, in_row):
        places = range(first, first + in_row)
        if ruleset.end_zone in places or any(place in markers for place in places):
            if skipped:
                lines.append(Text(f"⋮ {skipped[0]}–{skipped[-1]}: no marker", "dim"))
            lines += [_places(places, markers, ruleset.end_zone), _ruler(places)]
            skipped = []
        else:
            skipped += places
    waiting = [player for player in range(ruleset.players) if not game["marker"][player]]
    if waiting:
        lines.append(Text("not yet on the track: ") + Text(" ").join(_chip(str(player), player) for player in waiting))
    return Panel(
        Text("\n").join(lines),
        box=box.ROUNDED,
        title=Text(f"score track, end zone (=) from {ruleset.end_zone}", "not dim"),
        title_align="left",
        border_style="dim",
        padding=(0, 1),
    )


def _places(places: range, markers: dict[int, int], end_zone: int) -> Text:
    """One character a place: the marker that stands there, or a dot, ``=`` in the end zone."""
    empty = {place: Text("=" if place >= end_zone else "·", "dim") for place in places}
    taken = {place: _chip(str(player), player, "bold") for place, player in markers.items() if place in places}
    return Text(" ").join({**empty, **taken}.values())


def _ruler(places: range) -> Text:
    """The numbers of the first place and of every fifth one, below them."""
    ruler = ""
    for place in places:
        if place == places[0] or place % 5 == 0:
            ruler = ruler.ljust(2 * (place - places[0])) + str(place)
    return Text(ruler, "dim")


def _players(game: np.void, ruleset: Ruleset) -> RenderableType:
    """A table with a row for each player."""
    table = Table(box=box.ROUNDED, expand=True, border_style="dim", header_style="")
    table.add_column("player", no_wrap=True)
    for column in ("place", "BP", "amoebas", "reserve", "MP"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("genes (* bought in this round)", ratio=1)
    for player in range(ruleset.players):
        has = facts.figures(game, ruleset, player)
        genes = [gene_with_notes(game, player, gene) for gene in np.flatnonzero(game["genes"][player]).tolist()]
        table.add_row(
            Text(_sign(game, player)) + _chip(f"player_{player}", player),
            str(has["place"] or "–"),
            str(has["bp"]),
            f"{has['amoebas']} of {ruleset.amoebas}",
            _cubes(player, has["reserve"]),
            str(has["mp"]),
            ", ".join(genes),
        )
    return table


def _what_happens(game: np.void, ruleset: Ruleset, last_action: str | None) -> RenderableType:
    """Whose turn it is, who decides what, what is under way and what was done last."""
    waits_for = situation(game)
    sentence = Text(waits_for.text)
    if waits_for.player is not None:
        sentence = _chip(f"player_{waits_for.player}", waits_for.player) + Text(" ") + sentence
    lines: dict[str, str | Text] = {
        "last action": last_action or "",
        "turn order": _turns(game, ruleset),
        "under way": "; ".join(under_way(game, ruleset)),
        waits_for.title: sentence,
    }
    text = Text("\n").join(Text.assemble((f"{title}: ", "bold"), line) for title, line in lines.items() if line)
    return Panel(text, box=box.ROUNDED, padding=(0, 1))


# ---------------------------------------------------------------------- the compact picture


def _compact(game: np.void, ruleset: Ruleset, width: int, lines: int) -> list[Text]:
    """The lines, none longer than the width; more of them than asked for only if board and players need them.

    A space is its number with a count of cubes for each colour (``·``: none), and below that its amoebas. Those of a
    player without damage stand together: ``0.34 0.1•`` are the amoebas 3 and 4 of player 0, and 1 with a DP.
    """
    rows = _compact_board(game, ruleset, min(width, _WIDEST_BOARD) // len(MAP))
    room = lines - sum(map(len, rows))
    players = _compact_players(game, ruleset, width, in_short=False)
    if len(players) > room:
        players = _compact_players(game, ruleset, width, in_short=True)
    room -= len(players)
    parts = [players]
    if room >= 1:
        parts.insert(0, [Text(_COMPACT_LEGEND, "dim", no_wrap=True)])
        room -= 1
    cards = _cards_left(game, ruleset, width)
    if len(cards) <= room:
        parts.append(cards)
        room -= len(cards)
    if room >= len(rows):
        rows = [[*row, Text()] for row in rows]
    return list(chain(*rows, *parts))


def _compact_board(game: np.void, ruleset: Ruleset, cell: int) -> list[list[Text]]:
    """The lines of each row of the map, with spaces that are so many characters wide."""
    rows = []
    for row, numbers in enumerate(MAP):
        cells = [_compact_space(game, ruleset, int(number) - 1, cell) if number else [] for number in numbers]
        if row == ISLAND[0]:
            cells[ISLAND[1]] = _compact_island(game, ruleset)
        if row == 0:
            cells[2:] = [_what_is_going_on(game, ruleset)]  # beside space 1 there is none
        rows.append([_in_columns(parts, cell) for parts in zip_longest(*cells, fillvalue=Text())])
    return rows


def _in_columns(parts: Sequence[Text], cell: int) -> Text:
    """The parts of a line, each at the place of its column of the map."""
    line = Text()
    for column, part in enumerate(parts):
        line.append(" " * (column * cell - cell_len(line.plain)))
        line.append_text(part)
    return line


def _compact_space(game: np.void, ruleset: Ruleset, space: int, cell: int) -> list[Text]:
    """``13 6 · · 1`` and the amoebas."""
    number = Text(f"{space + 1:>2}", "bold reverse" if space == facts.centre_of_attention(game) else "dim")
    counts = enumerate(game["food"][space, : ruleset.players].tolist())
    cubes = [_chip(str(count), colour) if count else Text("·", "dim") for colour, count in counts]
    return [*_packed([number, *cubes], cell - 1), *_packed(_amoebas(game, ruleset, space), cell - 1)]


def _amoebas(game: np.void, ruleset: Ruleset, space: int) -> list[Text]:
    """Of each owner a token for all without damage, and one for each other: ``2.14 [2.3•]``, where 3 acts."""
    found, fighting = [], (facts.acting(game), facts.attacked(game))
    for player, amoebas in groupby(facts.amoebas_in(game, ruleset, space), itemgetter(0)):
        own = list(amoebas)
        others = [amoeba for amoeba in own if game["damage"][amoeba] or amoeba in fighting]
        unharmed = "".join(str(number + 1) for _, number in own if (player, number) not in others)
        if unharmed:
            found.append(_chip(f"{player}.{unharmed}", player, "bold"))
        found += [_amoeba(game, amoeba) for amoeba in others]
    return found + _asked_for(game, space)


def _compact_island(game: np.void, ruleset: Ruleset) -> list[Text]:
    card = facts.environment_card(game, ruleset)
    if card is None:
        return [Text(" no card yet", "dim")]
    return [Text(f" {_ARROWS[card[0]]} {card[0]}", "bold"), Text(f" ozone {card[1]}", "bold")]


def _what_is_going_on(game: np.void, ruleset: Ruleset) -> list[Text]:
    when = f"round {game['round']}, " if game["round"] else ""
    order = _turns(game, ruleset)
    return [Text(f"{when}{phase_of(game)}", "bold"), Text(f"turn order {order}" if order else "")]


def _compact_players(game: np.void, ruleset: Ruleset, width: int, in_short: bool) -> list[Text]:
    """A line for each player, and more where the genes need them; ``in_short``: those are abbreviated first."""
    lines = [Text(f"player place/{ruleset.end_zone} BP MP amoebas cubes  genes (* new)", "dim")]
    for player in range(ruleset.players):
        lines += _compact_player(game, ruleset, player, width, in_short)
    return lines


def _compact_player(game: np.void, ruleset: Ruleset, player: int, width: int, in_short: bool) -> list[Text]:
    owned = np.flatnonzero(game["genes"][player]).tolist()
    has = facts.figures(game, ruleset, player)
    amoebas = f"{has['amoebas']} of {ruleset.amoebas}"
    numbers = f"{has['place'] or '–':>12} {has['bp']:>2} {has['mp']:>2} {amoebas:>7} {has['reserve']:>5}  "
    line = Text(_sign(game, player)) + _chip(str(player), player) + Text(numbers)
    room = width - cell_len(line.plain)
    names = [gene_with_notes(game, player, gene) for gene in owned]
    if in_short and len(", ".join(names)) > room:
        names = [name.replace(GENE_NAMES[gene], _in_short(gene)) for gene, name in zip(owned, names, strict=True)]
    genes = _packed(_listed(names), room) or [Text()]
    return [line + genes[0], *(Text(" " * cell_len(line.plain)) + more for more in genes[1:])]


def _in_short(gene: int) -> str:
    """``stru``; ``mov1`` and ``mov2``."""
    name = GENE_NAMES[gene]
    return name[: _SHORT - 1] + name[-1] if name[-1].isdigit() else name[:_SHORT]


# ---------------------------------------------------------------------- the pieces of both pictures


def _chip(text: str, player: int, style: str = "") -> Text:
    """Text on the player's colour, which what is appended to it does not take over."""
    return Text.assemble((text, f"{style} {_PLAYER_STYLES[player]}"))


def _cubes(colour: int, count: int) -> Text:
    """``2■4``; none is a dot, so that the colours that are there catch the eye."""
    return Text.assemble(_chip(str(colour), colour), (f"■{count}", "") if count else ("■·", "dim"))


def _packed(tokens: Sequence[Text], width: int) -> list[Text]:
    """The tokens in as few lines of this width as they need: whatever there is gets its place."""
    lines: list[Text] = []
    for token in tokens:
        if lines and len(lines[-1]) + 1 + len(token) <= width:
            lines[-1] = Text(" ").join([lines[-1], token])
        else:
            lines.append(token)
    return lines


def _listed(names: Sequence[str]) -> list[Text]:
    """The names as tokens with commas between."""
    return [Text(name + ",") for name in names[:-1]] + [Text(name) for name in names[-1:]]


def _amoeba(game: np.void, name: Amoeba) -> Text:
    """``2.3•`` with a dot for a damage point, ``2.3•5`` with many; in brackets if it acts, in braces if attacked."""
    points = int(game["damage"][name])
    text = amoeba_name(name) + ("•" * points if points <= _MOST_DOTS else f"•{points}")
    if name == facts.acting(game):
        text = f"[{text}]"
    elif name == facts.attacked(game):
        text = f"{{{text}}}"
    return _chip(text, name[0], "bold")


def _asked_for(game: np.void, space: int) -> list[Text]:
    """The amoeba whose number is to be chosen, if it is to come into this space: ``[2.?]``."""
    if game["node"] != Decision.NUMBER or game["place"] != space:
        return []
    player = int(game["player"])
    return [_chip(f"[{player}.?]", player, "bold")]


def _sign(game: np.void, player: int) -> str:
    """Before a player's name: whether the player decides, or has won."""
    return "▸ " if game["player"] == player else "★ " if game["winner"] == player else "  "


def _turns(game: np.void, ruleset: Ruleset) -> str:
    """``2 › [0] › 1``: the players in the order of this phase, the one whose turn it is in brackets."""
    order, with_turn = facts.turn_order(game, ruleset.players)
    return " › ".join(f"[{player}]" if player == with_turn else str(player) for player in order)


def _cards_left(game: np.void, ruleset: Ruleset, width: int) -> list[Text]:
    """The genes with their prices and the cards in the supply, and the environment cards not yet turned up."""
    genes = [f"{name} {price} BP" for name, price in zip(GENE_NAMES, ruleset.price, strict=True)]
    supply = {gene: int(count) for gene, count in zip(genes, game["supply"], strict=True)}
    cards = facts.environment_cards_left(game, ruleset)
    lists = {
        "gene cards left:": [f"{gene} ×{count}" for gene, count in supply.items() if count],
        "none left of:": [gene for gene, count in supply.items() if not count],
        f"environment cards left ({cards.total()}):": [
            f"{direction} {ozone}" + (f" ×{count}" if count > 1 else "") for (direction, ozone), count in cards.items()
        ],
    }
    lines: list[Text] = []
    for title, entries in lists.items():
        lines += _packed([Text(title, "bold"), *_listed(entries or ["–"])], width)
    return lines
