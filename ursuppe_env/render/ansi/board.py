"""The board for the terminal: a panel for each space, the island with the current, and what the signs mean."""

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ursuppe_env.render.ansi.tokens import FRAME, chip, cubes, damage, packed
from ursuppe_env.render.facts import acting, amoebas_in, attacked, centre_of_attention, environment_card
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import ISLAND, MAP
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset

_COLUMNS = len(MAP)
_MOST_CUBES_IN_LINE = 5  # with 6 colours two lines of three look better than five and one
_LEAST_LINES = 2  # in a space
ARROWS = {"west": "◄", "north": "▲", "east": "►", "south": "▼", "none": "○"}


def board(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The map of the rules: a panel for each space, rows of equal height."""
    panel_width = width // _COLUMNS
    grid = Table.grid(padding=0)
    for _ in range(_COLUMNS):
        grid.add_column(width=panel_width)
    for row, numbers in enumerate(MAP):
        cells = {
            column: _space(game, ruleset, int(number) - 1, panel_width - FRAME)
            for column, number in enumerate(numbers)
            if number
        }
        if row == ISLAND[0]:
            cells[ISLAND[1]] = _island(game, ruleset)
        height = max(_LEAST_LINES, *map(len, cells.values()))
        grid.add_row(
            *(
                _panel(game, (row, column), cells[column], panel_width, height) if column in cells else ""
                for column in range(_COLUMNS)
            )
        )
    return grid


def legend() -> RenderableType:
    """What the signs on the board mean."""
    return Text(
        "1.2• amoeba 2 of player 1 with one DP   1■4 four cubes of colour 1   [ ] acts   { } is attacked",
        "dim",
        justify="center",
    )


def _panel(game: np.void, cell: tuple[int, int], lines: list[Text], width: int, height: int) -> Panel:
    """A space or the island; the space where it happens has a heavy border."""
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
        height=height + FRAME,
    )


def _space(game: np.void, ruleset: Ruleset, space: int, width: int) -> list[Text]:
    """A space line by line: the cubes of each colour, then the amoebas."""
    food = [cubes(colour, int(game["food"][space, colour])) for colour in range(ruleset.players)]
    in_line = len(food) if len(food) <= _MOST_CUBES_IN_LINE else len(food) // 2
    lines = []
    for first in range(0, len(food), in_line):
        lines += packed(food[first : first + in_line], width)
    amoebas = [amoeba_token(game, amoeba) for amoeba in amoebas_in(game, ruleset, space)]
    return lines + packed(amoebas + asked_for(game, space), width)


def asked_for(game: np.void, space: int) -> list[Text]:
    """The amoeba whose number is to be chosen, if it is to come into this space: ``[2.?]``."""
    if game["node"] != Decision.NUMBER or game["place"] != space:
        return []
    player = int(game["player"])
    return [chip(f"[{player}.?]", player, "bold")]


def amoeba_token(game: np.void, amoeba: Amoeba) -> Text:
    """``2.3•``, in brackets if it acts, in braces if it is attacked."""
    text = amoeba_name(amoeba) + damage(int(game["damage"][amoeba]))
    if amoeba == acting(game):
        text = f"[{text}]"
    elif amoeba == attacked(game):
        text = f"{{{text}}}"
    return chip(text, amoeba[0], "bold")


def _island(game: np.void, ruleset: Ruleset) -> list[Text]:
    """The compass with the arrow of the current, and the ozone value."""
    card = environment_card(game, ruleset)
    direction, ozone, arrow = (card[0], str(card[1]), ARROWS[card[0]]) if card else ("?", "?", "?")
    return [
        Text("   N    current"),
        Text(" W ") + Text(arrow, "bold") + Text(" E  ") + Text(direction, "bold"),
        Text("   S    ozone ") + Text(ozone, "bold"),
    ]
