"""Agents are asked for their actions; what they do wrong is told, with who did it and where."""

import traceback

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_env import Games
from ursuppe_env.line import quoted
from ursuppe_env.threads import lent

#: What somebody's code may raise; ``sys.exit`` in it must not end the program in silence.
CRASHES = (Exception, SystemExit)


class AgentError(ValueError):
    """An agent crashed or gave something other than legal actions; the message says which one and where."""


def chosen_actions(agent: Agent, games: Games, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the agent chooses in these rows, legal or not; ``Fault`` if it crashed, or gave no integer for each."""
    try:
        with lent(games):
            actions = np.asarray(agent.act(games, rows.copy()))  # its own copy, which it may change
    except Fault as fault:
        if fault.row in rows.tolist():
            raise
        what = f"raised Fault for row {quoted(fault.row)}, which is none of those that it was asked about"
        raise Fault(int(rows[0]), what) from fault
    except CRASHES as error:
        raise Fault(_where_it_crashes(agent, games, rows), crashed(error)) from error
    if actions.shape != rows.shape or actions.dtype.kind not in "iu":
        given, asked = f"actions of shape {actions.shape} and dtype {actions.dtype}", f"{len(rows)} games at once"
        raise Fault(int(rows[0]), f"gave {given}; asked for {asked}, it must give ({len(rows)},) integers")
    return actions


def take(games: Games, actions: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Take the actions that an agent chose; if one of them is illegal none is taken, and that is a ``Fault``."""
    try:
        games.step(actions, rows)
    except ValueError:
        check_legal(games, actions, rows)
        raise


def check_legal(games: Games, actions: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
    """Raise ``Fault`` if one of the actions that an agent chose is illegal."""
    exists = (actions >= 0) & (actions < games.num_actions)
    masks = games.copy(rows).legal().astype(bool)
    is_legal = exists & masks[np.arange(len(rows)), np.where(exists, actions, 0)]
    if not is_legal.all():
        first = int(np.argmin(is_legal))
        row, action, more = int(rows[first]), int(actions[first]), np.count_nonzero(~is_legal) - 1
        name = games.actions.text(action, int(games.player[row])) if exists[first] else "which does not exist"
        others = f", and {more} more in other games" if more else ""
        raise Fault(row, f"gave the illegal action {action} ({name}){others}") from None


def crashed(error: BaseException) -> str:
    """What such an agent did, in words that go on after its name: the error, and where it was raised."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = "".join(traceback.format_exception_only(error)).strip()
    return f"crashed: {said} ({place.filename}, line {place.lineno})"


def _where_it_crashes(agent: Agent, games: Games, rows: NDArray[np.int64]) -> int:
    """The first row in which it crashes alone; the first of all if it does not crash in any."""
    for row in rows:
        try:
            with lent(games):
                agent.act(games, row[None])
        except CRASHES:
            return int(row)
    return int(rows[0])
