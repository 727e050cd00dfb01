"""The score track for the terminal, in rows of places."""

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.panel import Panel
from rich.text import Text

from ursuppe_env.render.ansi.tokens import FRAME, chip, spaced
from ursuppe_env.rules.ruleset import Ruleset


def track(game: np.void, ruleset: Ruleset, width: int) -> RenderableType:
    """The score track in rows of places; rows without a marker and without the beginning of the end zone are named."""
    in_row = (width - 2 * FRAME) // 10 * 5  # two characters a place, a multiple of five
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
        lines.append(Text("not yet on the track: ") + spaced(chip(str(player), player) for player in waiting))
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

    def place_token(place: int) -> Text:
        if place in markers:
            return chip(str(markers[place]), markers[place], "bold")
        return Text("=" if place >= end_zone else "·", "dim")

    return spaced(map(place_token, places))


def _ruler(places: range) -> Text:
    """The numbers of the first place and of every fifth one, below them."""
    ruler = ""
    for place in places:
        if place == places[0] or place % 5 == 0:
            ruler = ruler.ljust(2 * (place - places[0])) + str(place)
    return Text(ruler, "dim")
