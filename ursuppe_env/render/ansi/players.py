"""The players and the cards for the terminal: what each player has, and what is left."""

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ursuppe_env.render.ansi.tokens import chip, cubes, packed
from ursuppe_env.render.descriptions import gene_with_notes
from ursuppe_env.render.facts import environment_cards_left, space_of
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import Ruleset


def players(game: np.void, ruleset: Ruleset) -> RenderableType:
    """A table with a row for each player."""
    table = Table(box=box.ROUNDED, expand=True, border_style="dim", header_style="")
    table.add_column("player", no_wrap=True)
    for column in ("place", "BP", "amoebas", "reserve", "MP"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("genes (* bought in this round)", ratio=1)
    for player in range(ruleset.players):
        table.add_row(*_player(game, ruleset, player))
    return table


def _player(game: np.void, ruleset: Ruleset, player: int) -> list[RenderableType]:
    """A player's row in the table."""
    sign = "▸ " if game["player"] == player else "★ " if game["winner"] == player else "  "
    amoebas = sum(space_of(game, (player, number)) != OFF_BOARD for number in range(ruleset.amoebas))
    owned = np.flatnonzero(game["genes"][player])
    return [
        Text(sign) + chip(f"player_{player}", player),
        str(game["marker"][player]) if game["marker"][player] else "–",
        str(game["bp"][player]),
        f"{amoebas} of {ruleset.amoebas}",
        cubes(player, int(game["reserve"][player])),
        str(sum(ruleset.mutation_points[gene] for gene in owned)),
        ", ".join(gene_with_notes(game, player, int(gene)) for gene in owned),
    ]


def cards_left(game: np.void, ruleset: Ruleset, width: int) -> list[Text]:
    """The genes with their prices and the cards in the supply, and the environment cards not yet turned up."""
    genes = [f"{name} {price} BP" for name, price in zip(GENE_NAMES, ruleset.price, strict=True)]
    supply = {gene: int(count) for gene, count in zip(genes, game["supply"], strict=True)}
    cards = environment_cards_left(game, ruleset)
    lists = {
        "gene cards left:": [f"{gene} ×{count}" for gene, count in supply.items() if count],
        "none left of:": [gene for gene, count in supply.items() if not count],
        f"environment cards left ({cards.total()}):": [
            f"{direction} {ozone}" + (f" ×{count}" if count > 1 else "") for (direction, ozone), count in cards.items()
        ],
    }
    lines: list[Text] = []
    for title, entries in lists.items():
        tokens = [Text(entry + ",") for entry in entries[:-1]] + [Text(entry) for entry in entries[-1:] or ["–"]]
        lines += packed([Text(title, "bold"), *tokens], width)
    return lines
