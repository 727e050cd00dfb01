"""Tables: running games, with who sits there, what has been written of them, and who looks on.

Each change is made under the table's lock and written before the lock is released, and whatever a page is told is read
under it: so nobody sees what is not on the disk. Agents think outside of the lock; what they answer counts only if the
game has not changed meanwhile.
"""

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import make_agent
from ursuppe_env.teams import Teams
from ursuppe_play.names import Names
from ursuppe_play.session import Session, own_seats, replayed
from ursuppe_play.web.forms import Refusal, SeatForm
from ursuppe_play.web.tables.asking import AgentTroubleError, ask, knows
from ursuppe_play.web.tables.storage import GameStore

_NOBODY = -1  # the seat of troubles that are no agent's
_TRIES_AGAIN = 5.0  # seconds
_HEARTBEAT = 15.0  # seconds after which a quiet connection is shown to live; one that is dead is noticed then


class Listeners:
    """The pages that look at one game, told of changes as server-sent events.

    ``notify`` may be called from any thread; several changes while a page is busy come to it as one.
    """

    def __init__(self) -> None:
        self._pages: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def notify(self) -> None:
        """Tell all pages that something has changed."""
        with self._lock:
            for loop, changed in self._pages:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(changed.set)

    def close(self) -> None:
        """Nothing changes any more: the events of all pages end."""
        self._is_closed = True
        self.notify()

    async def events(self, state: Callable[[], str]) -> AsyncGenerator[str]:
        """The text of the events for one page: the state, in a line, at once and after each change, until ``close``."""
        changed = asyncio.Event()
        page = asyncio.get_running_loop(), changed
        try:
            with self._lock:
                self._pages.add(page)
            yield f"retry: 1000\ndata: {state()}\n\n"
            while not self._is_closed:
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                changed.clear()
                yield f"data: {state()}\n\n"
        finally:
            with self._lock:
                self._pages.discard(page)


