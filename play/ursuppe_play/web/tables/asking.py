"""Asking agents for decisions: in threads of their own, so many at once as there are cores, and not for ever."""

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


class AgentTroubleError(Exception):
    """An agent has raised, has given what is no legal action, or takes too long; the message says which."""


class Asker:
    """Asks the agents of one game, one after the other.

    Threads cannot be stopped. One whose agent takes too long is left behind: what it answers later is not heard, and
    the next agent is asked in a new one. It is a daemon, and does not keep the server from ending.
    """

    _at_work = threading.BoundedSemaphore(
        available_cores()
    )  # of all games: more at once would only slow each other down
    _known: set[str] = set()  # specs that have answered in this process: what they need is compiled and loaded

    def __init__(self) -> None:
        self._questions: queue.SimpleQueue[tuple[Agent, Games, queue.SimpleQueue[object]] | None] | None = None

    def ask(self, agent: Agent, spec: str, games: Games) -> str:
        """The text of the action that the agent takes in a batch of one.

        Args:
            agent: who is asked.
            spec: what it is called.
            games: a copy of the game; it is the agent's own.

        Raises:
            AgentTroubleError: it has no legal answer in time.
        """
        player, legal = int(games.player[0]), np.flatnonzero(games.legal()[0])
        actions = games.actions
        with self._at_work:
            answer = self._answer(agent, games, LONGEST_DECISION if spec in self._known else LONGEST_FIRST_DECISION)
        if isinstance(answer, BaseException):
            raise AgentTroubleError(f"failed: {type(answer).__name__}: {in_one_line(str(answer), _LONGEST_WORDS)}")
        try:
            (action,) = np.asarray(answer).astype(np.int64, casting="same_kind").tolist()
        except (TypeError, ValueError):
            raise AgentTroubleError(f"answered {quoted(answer)}, which is not one action") from None
        if action not in legal:
            raise AgentTroubleError(f"answered {action}, which is no legal action")
        self._known.add(spec)
        return actions.text(action, player)

    @classmethod
    def knows(cls, spec: str) -> bool:
        """Has an agent of this spec answered in this process? Then the next answers come without preparations."""
        return spec in cls._known

    def close(self) -> None:
        """Let the thread end, when it is done with what it has been asked."""
        if self._questions is not None:
            self._questions.put(None)
            self._questions = None

    def _answer(self, agent: Agent, games: Games, seconds: float) -> object:
        if self._questions is None:
            self._questions = queue.SimpleQueue()
            threading.Thread(target=_answer_questions, args=(self._questions,), name="agents", daemon=True).start()
        answers: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._questions.put((agent, games, answers))
        try:
            return answers.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise AgentTroubleError(f"has not answered within {seconds:g} seconds") from None


def _answer_questions(questions: "queue.SimpleQueue[tuple[Agent, Games, queue.SimpleQueue[object]] | None]") -> None:
    while (question := questions.get()) is not None:
        agent, games, answers = question
        try:
            answers.put(agent.act(games, np.zeros(1, np.int64)))
        except BaseException as error:  # whatever an agent raises, the game goes on without it
            answers.put(error)
