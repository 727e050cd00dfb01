"""Asking agents for decisions: in threads, so many at once as there are cores, and not for ever."""

import queue
import threading

import numpy as np

from ursuppe_agents.agent import Agent
from ursuppe_env import Games
from ursuppe_env.line import in_one_line, quoted
from ursuppe_env.threads import available_cores

LONGEST_DECISION = 10.0  # seconds that an agent may take
LONGEST_FIRST_DECISION = 300.0  # the same for its first one in this process: it may be compiled, or a network be read

_LONGEST_WORDS = 300  # characters of an agent's own error
_at_work = threading.BoundedSemaphore(available_cores())  # more at once would only slow each other down
_known: set[str] = set()  # specs that have answered in this process: what they need is compiled and loaded


class AgentTroubleError(Exception):
    """An agent has raised, has given what is no legal action, or takes too long; the message says which."""


def ask(agent: Agent, spec: str, games: Games) -> str:
    """The text of the action of an agent of this spec in a batch of one, its own copy, or an ``AgentTroubleError``."""
    player, legal, actions = int(games.player[0]), np.flatnonzero(games.legal()[0]), games.actions
    with _at_work:
        answer = _answer(agent, games, LONGEST_DECISION if spec in _known else LONGEST_FIRST_DECISION)
    if isinstance(answer, BaseException):
        raise AgentTroubleError(f"failed: {type(answer).__name__}: {in_one_line(str(answer), _LONGEST_WORDS)}")
    try:
        (action,) = np.asarray(answer).astype(np.int64, casting="same_kind").tolist()
    except (TypeError, ValueError):
        raise AgentTroubleError(f"answered {quoted(answer)}, which is not one action") from None
    if action not in legal:
        raise AgentTroubleError(f"answered {action}, which is no legal action")
    _known.add(spec)
    return actions.text(action, player)


def knows(spec: str) -> bool:
    """Has an agent of this spec answered in this process? Then the next answers come without preparations."""
    return spec in _known


def _answer(agent: Agent, games: Games, seconds: float) -> object:
    """What the agent answers or raises.

    Threads cannot be stopped. One whose agent takes too long is left behind, and what it answers later is not heard. It
    is a daemon, and does not keep the server from ending.
    """
    answers: queue.SimpleQueue[object] = queue.SimpleQueue()

    def act() -> None:
        try:
            answers.put(agent.act(games, np.zeros(1, np.int64)))
        except BaseException as error:  # whatever an agent raises, the game goes on without it
            answers.put(error)

    threading.Thread(target=act, name="agent", daemon=True).start()
    try:
        return answers.get(timeout=seconds)
    except queue.Empty:
        raise AgentTroubleError(f"has not answered within {seconds:g} seconds") from None
