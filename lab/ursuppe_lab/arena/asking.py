"""Asking an agent for its actions, and finding the game in which it fails."""

import traceback

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_env import Games


def chosen_actions(agent: Agent, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the agent chooses in these rows; whether it is legal shows when it is taken.

    Raises:
        Fault: it crashed, says so itself, or did not give one integer for each row.
    """
    try:
        actions = np.asarray(agent.act(games, rows))
    except Fault:
        raise
    except Exception as error:
        raise Fault(_where_it_crashes(agent, games, rows), f"crashed: {_in_words(error)}") from error
    if actions.shape != rows.shape or actions.dtype.kind not in "iu":
        raise Fault(
            int(rows[0]),
            f"gave actions of shape {actions.shape} and dtype {actions.dtype}; asked for {len(rows)} games at once, it "
            f"must give ({len(rows)},) integers",
        )
    return actions


def take(games: Games, actions: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Take the actions that an agent chose.

    Raises:
        Fault: one of them is illegal; none is taken then.
    """
    try:
        games.step(actions, rows)
    except ValueError:
        exists = (actions >= 0) & (actions < games.num_actions)
        masks = games.copy(rows).legal().astype(bool)
        is_legal = exists & masks[np.arange(len(rows)), np.where(exists, actions, 0)]
        first = int(np.argmin(is_legal))
        row, action = int(rows[first]), int(actions[first])
        name = games.actions.text(action, int(games.player[row])) if exists[first] else "which does not exist"
        more = np.count_nonzero(~is_legal) - 1
        others = f", and {more} more in other games" if more else ""
        raise Fault(row, f"gave the illegal action {action} ({name}){others}") from None


def _where_it_crashes(agent: Agent, games: Games, rows: NDArray[np.int64]) -> int:
    """The first row in which it crashes alone; the first of all if it does not crash in any."""
    for row in rows:
        try:
            agent.act(games, row[None])
        except Exception:
            return int(row)
    return int(rows[0])


def _in_words(error: Exception) -> str:
    """The error as the last line of a traceback shows it, with the place in the source."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{''.join(traceback.format_exception_only(error)).strip()} ({place.filename}, line {place.lineno})"
