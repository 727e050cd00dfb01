"""The bot of a command, as a host talks to it: one process for all agents of this process that have the command."""

import atexit
import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from ursuppe_agents.protocol import messages
from ursuppe_agents.protocol.pipe import Pipe, PipeError
from ursuppe_env import __version__
from ursuppe_env.line import in_one_line

#: Seconds in which a bot must answer ``hello``, and load and compile what it needs.
SECONDS_TO_BEGIN = 300.0
SECONDS_FOR_THE_FIRST = 60.0  # that its first decision may take longer than the others
_GRACE = 5.0  # seconds in which it may end by itself
_SHOWN = 200  # characters of a line in an error
_NAMED = 8  # legal actions in an error
HOST = "ursuppe-env"

_log = logging.getLogger("ursuppe_agents.protocol")


class BotError(Exception):
    """What a bot did wrong, in words that go on after its name."""


class LateError(BotError):
    """The bot has not answered in its time."""


#: To one request, by game: the ids of actions, and what was wrong; each game is in one of both.
Answers = tuple[dict[int, int], dict[int, str]]


class Bot:
    """The bot of a command, as a shell would start it, until ``stop``; one that dies is started again, once.

    Raises:
        ValueError: there is no such program.
        BotError: it did not answer ``hello`` as it must.

    Attributes:
        ready: what it said of itself.
        ids: for games; each is given once.
        has_forfeited: whether it has been said that decisions of its are forfeited.
    """

    def __init__(self, command: str) -> None:
        self.command = command
        self._lock = threading.Lock()  # of requests; a line that needs no answer may be sent at any time
        self._games: dict[int, bytes] = {}  # the lines of those that are not over, for a bot that begins again
        self.ids = count()
        self._num_requests = 0
        self._answered = 0  # the last request that was
        self._before = 0  # requests to the process before this one
        self._has_restarted = False
        self.has_forfeited = False
        self._pipe = Pipe(command)
        self.ready = self._begun()

    def begin_game(self, game: messages.Game) -> None:
        """Tell the bot of a game."""
        self._games[game.game] = line = game.line()
        self._pipe.send(line)

    def end_game(self, over: messages.Over) -> None:
        """Tell the bot that a game is over."""
        if self._games.pop(over.game, None) is not None:
            self._pipe.send(over.line())

    def ask(self, decisions: Sequence[Mapping[str, Any]], seconds: float) -> Answers:
        """Let the bot make decisions, as in the message ``decide`` and each in another game, within so many seconds.

        Raises:
            LateError: it did not answer in time. It may do so later: until it has, it is asked nothing more.
            BotError: it died for the second time, or its answer is none.
        """
        with self._lock:
            try:
                return self._asked(decisions, seconds)
            except PipeError as error:
                if self._has_restarted:
                    raise BotError(f"{error}, and had been started again before") from None
                _log.warning("bot %s %s; it is started again, which it is once", self.command, error)
            self._has_restarted = True
            try:
                self._pipe = Pipe(self.command)
            except (OSError, ValueError) as error:
                raise BotError(f"cannot be started again: {error}") from None
            self._answered = self._before = self._num_requests
            self.ready = self._begun()
            for line in tuple(self._games.values()):
                self._pipe.send(line)
            try:
                return self._asked(decisions, seconds)
            except PipeError as error:
                raise BotError(f"{error}, for the second time") from None

    @property
    def is_lost(self) -> bool:
        """Has it died, or was it ended, for the second time?"""
        return self._has_restarted and self._pipe.ended is not None

    def stop(self) -> bool:
        """Say goodbye, and end the process if it does not end by itself; whether it did."""
        self._pipe.send(messages.Bye().line())
        return self._pipe.stop(_GRACE)

    def _begun(self) -> messages.Ready:
        """Its answer to ``hello``."""
        self._pipe.send(messages.Hello(host=HOST, version=__version__, sees=list(messages.SEEN)).line())
        try:
            line = self._pipe.receive(SECONDS_TO_BEGIN)
            if line is None:
                raise BotError(f"did not answer 'hello' within {SECONDS_TO_BEGIN:g} seconds")
            message = _read(line)
            if not isinstance(message, messages.Ready):
                raise BotError(f"answered 'hello' by {_shown(line)}; it must be a message 'ready'")
        except PipeError as error:
            raise BotError(f"did not answer 'hello': it {error}") from None
        except BotError:
            self._pipe.stop()
            raise
        return message

    def _asked(self, decisions: Sequence[Mapping[str, Any]], seconds: float) -> Answers:
        began = time.monotonic()
        limit = seconds + (SECONDS_FOR_THE_FIRST if self._num_requests == self._before else 0.0)
        if self._answered < self._num_requests:
            self._receive(began, limit)  # it was late: whatever it says of that request counts for nothing
        if (unasked := self._pipe.receive(0)) is not None:
            raise BotError(f"wrote {_shown(unasked)} without having been asked")
        self._num_requests += 1
        left = round(1000 * (seconds + began - time.monotonic()), 3)
        request = {"type": "decide", "request": self._num_requests, "ms": left, "decisions": decisions}
        self._pipe.send(json.dumps(request, separators=(",", ":")).encode() + b"\n")
        line = self._receive(began, limit)
        message = _read(line)
        if not isinstance(message, messages.Action):
            raise BotError(f"answered 'decide' by {_shown(line)}; it must be a message 'action'")
        if message.request != self._num_requests:
            self._answered = min(message.request, self._num_requests)  # after a line too many it answers one behind
            raise BotError(f"answered request {self._num_requests} as if it were {message.request}: {_shown(line)}")
        return _answers(decisions, message, line)

    def _receive(self, began: float, seconds: float) -> bytes:
        """The answer to the last request."""
        line = self._pipe.receive(began + seconds - time.monotonic())
        if line is None:
            raise LateError(f"did not answer within {1000 * seconds:g} ms")
        self._answered = self._num_requests
        return line


