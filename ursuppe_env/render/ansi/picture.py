"""The whole picture for the terminal, from the heading to what happens, as a string."""

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
from ursuppe_env.render.position import turn_order
from ursuppe_env.render.words import heading, situation, under_way
from ursuppe_env.rules.ruleset import Ruleset

WIDTH = 100
WIDTH_OF_MANY = 120  # with 5 and 6 players


def draw(game: np.void, ruleset: Ruleset, last_action: str | None, color: bool) -> str:
    """The picture of one record; see ``draw_ansi``."""
    width = WIDTH if ruleset.players <= 4 else WIDTH_OF_MANY
    parts = (
        Rule(Text(heading(game, ruleset), "bold"), characters="═", style=""),
        board(game, ruleset, width),
        legend(),
        track(game, ruleset, width),
        players(game, ruleset),
        cards_left(game, ruleset, width),
        _what_happens(game, ruleset, last_action),
    )
    return _as_text(Group(*parts), width, color)


def draw_in_short(game: np.void, ruleset: Ruleset, color: bool) -> str:
    """The board and the players of one record; see ``draw_compact``."""
    return _as_text(Group(*compact.compact(game, ruleset)), compact.WIDTH, color)


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
