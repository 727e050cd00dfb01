"""What several environments take as arguments."""

from collections.abc import Mapping
from typing import Any

from ursuppe_env.rules.ruleset import Ruleset


def combined_ruleset(
    num_players: int | None, edition: str | None, ruleset: Ruleset | Mapping[str, Any] | None
) -> Ruleset:
    """The ruleset that these arguments mean together.

    Args:
        num_players: 3 ... 6; default 4, or the ruleset's.
        edition: "1998" (default) or "1997".
        ruleset: a ``Ruleset``, or a dict of the numbers that differ from the edition's.

    Raises:
        ValueError: an argument is not one of these, or contradicts the ruleset.
    """
    if not isinstance(ruleset, Ruleset):
        players = 4 if num_players is None else num_players
        return Ruleset.from_changes(players, "1998" if edition is None else edition, {} if ruleset is None else ruleset)
    for name, given, has in (
        ("num_players", num_players, ruleset.players),
        ("edition", edition, ruleset.edition),
    ):
        if given is not None and given != has:
            raise ValueError(f"{name} is {given!r}, but the ruleset has {has!r}; give one of them")
    return ruleset
