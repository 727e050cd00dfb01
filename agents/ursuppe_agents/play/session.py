"""A person's game against agents: what they may do, what the others did, undo, and the record of it all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ursuppe_agents.agent import Agent
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.records import Record, RecordError, replay
from ursuppe_env.records.format import CHANCE_NAMES, DECISION_NAMES
from ursuppe_env.records.snapshot import result
from ursuppe_env.render.narration import action_in_words, decider_in_words, event_in_words, round_in_words, told
from ursuppe_env.rules.nodes import CHANCE_PLAYER, PAUSED, Chance
from ursuppe_env.rules.state import LAYOUT
from ursuppe_env.teams import Teams

PERSON = "person"  # the name of the person's seat in a record
_STOPS = {"explicit_chance": True, "pause_after_rounds": True}


@dataclass(frozen=True)
class Choice:
    """One of the legal actions."""

    action: str  # its text, as rules.md section 8 writes it
    words: str  # what it means here


@dataclass(frozen=True)
class _Moment:
    """The game at one of the person's decisions, to come back to."""

    games: Games
    events: int
    news: list[str]


class Session:
    """One game between a person in one seat, or one team, and agents in the others.

    Args:
        games: a batch of one that stops at chance and after rounds; ``new_game`` and the like make it.
        seat: the person's; with teams one of those of the person's team.
        agents: who plays the other seats.
        names: what the record calls the agents, by seat.
        events: of the record so far.
        position: that the game began from; None: from the set-up.
        teams: who plays together; None: each seat for itself.

    Raises:
        ValueError: ``games`` are several, the other seats are not those that have agents, or the teams are of another
            number of players.

    Attributes:
        games: the game as it stands.
        seats: the person's, in ascending order.
        teams: as given.
        news: what has happened since the person's last decision, in words.
    """

    def __init__(
        self,
        games: Games,
        seat: int,
        agents: Mapping[int, Agent],
        names: Sequence[str],
        events: Iterable[list[Any]] = (),
        position: dict[str, Any] | None = None,
        teams: Teams | None = None,
    ) -> None:
        if len(games) != 1:
            raise ValueError(f"games has {len(games)} games; a session is about one")
        if teams is not None and teams.players != games.num_players:
            raise ValueError(f"teams is {teams}; there are {games.num_players} players")
        self.seats = own_seats(seat, teams)
        if sorted([*self.seats, *agents]) != list(range(games.num_players)):
            has = f"seat {seat}" if teams is None else f"seats {' and '.join(map(str, self.seats))}"
            raise ValueError(
                f"the person has {has} and agents have {sorted(agents)}; "
                f"together it must be 0 ... {games.num_players - 1}"
            )
        self.games = games
        self.teams = teams
        self.news: list[str] = []
        self._agents = agents
        self._names = list(names)
        self._events = list(events)
        self._position = position
        self._undoable: list[_Moment] = []

    # ------------------------------------------------------------------ what there is to see

    @property
    def seed(self) -> int:
        """The seed of the game's dice and cards."""
        return int(self.games.state["seed"][0])

    @property
    def is_over(self) -> bool:
        """Is the game over?"""
        return bool(self.games.finished[0])

    @property
    def is_asked(self) -> bool:
        """Does the person decide now? ``games.player`` is the seat."""
        return int(self.games.player[0]) in self.seats

    @property
    def can_undo(self) -> bool:
        """Is there a decision of the person to come back to, with nothing known now that was not known then?"""
        return bool(self._undoable)

    def choices(self) -> list[Choice]:
        """The person's legal actions, in the order of their ids; none while another player decides."""
        if not self.is_asked:
            return []
        ids = np.flatnonzero(self.games.legal()[0])
        texts = [self.games.actions.text(int(id), int(self.games.player[0])) for id in ids]
        return [Choice(text, action_in_words(self.games.state[0], self.games.ruleset, text)) for text in texts]

    def hint(self) -> Choice:
        """What the agent ``greedy`` would do in the person's place: it looks one step ahead.

        Raises:
            ValueError: it is not the person's turn.
        """
        if not self.is_asked:
            raise ValueError("there is nothing to decide now")
        action = self._asked(make_agent("greedy", seed=0))
        return next(choice for choice in self.choices() if choice.action == action)

    def record(self) -> Record:
        """The game as far as it has come."""
        return Record(
            ruleset=self.games.ruleset,
            events=list(self._events),
            result=result(self.games, 0),
            seed=self.seed,
            agents=self._names,
            layout=LAYOUT,
            position=self._position,
            teams=self.teams,
        )

    # ------------------------------------------------------------------ playing

    def go_on(self) -> None:
        """Let chance and the others have their turns, until the person decides or the game is over."""
        while not self.is_over and not self.is_asked:
            player = int(self.games.player[0])
            if player == PAUSED:
                self._end_of_round()
            elif player == CHANCE_PLAYER:
                self._let_chance_decide()
            else:
                self._let_agent_decide(player)

    def choose(self, action: str) -> None:
        """The person takes one of the legal actions; then ``go_on``.

        Raises:
            ValueError: it is none of ``choices()``; nothing is changed then.
        """
        possible = [choice.action for choice in self.choices()]
        if action not in possible:
            raise ValueError(f"{action!r} cannot be chosen; possible are: {', '.join(possible) or 'none now'}")
        self._undoable.append(_Moment(self.games.copy(), len(self._events), self.news))
        self.news = []
        self._decide(action)

    def undo(self) -> None:
        """Come back to the person's decision before this one.

        Possible as long as no other player has decided and no die or card has come since: nothing is learned by it.

        Raises:
            ValueError: it is not possible.
        """
        if not self._undoable:
            raise ValueError("there is nothing to take back: another player or chance has decided since")
        moment = self._undoable.pop()
        self.games = moment.games
        self.news = moment.news
        del self._events[moment.events :]

    def _let_chance_decide(self) -> None:
        self._undoable.clear()
        before = self.games.state[0].copy()
        name = CHANCE_NAMES[int(before["node"]) - Chance.CARD]
        event = [name, self.games.draw()[0]]
        self._events.append(event)
        self._tell(event_in_words(event), before)

    def _let_agent_decide(self, player: int) -> None:
        self._undoable.clear()
        self._decide(self._asked(self._agents[player]))

    def _asked(self, agent: Agent) -> str:
        """What this agent would do now."""
        # It may copy the games and play on: in copies that do not stop where ours stop.
        games = trusted_games(self.games.state.copy(), self.games.ruleset, threads=1)
        action = int(agent.act(games, np.zeros(1, np.int64))[0])
        return self.games.actions.text(action, int(self.games.player[0]))

    def _decide(self, action: str) -> None:
        before = self.games.state[0].copy()
        player = int(before["player"])
        who = decider_in_words(before, self.seats)
        words = action_in_words(before, self.games.ruleset, action)
        self.games.step([self.games.actions.id(action, player)])
        self._events.append([DECISION_NAMES[int(before["node"])], player, action])
        self._tell(f"{who}: {words}", before)

    def _end_of_round(self) -> None:
        before = self.games.state[0].copy()
        self.games.resume()
        self._tell(round_in_words(before, self.games.ruleset), before)

    def _tell(self, what: str, before: np.void) -> None:
        self.news.append(told(what, before, self.games.state[0], self.games.ruleset))


