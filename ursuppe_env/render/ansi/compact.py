"""The board and the players for a terminal of 80 columns and 24 lines or more, with a question below them.

A space is its number with a count of cubes for each colour (``·``: none), and below that its amoebas. Those of a player
without damage stand together: ``0.34 0.1•`` are the amoebas 3 and 4 of player 0, and 1 with a DP.
"""

from collections.abc import Sequence
from itertools import chain, groupby, zip_longest
from operator import itemgetter

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from ursuppe_env.render.ansi import tokens
from ursuppe_env.render.descriptions import gene_with_notes, phase_of
from ursuppe_env.render.facts import acting, amoebas_in, attacked, centre_of_attention, environment_card, figures
from ursuppe_env.rules.board import ISLAND, MAP
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import Ruleset

WIDTH = 80
LINES = 21  # what a terminal of 24 lines has beside a question of one line, its actions and the prompt
_WIDEST_BOARD = 120
_LEGEND = "1.24 amoebas 2 and 4 of player 1   1.3• with a DP   [ ] acts   { } is attacked"
_SHORT = 4  # letters of a gene's name where there is no room for all


def compact(game: np.void, ruleset: Ruleset, width: int, lines: int) -> list[Text]:
    """The lines, none longer than the width; more of them than asked for only if board and players need them."""
    rows = _board(game, ruleset, min(width, _WIDEST_BOARD) // len(MAP))
    room = lines - sum(map(len, rows))
    players = _players(game, ruleset, width, in_short=False)
    if len(players) > room:
        players = _players(game, ruleset, width, in_short=True)
    room -= len(players)
    parts = [players]
    if room >= 1:
        parts.insert(0, [Text(_LEGEND, "dim", no_wrap=True)])
        room -= 1
    cards = tokens.cards_left(game, ruleset, width)
    if len(cards) <= room:
        parts.append(cards)
        room -= len(cards)
    if room >= len(rows):
        rows = [[*row, Text()] for row in rows]
    return list(chain(*rows, *parts))


# ---------------------------------------------------------------------- the board


def _board(game: np.void, ruleset: Ruleset, cell: int) -> list[list[Text]]:
    """The lines of each row of the map, with spaces that are so many characters wide."""
    rows = []
    for row, numbers in enumerate(MAP):
        cells = [_space(game, ruleset, int(number) - 1, cell) if number else [] for number in numbers]
        if row == ISLAND[0]:
            cells[ISLAND[1]] = _island(game, ruleset)
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


def _space(game: np.void, ruleset: Ruleset, space: int, cell: int) -> list[Text]:
    """``13 6 · · 1`` and the amoebas."""
    number = Text(f"{space + 1:>2}", "bold reverse" if space == centre_of_attention(game) else "dim")
    counts = enumerate(game["food"][space, : ruleset.players].tolist())
    cubes = [tokens.chip(str(count), colour) if count else Text("·", "dim") for colour, count in counts]
    return [*tokens.packed([number, *cubes], cell - 1), *tokens.packed(_amoebas(game, ruleset, space), cell - 1)]


def _amoebas(game: np.void, ruleset: Ruleset, space: int) -> list[Text]:
    """Of each owner a token for all without damage, and one for each other: ``2.14 [2.3•]``, where 3 acts."""
    found = []
    for player, amoebas in groupby(sorted(amoebas_in(game, ruleset, space)), itemgetter(0)):
        own = list(amoebas)
        others = [amoeba for amoeba in own if game["damage"][amoeba] or amoeba in (acting(game), attacked(game))]
        unharmed = "".join(str(number + 1) for _, number in own if (player, number) not in others)
        if unharmed:
            found.append(tokens.chip(f"{player}.{unharmed}", player, "bold"))
        found += [tokens.amoeba(game, amoeba) for amoeba in others]
    return found + tokens.asked_for(game, space)


def _island(game: np.void, ruleset: Ruleset) -> list[Text]:
    card = environment_card(game, ruleset)
    if card is None:
        return [Text(" no card yet", "dim")]
    return [Text(f" {tokens.ARROWS[card[0]]} {card[0]}", "bold"), Text(f" ozone {card[1]}", "bold")]


def _what_is_going_on(game: np.void, ruleset: Ruleset) -> list[Text]:
    when = f"round {game['round']}, " if game["round"] else ""
    order = tokens.turns(game, ruleset)
    return [Text(f"{when}{phase_of(game)}", "bold"), Text(f"turn order {order}" if order else "")]


# ---------------------------------------------------------------------- the players


def _players(game: np.void, ruleset: Ruleset, width: int, in_short: bool) -> list[Text]:
    """A line for each player, and more where the genes need them; ``in_short``: those are abbreviated first."""
    lines = [Text(f"player place/{ruleset.end_zone} BP MP amoebas cubes  genes (* new)", "dim")]
    for player in range(ruleset.players):
        lines += _player(game, ruleset, player, width, in_short)
    return lines


def _player(game: np.void, ruleset: Ruleset, player: int, width: int, in_short: bool) -> list[Text]:
    owned = np.flatnonzero(game["genes"][player]).tolist()
    has = figures(game, ruleset, player)
    amoebas = f"{has['amoebas']} of {ruleset.amoebas}"
    numbers = f"{has['place'] or '–':>12} {has['bp']:>2} {has['mp']:>2} {amoebas:>7} {has['reserve']:>5}  "
    line = Text(tokens.sign(game, player)) + tokens.chip(str(player), player) + Text(numbers)
    room = width - cell_len(line.plain)
    names = [gene_with_notes(game, player, gene) for gene in owned]
    if in_short and len(", ".join(names)) > room:
        names = [name.replace(GENE_NAMES[gene], _in_short(gene)) for gene, name in zip(owned, names, strict=True)]
    genes = tokens.packed(tokens.listed(names), room) or [Text()]
    indent = " " * cell_len(line.plain)
    return [line + genes[0], *(Text(indent) + more for more in genes[1:])]


def _in_short(gene: int) -> str:
    """``stru``; ``mov1`` and ``mov2``."""
    name = GENE_NAMES[gene]
    return name[: _SHORT - 1] + name[-1] if name[-1].isdigit() else name[:_SHORT]