def bot_of(command: str) -> Bot:
    """The running bot of this command, which ends with this process."""
    with _starting:
        key = os.getpid(), command  # a fork has none yet
        if key not in _running:
            _running[key] = Bot(command)
        return _running[key]


def stop_bot(command: str) -> bool:
    """End the bot of this command, whose agents are not to be asked any more; whether it ended by itself."""
    with _starting:
        bot = _running.pop((os.getpid(), command), None)
    return bot is None or bot.stop()


def stop_bots() -> None:
    """End all bots of this process."""
    for process, command in list(_running):
        if process == os.getpid():
            stop_bot(command)


_running: dict[tuple[int, str], Bot] = {}
_starting = threading.Lock()
atexit.register(stop_bots)


def _read(line: bytes) -> messages.Message:
    try:
        message = messages.read_message(line, messages.FROM_BOT)
    except ValueError as error:
        raise BotError(in_one_line(f"wrote {_shown(line)}: {error}")) from None
    if isinstance(message, messages.Error):
        raise BotError(f"cannot answer: {in_one_line(message.message)}")
    return message


def _answers(decisions: Sequence[Mapping[str, Any]], action: messages.Action, line: bytes) -> Answers:
    """What the bot chose in each game, or what is wrong with it."""
    asked = {decision["game"]: decision for decision in decisions}
    ids: dict[int, int] = {}
    errors: dict[int, str] = {}
    for choice in action.actions:
        game, decision = choice.game, asked.get(choice.game)
        if decision is None:
            raise BotError(f"gave an action for game {game}, which it was not asked about, in {_shown(line)}")
        if game in ids or game in errors:
            raise BotError(f"gave two actions for game {game}, in {_shown(line)}")
        legal = decision["legal"] if isinstance(choice.action, str) else decision["ids"]
        if choice.action in legal:
            ids[game] = decision["ids"][legal.index(choice.action)]
        else:
            some = ", ".join(map(repr, legal[:_NAMED])) + (", ..." if len(legal) > _NAMED else "")
            errors[game] = (
                f"gave the illegal action {choice.action!r} for game {game}, in {_shown(line)}; legal: {some}"
            )
        if choice.comment is not None:
            _log.info("game %d, %s: %s", game, choice.action, in_one_line(choice.comment))
    for game in asked:
        if game not in ids and game not in errors:
            errors[game] = f"gave no action for game {game}, in {_shown(line)}"
    return ids, errors


def _shown(line: bytes) -> str:
    """A line of the bot, cut short, as one can print it."""
    text = line[: _SHOWN + 1].decode(errors="replace")
    return repr(text[:_SHOWN] + ("..." if len(text) > _SHOWN else ""))