class Table:
    """A game, written in a store, that goes on by itself wherever no person is asked; errors are those of the store."""

    def __init__(self, identity: str, store: GameStore) -> None:
        self.identity = identity
        self.beginning = store.beginning(identity)  # what the game began with
        story = store.story(identity)
        self.version = story.length  # lines of the log; it grows with each decision
        # Who plays now, what the link of each person carries, and what people call them.
        self.seats = [story.seats.get(player, seat) for player, seat in enumerate(self.beginning.seats)]
        self.tokens = [story.tokens.get(player, token) for player, token in enumerate(self.beginning.tokens)]
        self.names = Names([seat.title for seat in self.seats])
        self.troubles: dict[int, str] = {}  # of agents by seat; by -1, why the game cannot go on at all
        self.listeners = Listeners()  # the pages that look on
        # Seconds from one decision of an agent to the next; None: agents wait, as in games of theirs after a restart.
        is_watched = story.length > 0 and all(seat.who == "agent" for seat in self.seats)
        self.pace: float | None = None if is_watched else 0.0
        self.drawn = ((-1, -1), "")  # the last picture of the game, and of what: version and happenings
        self._store = store
        began_as = self.beginning.record
        games, happenings = replayed(replace(began_as, events=[*began_as.events, *story.events], result={}))
        specs = [seat.spec for seat in self.seats]
        self._session = Session(games, [None] * len(specs), specs, happenings, began_as.position, self.teams)
        for player, seat in enumerate(self.seats):
            self._session.take_seat(player, self._agent_for(player, seat), seat.spec)
        self._lock = threading.RLock()
        self._mover: threading.Thread | None = None
        self._hurry = threading.Event()  # set: whoever waits for the next decision looks again
        self._is_closed = False
        self.go_on()

    @property
    def teams(self) -> Teams | None:
        """Who plays together; None: each seat for itself."""
        return self.beginning.record.teams

    @contextmanager
    def looked_at(self) -> Iterator[Session]:
        """The session, which does not change within the block; not to be changed."""
        with self._lock:
            yield self._session

    def own(self, player: int) -> tuple[int, ...]:
        """The seats that one player has together with this one."""
        return own_seats(player, self.teams)

    @property
    def waits_for(self) -> int | None:
        """The seat of the agent that thinks now, or would if it were not in trouble; None: nobody is waited for."""
        with self._lock:
            player = int(self._session.games.player[0])
            return player if self._session.agent_to_ask() is not None else None

    @property
    def is_preparing(self) -> bool:
        """Is the agent that thinks now asked for the first time in this process? It may have to be compiled then."""
        player = self.waits_for
        return player is not None and not knows(self._session.names[player])

    @property
    def undo_seats(self) -> tuple[int, ...]:
        """Whose decision can be taken back: the seats of that person; none of what the game began with."""
        with self._lock:
            return self._session.undo_seats if self._own_events > 0 else ()

    @property
    def _own_events(self) -> int:
        """How many events there are since the beginning."""
        events = sum(happening.event is not None for happening in self._session.happenings)
        return events - len(self.beginning.record.events)

    def choose(self, seats: Sequence[int], action: str, version: int) -> None:
        """A person in one of these seats takes an action in a version of the game; a ``Refusal`` if that cannot be."""
        with self._changing(version):
            self._check_turn(seats)
            self._make(lambda: self._session.choose(action))

    def undo(self, seats: Sequence[int], version: int) -> None:
        """A person takes the last decision back; errors as of ``choose``."""
        with self._changing(version):
            own = self.undo_seats
            if not own:
                raise Refusal(409, "there is nothing to take back: another player or chance has decided since")
            if not set(own) & set(seats):
                raise Refusal(403, f"it was the decision of {self.names.of(own[:1])}, who can take it back")
            self._append(["back", self._own_events - 1])  # whatever followed the decision was no event
            self._session.undo()

    def redo(self, seats: Sequence[int], version: int) -> None:
        """A person takes the decision again that was taken back; errors as of ``choose``."""
        with self._changing(version):
            self._check_turn(seats)
            self._make(self._session.redo)

    def take_seat(self, player: int, form: SeatForm, keeps_link: bool = False) -> None:
        """Somebody else plays a seat from now on, with teams all of its team; its link stays, or is a new one."""
        agent = self._agent_for(player, form)
        with self._changing():
            seats = self.own(player)
            tokens = [self.tokens[own] for own in seats] if keeps_link else new_tokens(len(seats))
            taken = list(zip(seats, tokens, strict=True))
            self._append(*(["seat", own, form.model_dump(), token] for own, token in taken))
            for own, token in taken:
                self.seats[own], self.tokens[own] = form, token
                self.troubles.pop(own, None)
            self.names = Names([seat.title for seat in self.seats])
            if form.who == "person":
                self.pace = self.pace or 0.0  # agents wait for nobody's word any more
            self._session.take_seat(player, agent, form.spec)

    def set_pace(self, seconds: float | None) -> None:
        """How long agents wait between decisions; None: until told otherwise."""
        with self._changing():
            self.pace = seconds

    def close(self) -> None:
        """Stop; what has happened is written."""
        with self._lock:
            self._is_closed = True
            self.listeners.close()
            self._hurry.set()

    def go_on(self) -> None:
        """Let chance and agents have their turns, in a thread of its own, unless that is so already."""
        with self._lock:
            self._hurry.set()
            if self._mover is None and not self._is_closed and self._is_anything_due():
                self._mover = threading.Thread(target=self._move, name=f"table {self.identity}", daemon=True)
                self._mover.start()

    def _is_anything_due(self) -> bool:
        player = int(self._session.games.player[0])
        if self._session.is_over or self._session.is_asked:
            return False
        return player < 0 or (player not in self.troubles and self.pace is not None)

    def _move(self) -> None:
        """Chance and agents have their turns, until a person is asked or nobody can go on."""
        while True:
            try:
                while self._take_turn():
                    pass
                return
            except Exception as error:  # a full disk, for example: perhaps there is space again soon
                with self._lock:
                    self.troubles[_NOBODY] = f"the game cannot go on: {error}"
                self.listeners.notify()
            time.sleep(_TRIES_AGAIN)

    def _take_turn(self) -> bool:
        """Let happen what is next, or ask the agent whose turn it is; False, and this thread ends: there is neither."""
        with self._lock:
            if self._is_closed or not self._is_anything_due():
                self._mover = None
                return False
            agent = self._session.agent_to_ask()
            if agent is None:
                self._make(self._session.let_happen)
            else:
                self._hurry.clear()
                player, version, pace = int(self._session.games.player[0]), self.version, self.pace or 0.0
                spec, games = self._session.names[player], self._session.shown_to_agents()
        if agent is None:
            self.listeners.notify()
            return True
        began = time.monotonic()
        try:
            action = ask(agent, spec, games)
        except AgentTroubleError as error:
            with self._changing():
                if self.version == version:
                    self.troubles[player] = str(error)
            return True
        if pace and self._hurry.wait(max(0.0, pace - (time.monotonic() - began))):
            return True  # the pace or a seat has changed: look again
        with self._changing():
            if not self._is_closed and self.version == version and self.pace is not None:
                self._make(lambda: self._session.decide(action))
        return True

    @contextmanager
    def _changing(self, version: int | None = None) -> Iterator[None]:
        """Around changes, of the game as it was seen in a version; whoever looks on is told at the end."""
        with self._lock:
            if version not in (None, self.version):
                raise Refusal(409, "the game has gone on since this page was drawn; look again")
            yield
        self.listeners.notify()
        self.go_on()

    def _make(self, change: Callable[[], object]) -> None:
        """Make a change of the session, and write it; if that is refused or not possible, it has not been made."""
        before = len(self._session.happenings)
        try:
            change()
        except ValueError as error:
            raise Refusal(409, str(error)) from None
        events = [happening.event for happening in self._session.happenings[before:] if happening.event is not None]
        try:
            self._append(*(["event", event] for event in events))
        except OSError:
            self._session.back_to(before)
            raise
        self.troubles.pop(_NOBODY, None)

    def _append(self, *lines: Sequence[Any]) -> None:
        if lines:
            self._store.append(self.identity, *lines)
            self.version += len(lines)

    def _check_turn(self, seats: Sequence[int]) -> None:
        player = int(self._session.games.player[0])
        if player < 0 or not self._session.is_asked:
            raise Refusal(409, "no person is to decide now")
        if player not in seats:
            who = self.names.of(seats) or "looking on"
            raise Refusal(403, f"{self.names.players[player]} is to decide now; this page is for {who}")

    def _agent_for(self, player: int, seat: SeatForm) -> Agent | None:
        """The agent that plays this seat; of a person and of a record nobody."""
        if seat.who != "agent":
            return None
        # Not the choices that the agents made before: they begin a new stream.
        agent = make_agent(seat.spec, np.random.default_rng([player, self.beginning.record.seed or 0, self.version]))
        agent.teams = self.teams
        return agent


def new_tokens(players: int) -> list[str]:
    """A token for the link of each seat."""
    return [secrets.token_urlsafe(16) for _ in range(players)]
