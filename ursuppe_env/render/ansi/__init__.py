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
from rich.text import Text

from ursuppe_env.render.ansi import compact
from ursuppe_env.render.ansi.board import board, legend
from ursuppe_env.render.ansi.players import cards_left, players
from ursuppe_env.render.ansi.tokens import chip
from ursuppe_env.render.ansi.track import track
from ursuppe_env.render.descriptions import heading, situation, under_way
from ursuppe_env.render.facts import turn_order
from ursuppe_env.rules.ruleset import Ruleset

__all__ = ["draw_ansi", "draw_compact"]

WIDTH = 100
WIDTH_OF_MANY = 120  # with 5 and 6 players


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
        board(game, ruleset, width),
        legend(),
        track(game, ruleset, width),
        players(game, ruleset),
        *cards_left(game, ruleset, width),
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


def _what_happens(game: np.void, ruleset: Ruleset, last_action: str | None) -> RenderableType:
    """Whose turn it is, who decides what, what is under way and what was done last."""
    order, with_turn = turn_order(game, ruleset.players)
    waits_for = situation(game)
    sentence = Text(waits_for.text)
    if waits_for.player is not None:
        sentence = chip(f"player_{waits_for.player}", waits_for.player) + Text(" ") + sentence
    lines: dict[str, str | Text] = {
        "last action": last_action or "",
        "turn order": " › ".join(f"[{player}]" if player == with_turn else str(player) for player in order),
        "under way": "; ".join(under_way(game, ruleset)),
        waits_for.title: sentence,
    }
    text = Text("\n").join(Text.assemble((f"{title}: ", "bold"), line) for title, line in lines.items() if line)
    return Panel(text, box=box.ROUNDED, padding=(0, 1))


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
