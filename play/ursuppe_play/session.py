"""A game of persons and agents: what may be done, what has happened, undo and redo, and the record of it all."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.evaluator import Evaluator
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games, Ruleset
from ursuppe_env.games import trusted_games
from ursuppe_env.line import counted
from ursuppe_env.records import Record, replay
from ursuppe_env.records.format import CHANCE_NAMES, DECISION_NAMES, result
from ursuppe_env.render.narration import action_in_words, told
from ursuppe_env.rules.nodes import CHANCE_PLAYER, PAUSED, Chance
from ursuppe_env.rules.state import LAYOUT
from ursuppe_env.teams import Teams
from ursuppe_play.hints import advised_action, policy_for

PERSON = "person"  # the name of a person's seat in a record
OPPONENT = "hunter"  # plays where nobody says who: the strongest of the scripted strategies (docs/agents.md)

# So that all that happens can be told, one thing after the other.
_STOPS = {"explicit_chance": True, "pause_after_rounds": True}


@dataclass(frozen=True)
class LegalAction:
    """One of the legal actions."""

    action: str  # its text, as rules.md section 8 writes it
    words: str  # what it means here


@dataclass(frozen=True)
class Happening:
    """A decision, a chance event, or the beginning of the next round."""

    event: list[Any] | None  # as records have them; None: the next round begins
    before: NDArray[np.void]  # (1,) the state before it
    ruleset: Ruleset

    @property
    def player(self) -> int | None:
        """Who decided; None: chance, or the rules."""
        return self.event[1] if self.event is not None and len(self.event) == 3 else None

    @property
    def action(self) -> str | None:
        """The text of what was decided; None: chance, or the rules."""
        return self.event[2] if self.event is not None and len(self.event) == 3 else None

    def told(self, own: Container[int] = ()) -> list[str]:
        """In words, with all that it led to, in lines; the own seats are "you"."""
        return told(self.event, self.before[0], self.ruleset, own)


class Session:
    """One game between persons and agents.

    All arguments but ``agents`` are attributes: ``games`` is the game as it stands, ``happenings`` grows with it, and
    ``take_seat`` changes ``names``.

    Args:
        games: a batch of one that stops at chance and after rounds; ``new_game`` and the like make it.
        agents: who plays each seat; None: a person. With teams a person or an agent plays all seats of a team.
        names: what the record calls the players, by seat.
        happenings: what has happened in the game so far.
        position: that the game began from; None: from the set-up.
        teams: who plays together; None: each seat for itself.

    Raises:
        ValueError: ``games`` are several, there is not one agent and one name a seat, or the teams are of another
            number of players, or one of them has a person and an agent.
    """

    def __init__(
        self,
        games: Games,
        agents: Sequence[Agent | None],
        names: Sequence[str],
        happenings: Iterable[Happening] = (),
        position: dict[str, Any] | None = None,
        teams: Teams | None = None,
    ) -> None:
        if len(games) != 1:
            raise ValueError(f"games has {len(games)} games; a session is about one")
        if teams is not None and teams.players != games.num_players:
            raise ValueError(f"teams is {teams}; there are {games.num_players} players")
        for name, given in (("agents", agents), ("names", names)):
            if len(given) != games.num_players:
                entries = counted(len(given), "entry", "entries")
                raise ValueError(f"{name} has {entries}; it must have {games.num_players}, one a seat")
        for team, seats in enumerate(() if teams is None else teams.seats):
            if len({agents[seat] is None for seat in seats}) > 1:
                raise ValueError(f"agents has a person and an agent in team {team}; one plays all seats of a team")
        self.games = games
        self.teams = teams
        self.names = list(names)
        self.happenings = list(happenings)
        self.position = position
        self._agents = list(agents)
        self._redoable: list[str] = []  # actions that were taken back, the last one first to come again

    # ------------------------------------------------------------------ what there is to see

    @property
    def seed(self) -> int:
        """The seed of the game's dice and cards."""
        return int(self.games.state["seed"][0])

    @property
    def seats(self) -> tuple[int, ...]:
        """The persons', in ascending order."""
        return tuple(seat for seat, agent in enumerate(self._agents) if agent is None)

    @property
    def is_over(self) -> bool:
        """Is the game over?"""
        return bool(self.games.finished[0])

    @property
    def is_asked(self) -> bool:
        """Does a person decide now? ``games.player`` is the seat."""
        return int(self.games.player[0]) in self.seats

    @property
    def undo_seats(self) -> tuple[int, ...]:
        """Whose decision ``undo`` would take back: the seats of that person; none where it is not possible."""
        for happening in reversed(self.happenings):
            if happening.event is not None:
                is_persons = happening.player is not None and happening.player in self.seats
                return own_seats(happening.event[1], self.teams) if is_persons else ()
        return ()

    @property
    def can_undo(self) -> bool:
        """Is there a decision of a person to come back to, with nothing known now that was not known then?"""
        return bool(self.undo_seats)

    @property
    def can_redo(self) -> bool:
        """Has the person who decides now taken a decision back, and taken no other since?"""
        return bool(self._redoable)

    @property
    def news(self) -> list[str]:
        """What has happened since the last decision of a person, that decision included, in words to the persons."""
        return [line for happening in self.since(self.seats) for line in happening.told(self.seats)]

    def since(self, seats: Collection[int]) -> list[Happening]:
        """What has happened from the last decision of these seats on; all of it, if there was none."""
        own = (number for number, happening in enumerate(self.happenings) if happening.player in seats)
        return self.happenings[max(own, default=0) :]

    def choices(self) -> list[LegalAction]:
        """The person's legal actions, in the order of their ids; none while no person decides."""
        if not self.is_asked:
            return []
        ids = np.flatnonzero(self.games.legal()[0])
        texts = [self.games.actions.text(int(id), int(self.games.player[0])) for id in ids]
        return [LegalAction(text, action_in_words(self.games.state[0], self.games.ruleset, text)) for text in texts]

    def standing_still(self) -> "Session":
        """A copy without its past, for those who look while this one goes on."""
        return Session(self.games.copy(), self._agents, self.names, (), self.position, self.teams)

    def hint(self) -> LegalAction:
        """What the trained policy of the package advises after half a second of play-outs.

        Raises:
            ValueError: no person is asked.
        """
        if not self.is_asked:
            raise ValueError("there is nothing to decide now")
        policy = make_agent(f"policy:{policy_for(self.teams)}", seed=0)
        assert isinstance(policy, Evaluator)
        action = advised_action(policy, self.shown_to_agents(), self.teams)
        text = self.games.actions.text(action, int(self.games.player[0]))
        return next(choice for choice in self.choices() if choice.action == text)

    def record(self) -> Record:
        """The game as far as it has come."""
        events = [happening.event for happening in self.happenings if happening.event is not None]
        further: dict[str, Any] = {"layout": LAYOUT, "position": self.position, "teams": self.teams}
        return Record(self.games.ruleset, events, result(self.games, 0), self.seed, list(self.names), **further)

    # ------------------------------------------------------------------ playing

    def go_on(self) -> None:
        """Let chance and the agents have their turns, until a person decides or the game is over."""
        while not self.is_over and not self.is_asked:
            agent = self.agent_to_ask()
            if agent is None:
                self.let_happen()
            else:
                action = int(agent.act(self.shown_to_agents(), np.zeros(1, np.int64))[0])
                self.decide(self.games.actions.text(action, int(self.games.player[0])))

    def agent_to_ask(self) -> Agent | None:
        """The agent that decides next; None where a person, chance or the rules are next, or the game is over."""
        player = int(self.games.player[0])
        return self._agents[player] if player >= 0 else None

    def shown_to_agents(self) -> Games:
        """A copy of the game for agents to choose in: it does not stop where the session's stops."""
        return trusted_games(self.games.state.copy(), self.games.ruleset, threads=1)

    def let_happen(self) -> None:
        """Let the chance event happen that is due, or the next round begin; a ``ValueError`` if neither is due."""
        player = int(self.games.player[0])
        before = self.games.state.copy()
        if player == CHANCE_PLAYER:
            name = CHANCE_NAMES[int(before["node"][0]) - Chance.CARD]
            self._happened([name, self.games.draw()[0]], before)
        elif player == PAUSED:
            self.games.resume()
            self._happened(None, before)
        else:
            raise ValueError("neither chance nor a new round is due")

    def decide(self, action: str) -> None:
        """The player who is about to act, a person or an agent, takes this action.

        Raises:
            ValueError: it is not legal; nothing is changed then.
        """
        before = self.games.state.copy()
        player = int(before["player"][0])
        self.games.step([self.games.actions.id(action, player)])
        self._happened([DECISION_NAMES[int(before["node"][0])], player, action], before)

    def choose(self, action: str) -> None:
        """The person takes one of the legal actions; then ``go_on``.

        Raises:
            ValueError: it is none of ``choices()``; nothing is changed then.
        """
        possible = [choice.action for choice in self.choices()]
        if action not in possible:
            raise ValueError(f"{action!r} cannot be chosen; possible are: {', '.join(possible) or 'none now'}")
        self._redoable = self._redoable[:-1] if self._redoable[-1:] == [action] else []
        self.decide(action)

    def undo(self) -> None:
        """Come back to the person's decision before this one.

        Raises:
            ValueError: another player has decided, or a die or card has come since: something would be learned by it.
        """
        if not self.can_undo:
            raise ValueError("there is nothing to take back: another player or chance has decided since")
        number = max(number for number, happening in enumerate(self.happenings) if happening.player is not None)
        action = self.happenings[number].action
        assert action is not None
        self._redoable.append(action)
        self.back_to(number)

    def redo(self) -> None:
        """Take the decision again that ``undo`` has taken back last; then ``go_on``.

        Raises:
            ValueError: there is none, or another one has been taken since.
        """
        if not self._redoable:
            raise ValueError("there is nothing to take again: no decision has been taken back")
        self.choose(self._redoable[-1])

    def back_to(self, number: int) -> None:
        """Make undone what has happened from ``happenings[number]`` on."""
        if number < len(self.happenings):
            self.games = game_at_state(self.happenings[number].before, self.games.ruleset)
            del self.happenings[number:]

    def take_seat(self, seat: int, agent: Agent | None, name: str) -> None:
        """From now on an agent, or a person (None), plays a seat under a name; with teams all seats of its team."""
        for own in own_seats(seat, self.teams):
            self._agents[own], self.names[own] = agent, name
        self._redoable = []

    def _happened(self, event: list[Any] | None, before: NDArray[np.void]) -> None:
        happening = Happening(event, before, self.games.ruleset)
        if event is not None and happening.player not in self.seats:
            self._redoable = []
        self.happenings.append(happening)


def own_seats(seat: int, teams: Teams | None) -> tuple[int, ...]:
    """The seats that one player has together with this one."""
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


def game_at_state(state: NDArray[np.void], ruleset: Ruleset) -> Games:
    """The game at a state, (1,), that the engine has made, for a session."""
    return trusted_games(state.copy(), ruleset, **_STOPS)


def replayed(record: Record) -> tuple[Games, list[Happening]]:
    """The game of a record where it was left, with all that happened, or a ``RecordError``."""
    for _ in replay(record):
        pass  # whatever is wrong is found here
    # From its own seed or streams, so that its dice go on as they would have without a pause.
    games = new_game(record.ruleset, record.seed or 0) if record.position is None else game_at(record.position)
    happenings = []
    for event in record.events:
        if games.player[0] == PAUSED:
            happenings.append(Happening(None, games.state.copy(), record.ruleset))
            games.resume()
        happenings.append(Happening(event, games.state.copy(), record.ruleset))
        if len(event) == 2:
            own = games.copy()
            if own.draw() == [event[1]]:
                games = own  # the game's own streams say so, and go on from there
            else:
                games.resolve([event[1]])
        else:
            games.step([games.actions.id(event[2], event[1])])
    return games, happenings
