"""The board and the players in 80 columns, for a terminal of 24 lines that has to show a question below them too.

A space is its number with a count of cubes for each colour (``·``: none), and below that its amoebas, those of a player
together: ``0.1•34`` are the amoebas 1, 3 and 4 of player 0, the first one with a DP.
"""

from operator import itemgetter

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from ursuppe_env.render.ansi.tokens import chip, damage, packed
from ursuppe_env.render.descriptions import gene_with_notes, phase_of
from ursuppe_env.render.facts import (
    acting,
    amoebas_in,
    attacked,
    centre_of_attention,
    environment_card,
    space_of,
    turn_order,
)
from ursuppe_env.rules.actions import Amoeba
from ursuppe_env.rules.board import ISLAND, MAP, OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset

WIDTH = 80
LINES = 24  # of the terminal; the board leaves a few of them to the question
_CELL = WIDTH // len(MAP)
_ARROWS = {"west": "◄", "north": "▲", "east": "►", "south": "▼", "none": "○"}
_SHORT = 4  # letters of a gene's name where there is no room for all


def compact(game: np.void, ruleset: Ruleset) -> list[Text]:
    """The lines, none longer than 80 columns."""
    return [*_board(game, ruleset), *_players(game, ruleset)]


# ---------------------------------------------------------------------- the board


def _board(game: np.void, ruleset: Ruleset) -> list[Text]:
    lines = []
    for row, numbers in enumerate(MAP):
        cells = [_space(game, ruleset, int(number) - 1) if number else [] for number in numbers]
        if row == ISLAND[0]:
            cells[ISLAND[1]] = _island(game, ruleset)
        if row == 0:
            cells[2:] = [_what_is_going_on(game, ruleset)]  # beside space 1 there is none
        for line in range(max(map(len, cells))):
            lines.append(_beside_each_other([cell[line] if line < len(cell) else Text() for cell in cells]))
    return lines


def _beside_each_other(parts: list[Text]) -> Text:
    """The parts of a line, each at the place of its column of the map."""
    line = Text()
    for column, part in enumerate(parts):
        line.append(" " * (column * _CELL - cell_len(line.plain)))
        line.append_text(part)
    return line


def _space(game: np.void, ruleset: Ruleset, space: int) -> list[Text]:
    """``13 6 · · 1`` and the amoebas."""
    number = Text(f"{space + 1:>2}", "bold reverse" if space == centre_of_attention(game) else "dim")
    cubes = [_cubes(colour, int(game["food"][space, colour])) for colour in range(ruleset.players)]
    return [*packed([number, *cubes], _CELL - 1), *packed(_amoebas(game, ruleset, space), _CELL - 1)]


def _cubes(colour: int, count: int) -> Text:
    return chip(str(count), colour) if count else Text("·", "dim")


def _amoebas(game: np.void, ruleset: Ruleset, space: int) -> list[Text]:
    """A token for each owner, or several where one is too long for a line: ``2.1[3•]``, where 3 acts."""
    names = [(player, _name(game, (player, number))) for player, number in amoebas_in(game, ruleset, space)]
    if game["node"] == Decision.NUMBER and game["place"] == space:
        names.append((int(game["player"]), "[?]"))
    tokens: list[tuple[int, str]] = []
    for player, name in sorted(names, key=itemgetter(0)):
        if tokens and tokens[-1][0] == player and len(tokens[-1][1] + name) < _CELL:
            tokens[-1] = player, tokens[-1][1] + name
        else:
            tokens.append((player, f"{player}.{name}"))
    return [chip(token, player, "bold") for player, token in tokens]


def _name(game: np.void, amoeba: Amoeba) -> str:
    """``3•``, in brackets if it acts, in braces if it is attacked."""
    name = f"{amoeba[1] + 1}{damage(int(game['damage'][amoeba]))}"
    if amoeba == acting(game):
        return f"[{name}]"
    return f"{{{name}}}" if amoeba == attacked(game) else name


def _island(game: np.void, ruleset: Ruleset) -> list[Text]:
    card = environment_card(game, ruleset)
    if card is None:
        return [Text(" no card yet", "dim")]
    return [Text(f" {_ARROWS[card[0]]} {card[0]}", "bold"), Text(f" ozone {card[1]}", "bold")]


def _what_is_going_on(game: np.void, ruleset: Ruleset) -> list[Text]:
    order, with_turn = turn_order(game, ruleset.players)
    names = " › ".join(f"[{player}]" if player == with_turn else str(player) for player in order)
    when = f"round {game['round']}, " if game["round"] else ""
    return [Text(f"{when}{phase_of(game)}", "bold"), Text(f"turn order {names}" if names else "")]


# ---------------------------------------------------------------------- the players


def _players(game: np.void, ruleset: Ruleset) -> list[Text]:
    heading = f"player  place/{ruleset.end_zone}  BP  MP  amoebas  cubes  genes (* new)"
    return [Text(heading, "dim"), *(_player(game, ruleset, player) for player in range(ruleset.players))]


def _player(game: np.void, ruleset: Ruleset, player: int) -> Text:
    sign = "▸ " if game["player"] == player else "★ " if game["winner"] == player else "  "
    on_board = sum(space_of(game, (player, number)) != OFF_BOARD for number in range(ruleset.amoebas))
    owned = [int(gene) for gene in np.flatnonzero(game["genes"][player])]
    points = sum(ruleset.mutation_points[gene] for gene in owned)
    place = str(game["marker"][player] or "–")
    figures = f"{place:>12} {game['bp'][player]:>3} {points:>3} {f'{on_board} of {ruleset.amoebas}':>8}"
    line = Text(sign) + chip(str(player), player) + Text(f"{figures} {game['reserve'][player]:>6}  ")
    names = [gene_with_notes(game, player, gene) for gene in owned]
    if cell_len(line.plain) + len(", ".join(names)) > WIDTH:
        names = [name.replace(GENE_NAMES[gene], _in_short(gene)) for gene, name in zip(owned, names, strict=True)]
    line.append(", ".join(names))
    line.truncate(WIDTH, overflow="ellipsis")
    return line


def _in_short(gene: int) -> str:
    """``stru``; ``mov1`` and ``mov2``."""
    name = GENE_NAMES[gene]
    return name[: _SHORT - 1] + name[-1] if name[-1].isdigit() else name[:_SHORT]
