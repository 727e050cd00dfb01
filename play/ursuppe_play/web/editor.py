"""What the editor is told of a position: how it looks, what may be done in it, or what is impossible and where."""

import re
from typing import Any

from ursuppe_env.positions.read import read_ruleset, read_state
from ursuppe_env.render.svg import draw_svg
from ursuppe_env.render.svg.theme import PLAYERS
from ursuppe_play.names import Names
from ursuppe_play.session import Session, game_at
from ursuppe_play.web.views import THEME, choices, question

#: What the sentences of refusals speak of, and the part of the editor where that is: the first that is found.
_PLACES = (
    (r"^(decision|chance|phase|the position|only|no action)\b", "decision"),
    (r"amoeba|\bDP\b|attacker|victim|\bcling", "amoebas"),
    (r"food|cube|reserve|colour", "food"),
    (r"\bgene|supply|\bowns?\b|bought|mutation", "genes"),
    (r"marker|start.place|\btrack|\border\b", "markers"),
    (r"\bbp\b|\bBP\b", "bp"),
    (r"\bcard|ozone|\bround\b|environment", "card"),
)
_ELSEWHERE = "decision"
#: A position is nobody's game: people know its players by their colours.
_NAMES = Names([colour.name.capitalize() for colour in PLAYERS])


def position_view(position: Any) -> dict[str, Any]:
    """How a position looks that somebody sets up.

    Returns:
        ``picture``, None where not even that is possible; ``error`` and ``place``, what is impossible, and in which
        part of the editor that is; or else ``position`` with all its keys, ``question`` and ``choices``.
    """
    try:
        games = game_at(position)
    except ValueError as error:
        return {"picture": _picture(position), "error": _NAMES.told(str(error)), "place": place_of(str(error))}
    asked = Session(games, [None] * games.num_players, [""] * games.num_players)
    return {
        "picture": _NAMES.drawn(draw_svg(games.state[0], games.ruleset, theme=THEME)),
        "position": games.to_dict(0),
        "question": question(games, _NAMES, None),
        "choices": choices(asked, _NAMES),
    }


def place_of(error: str) -> str:
    """The part of the editor that a refusal speaks of."""
    return next((place for pattern, place in _PLACES if re.search(pattern, error)), _ELSEWHERE)


def _picture(position: Any) -> str | None:
    """The picture of a position that is impossible, as far as it can be drawn."""
    try:
        ruleset = read_ruleset(position)
        return _NAMES.drawn(draw_svg(read_state(position, ruleset)[0], ruleset, theme=THEME))
    except (ValueError, IndexError, KeyError, AssertionError):  # the drawing trusts that amoebas are where they can be
        return None
