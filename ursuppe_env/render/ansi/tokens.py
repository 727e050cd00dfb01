"""The pieces that both pictures are put together from: marks in the players' colours, and how they fill lines."""

from collections.abc import Iterable, Sequence

import numpy as np
from rich.text import Text

from ursuppe_env.render.facts import acting, attacked, environment_cards_left, turn_order
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import Ruleset

ARROWS = {"west": "◄", "north": "▲", "east": "►", "south": "▼", "none": "○"}
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


def chip(text: str, player: int, style: str = "") -> Text:
    """Text on the player's colour, which what is appended to it does not take over."""
    return Text.assemble((text, f"{style} {_PLAYER_STYLES[player]}"))


def cubes(colour: int, count: int) -> Text:
    """``2■4``; none is a dot, so that the colours that are there catch the eye."""
    return Text.assemble(chip(str(colour), colour), (f"■{count}", "") if count else ("■·", "dim"))


def spaced(tokens: Iterable[Text]) -> Text:
    """The tokens in one line."""
    return Text(" ").join(tokens)


def packed(tokens: Sequence[Text], width: int) -> list[Text]:
    """The tokens in as few lines of this width as they need: whatever there is gets its place."""
    lines: list[Text] = []
    for token in tokens:
        if lines and len(lines[-1]) + 1 + len(token) <= width:
            lines[-1] = spaced([lines[-1], token])
        else:
            lines.append(token)
    return lines


def listed(names: Sequence[str]) -> list[Text]:
    """The names as tokens with commas between."""
    return [Text(name + ",") for name in names[:-1]] + [Text(name) for name in names[-1:]]


def amoeba(game: np.void, name: Amoeba) -> Text:
    """``2.3•`` with a dot for a damage point, ``2.3•5`` with many; in brackets if it acts, in braces if attacked."""
    points = int(game["damage"][name])
    text = amoeba_name(name) + ("•" * points if points <= _MOST_DOTS else f"•{points}")
    if name == acting(game):
        text = f"[{text}]"
    elif name == attacked(game):
        text = f"{{{text}}}"
    return chip(text, name[0], "bold")


def asked_for(game: np.void, space: int) -> list[Text]:
    """The amoeba whose number is to be chosen, if it is to come into this space: ``[2.?]``."""
    if game["node"] != Decision.NUMBER or game["place"] != space:
        return []
    player = int(game["player"])
    return [chip(f"[{player}.?]", player, "bold")]


def sign(game: np.void, player: int) -> str:
    """Before a player's name: whether the player decides, or has won."""
    return "▸ " if game["player"] == player else "★ " if game["winner"] == player else "  "


def turns(game: np.void, ruleset: Ruleset) -> str:
    """``2 › [0] › 1``: the players in the order of this phase, the one whose turn it is in brackets."""
    order, with_turn = turn_order(game, ruleset.players)
    return " › ".join(f"[{player}]" if player == with_turn else str(player) for player in order)


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
        lines += packed([Text(title, "bold"), *listed(entries or ["–"])], width)
    return lines
