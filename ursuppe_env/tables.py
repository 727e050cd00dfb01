"""The tables of observations and actions, as docs/ shows them: ``python -m ursuppe_env.tables FOLDER`` writes them."""

import sys
from pathlib import Path

from ursuppe_env.observation import index_table, observation_size
from ursuppe_env.rules.actions import actions_for

_GENERATED = "<!-- Generated: python -m ursuppe_env.tables docs -->"


def observation_page() -> str:
    """docs/observation.md."""
    sizes = ", ".join(f"{observation_size(players)} with {players}" for players in range(3, 7))
    parts = [
        "# The observation",
        _GENERATED,
        "One row of float32 numbers, seen from a seat: seat 0 is the observer, seat 1 the next player, and so on. "
        "Everything in the game is public, so every seat sees the same facts. Each number of the state is divided by "
        'what stands under "1.0 is"; parts of several axes are flattened in C order. The bounds of the declared space '
        "come from the ruleset. A row has so many numbers, whatever the ruleset: " + sizes + " players.",
        '`games.observation_layout["bp"]` is the slice of a part.',
    ]
    for players in range(3, 7):
        parts += [f"## {players} players", index_table(players)]
    return "\n\n".join(parts) + "\n"


def actions_page() -> str:
    """docs/actions.md."""
    parts = [
        "# The actions",
        _GENERATED,
        "One id for each distinct action, shared by all decisions. Ids count players from the one who acts (0 me, 1 "
        "the next, ...); texts name them by number, here for player 0. `games.actions.text(id, player)` and "
        "`games.actions.id(text, player)` translate.",
    ]
    for players in range(3, 7):
        actions = actions_for(players)
        lines = ["| id | action |", "| --- | --- |"]
        lines += [f"| {id} | `{actions.text(id, 0)}` |" for id in range(len(actions))]
        parts += [f"## {players} players: {len(actions)} actions", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


PAGES = {"observation.md": observation_page, "actions.md": actions_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        Path(sys.argv[1], name).write_text(page(), encoding="utf-8")
