"""The pieces that the picture is put together from: marks in the players' colours, and how they fill lines."""

from collections.abc import Iterable, Sequence

from rich.text import Text

FRAME = 2  # characters or lines that a panel's border takes
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


def damage(points: int) -> str:
    """``••`` for two damage points; ``•5`` for many."""
    return "•" * points if points <= _MOST_DOTS else f"•{points}"


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
