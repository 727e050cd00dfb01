"""A film as JSON for the viewer of pages (``viewer/``): pictures as numbers into a table of what they are made of.

A picture has some 80,000 characters, and one decision changes little of it. So each distinct element, a tag with the
text that follows it, is in a table once, and a picture is a row of numbers into it. Rows that hardly differ from those
before them nearly vanish when they are compressed: a usual game takes some hundred kB.
"""

import re
from collections.abc import Iterable
from typing import Any

from ursuppe_env.records.film import Frame
from ursuppe_env.records.format import Record
from ursuppe_env.render.descriptions import phase_of, situation

_ELEMENT = re.compile(r"<[^>]*>[^<]*")


def reel_of(film: Iterable[Frame], record: Record) -> dict[str, Any]:
    """The film of a record, as JSON can write it.

    Args:
        film: ``frames(record)``, or some of them.
        record: says who played.

    Returns:
        ``players``, for each seat its name, or None; ``teams``, the seats of each, or None; ``elements``, texts of
        markup; ``pictures``, for each frame the numbers of its elements, in the theme "page"; ``moments``, for each
        frame its ``round``, the ``phase``, what the game waits for (``now``), who decides (``player``, or None), and
        what has happened since the frame before (``told``, lines of text).
    """
    numbers: dict[str, int] = {}  # of the elements
    pictures, moments = [], []
    for frame in film:
        markup = frame.games.svg(0, frame.last_action, theme="page")
        pictures.append([numbers.setdefault(element, len(numbers)) for element in _ELEMENT.findall(markup)])
        game = frame.games.state[0]
        now = situation(game)
        who = "" if now.player is None else f"player {now.player} "
        moment = {"round": int(game["round"]), "phase": phase_of(game), "now": f"{now.title}: {who}{now.text}"}
        decider = int(game["player"]) if game["player"] >= 0 else None
        moments.append({**moment, "player": decider, "told": list(frame.told)})
    return {
        "players": [None] * record.ruleset.players if record.agents is None else list(record.agents),
        "teams": None if record.teams is None else [list(seats) for seats in record.teams.seats],
        "elements": list(numbers),
        "pictures": pictures,
        "moments": moments,
    }
