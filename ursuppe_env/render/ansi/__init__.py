"""A picture of one game for a terminal: board, score track, players, cards and what is being decided.

Everything is told by characters, so that the picture can be read without colours: ``2.3`` is amoeba 3 of player 2
(as in the action texts), one ``•`` behind it a damage point, ``2■4`` four cubes of player 2's colour. Colours only
repeat the player's number.
"""

from io import StringIO

import numpy as np
from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ursuppe_env.render.ansi import compact, tokens
from ursuppe_env.render.descriptions import gene_with_notes, heading, situation, under_way
from ursuppe_env.render.facts import amoebas_in, centre_of_attention, environment_card, figures
from ursuppe_env.rules.board import ISLAND, MAP
from ursuppe_env.rules.ruleset import Ruleset

__all__ = ["draw_ansi", "draw_compact"]

WIDTH = 100
WIDTH_OF_MANY = 120  # with 5 and 6 players
_FRAME = 2  # characters or lines that a panel's border takes
_MOST_CUBES_IN_LINE = 5  # with 6 colours two lines of three look better than five and one
_LEAST_LINES = 2  # in a space
_LEGEND = "1.2• amoeba 2 of player 1 with one DP   1■4 four cubes of colour 1   [ ] acts   { } is attacked"


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
        *tokens.cards_left(game, ruleset, width),
        _what_happens(game, ruleset, last_action),
    )
    return _as_text(Group(*parts), width, color)


def draw_compact(
    game: np.void, ruleset: Ruleset, color: bool = True, width: int = compact.WIDTH, lines: int = compact.LINES
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
    return _as_text(Group(*compact.compact(game, ruleset, width, lines)), width, color)


def _as_text(picture: RenderableType, width: int, color: bool) -> str:
    """Render to a string; every setting is given, so that neither terminal nor notebook nor environment matters."""
    console = Console(
        file=StringIO(),
        width=width,
        color_system="256" if color else None,
        no_color=not color,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(picture)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


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
        panels = [_panel(game, (row, column), lines, panel_width, height) for column, lines in enumerate(cells)]
        grid.add_row(*panels)
    return grid


def _panel(game: np.void, cell: tuple[int, int], lines: list[Text], width: int, height: int) -> Panel | str:
    """A space or the island, or nothing if it has no lines; the space where it happens has a heavy border."""
    if not lines:
        return ""
    is_island = cell == ISLAND
    is_centre = not is_island and MAP[cell] - 1 == centre_of_attention(game)
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
    food = [tokens.cubes(colour, int(game["food"][space, colour])) for colour in range(ruleset.players)]
    in_line = len(food) if len(food) <= _MOST_CUBES_IN_LINE else len(food) // 2
    lines = []
    for first in range(0, len(food), in_line):
        lines += tokens.packed(food[first : first + in_line], width)
    amoebas = [tokens.amoeba(game, amoeba) for amoeba in amoebas_in(game, ruleset, space)]
    return lines + tokens.packed(amoebas + tokens.asked_for(game, space), width)


def _island(game: np.void, ruleset: Ruleset) -> list[Text]:
    """The compass with the arrow of the current, and the ozone value."""
    card = environment_card(game, ruleset)
    direction, ozone, arrow = (card[0], str(card[1]), tokens.ARROWS[card[0]]) if card else ("?", "?", "?")
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
    last = max([ruleset.end_zone, *markers])
    for first in range(1, last + 1, in_row):
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
        chips = tokens.spaced(tokens.chip(str(player), player) for player in waiting)
        lines.append(Text("not yet on the track: ") + chips)
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
    taken = {place: tokens.chip(str(player), player, "bold") for place, player in markers.items() if place in places}
    return tokens.spaced({**empty, **taken}.values())


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
        has = figures(game, ruleset, player)
        genes = [gene_with_notes(game, player, gene) for gene in np.flatnonzero(game["genes"][player]).tolist()]
        table.add_row(
            Text(tokens.sign(game, player)) + tokens.chip(f"player_{player}", player),
            str(has["place"] or "–"),
            str(has["bp"]),
            f"{has['amoebas']} of {ruleset.amoebas}",
            tokens.cubes(player, has["reserve"]),
            str(has["mp"]),
            ", ".join(genes),
        )
    return table


def _what_happens(game: np.void, ruleset: Ruleset, last_action: str | None) -> RenderableType:
    """Whose turn it is, who decides what, what is under way and what was done last."""
    waits_for = situation(game)
    sentence = Text(waits_for.text)
    if waits_for.player is not None:
        sentence = tokens.chip(f"player_{waits_for.player}", waits_for.player) + Text(" ") + sentence
    lines: dict[str, str | Text] = {
        "last action": last_action or "",
        "turn order": tokens.turns(game, ruleset),
        "under way": "; ".join(under_way(game, ruleset)),
        waits_for.title: sentence,
    }
    text = Text("\n").join(Text.assemble((f"{title}: ", "bold"), line) for title, line in lines.items() if line)
    return Panel(text, box=box.ROUNDED, padding=(0, 1))