# ---------------------------------------------------------------------- games to play


def own_seats(seat: int, teams: Teams | None) -> tuple[int, ...]:
    """The seats that are the person's together with this one."""
    return (seat,) if teams is None else teams.seats[teams.team_of[seat]]


def new_game(ruleset: Ruleset, seed: int) -> Games:
    """A new game, for a session."""
    return Games(1, ruleset, seed, **_STOPS)


def game_at(position: Mapping[str, Any]) -> Games:
    """The game at a position, for a session.

    Raises:
        ValueError: the position is not possible.
    """
    return Games.from_dict(position, **_STOPS)


def recorded_game(record: Record) -> Games:
    """The game of a record where it was left, for a session; its dice go on as they would have without the pause.

    Raises:
        RecordError: the record is not possible, or of a game that is over.
    """
    if record.is_finished:
        raise RecordError("the game is over")
    for _ in replay(record):
        pass  # whatever is wrong is found here
    games = new_game(record.ruleset, record.seed or 0) if record.position is None else game_at(record.position)
    for event in record.events:
        games.resume()
        if len(event) == 2:
            games = _let_happen(games, event[1])
        else:
            games.step([games.actions.id(event[2], event[1])])
    return games


def _let_happen(games: Games, value: Any) -> Games:
    """The chance event has this value; if the game's own streams say so, they go on from there."""
    own = games.copy()
    if own.draw() == [value]:
        return own
    games.resolve([value])
    return games
