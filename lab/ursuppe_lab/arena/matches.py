"""Matches: the games of a batch with the agents in their seats, which are asked for their actions, and observers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent, Fault
from ursuppe_agents.asking import CRASHES, AgentError, chosen_actions, crashed, take
from ursuppe_agents.draws import key_from
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games
from ursuppe_env.rules.nodes import FINISHED, PAUSED, Decision
from ursuppe_lab.arena.tournament import MatchBatch, Tournament

#: Which game a row is: the game of the seed, the lineup of the tournament, and the rotation: place k of the lineup has
#: the seat (k + rotation) mod P, or with T teams the team (k + rotation) mod T.
KEYS = pl.Schema({"index": pl.Int64(), "lineup": pl.Int64(), "rotation": pl.Int8()})


def keys_of(batch: MatchBatch) -> pl.DataFrame:
    """The columns that say which games a batch has."""
    return pl.DataFrame(list(batch.games()), schema=KEYS, orient="row")


class Observer:
    """Sees every step of a batch of games, in which it changes nothing; a subclass overrides what it needs."""

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        """In these rows, (n,), an agent has chosen these actions, (n,), perhaps illegal, in so many seconds in all."""

    def forfeited(self, games: Games, rows: NDArray[np.int64]) -> None:
        """In these rows, (n,), an agent had no action of its own, and a random one is about to be taken."""

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        """The actions have been taken, and the games in these rows, (n,), stand where they lead to."""

    def round_over(self, games: Games, rows: NDArray[np.int64]) -> None:
        """The games in these rows, (n,), pause after a round; only those that were told to pause ever do."""


class ActionLog(Observer):
    """Keeps what is done."""

    def __init__(self, num_games: int) -> None:
        self.ids: list[list[int]] = [[] for _ in range(num_games)]  # of the actions of each game

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            self.ids[row].append(action)


class Tally(Observer):
    """Counts the decisions of each seat, (N, P), those forfeited, and how long they took."""

    def __init__(self, num_games: int, players: int) -> None:
        self.decisions = np.zeros((num_games, players), np.int32)  # with two or more legal actions
        self.forfeits = np.zeros((num_games, players), np.int32)  # with a random action: the agent had none of its own
        self.seconds = np.zeros((num_games, players), np.float32)  # several games at once share the time equally

    def chosen(self, games: Games, rows: NDArray[np.int64], actions: NDArray[np.int64], seconds: float) -> None:
        self._seats = games.state["player"][rows]
        self._share = seconds / len(rows)

    def forfeited(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.forfeits[rows, games.state["player"][rows]] += 1

    def taken(self, games: Games, rows: NDArray[np.int64]) -> None:
        self.decisions[rows, self._seats] += 1
        self.seconds[rows, self._seats] += self._share


@dataclass
class Matches:
    """N games, and who plays them."""

    seed: int
    index: NDArray[np.int64]  # (N,) which game of the seed each row is
    games: Games  # as they stand
    specs: Sequence[str]  # of the members: each agent as often as a lineup needs it
    agents: dict[int, Agent]  # by the number of the member; only those who have a seat
    seating: NDArray[np.int64]  # (N, P) the number of the member that is asked for each seat

    def play(self, *observers: Observer, held: Callable[[Games], NDArray[np.bool_]] | None = None) -> Tally:
        """Let the agents play all games to the end, and count their decisions.

        Args:
            observers: of every step.
            held: says which games, (N,), are not to be played on from where they stand now; None: none of them.

        Raises:
            AgentError: an agent crashed or gave an illegal action.
        """
        tally = Tally(*self.seating.shape)
        try:
            self._play_out([tally, *observers], held)
        except Fault as fault:
            row, seat = fault.row, int(self.games.player[fault.row])
            agents = [self.specs[member] for member in self.seating[row]]
            number, name = tally.decisions[row, seat] + 1, Decision(int(self.games.decision[row])).name.lower()
            raise AgentError(
                f"agent {agents[seat]} {fault.what}; it was player {seat} in game {self.index[row]} of seed "
                f"{self.seed}, {' - '.join(agents)}, about to make its decision {number} there ({name})"
            ) from fault.__cause__
        return tally

    def _play_out(self, observers: Sequence[Observer], held: Callable[[Games], NDArray[np.bool_]] | None) -> None:
        games, seating = self.games, self.seating
        player = games.state["player"]  # a view: it follows the games
        while True:
            paused = np.flatnonzero(player == PAUSED)
            if paused.size > 0:
                for observer in observers:
                    observer.round_over(games, paused)
                games.resume()
            waiting = np.flatnonzero(player >= 0 if held is None else (player >= 0) & ~held(games))
            if waiting.size == 0:
                return
            asked = seating[waiting, player[waiting]]
            most_asked = int(np.bincount(asked).argmax())  # the one that can be asked about most games at once
            agent, rows = self.agents[most_asked], waiting[asked == most_asked]
            started = perf_counter()
            actions = chosen_actions(agent, games, rows)
            elapsed = perf_counter() - started
            for observer in observers:
                observer.chosen(games, rows, actions, elapsed)
                if agent.forfeited.size > 0:
                    observer.forfeited(games, agent.forfeited)
            take(games, actions, rows)
            for observer in observers:
                observer.taken(games, rows)
            over = rows[player[rows] == FINISHED]
            if over.size > 0:
                for member in np.unique(seating[over]).tolist():
                    self._tell_over(member, over[(seating[over] == member).any(axis=1)])

    def _tell_over(self, member: int, rows: NDArray[np.int64]) -> None:
        try:
            self.agents[member].games_over(self.games, rows)
        except CRASHES as error:
            raise AgentError(f"agent {self.specs[member]} {crashed(error)}, told that games are over") from error

    def branch(self, rows: NDArray[np.int64], games: Games) -> "Matches":
        """Other games that go on from these rows, (n,), in any number, with the same agents in the same seats."""
        return Matches(self.seed, self.index[rows], games, self.specs, self.agents, self.seating[rows])


def seat_agents(
    batch: MatchBatch,
    pause_after_rounds: bool = False,  # as of ``Games``
    make: Callable[[str, np.random.Generator], Agent] = make_agent,  # makes the agent of a name in the lineups: a spec
) -> Matches:
    """The games of a batch before the first decision.

    An agent's random choices depend on the tournament's seed and on who it is: what it draws by ``Agent.uniform``
    on nothing else but the game, what it draws from its generator on the batch, too.
    """
    tournament = batch.tournament
    index, lineup, rotation = (column.to_numpy() for column in keys_of(batch))
    # Each agent as often as one lineup needs it: each copy thinks for itself.
    most = {spec: max(seats.count(spec) for seats in tournament.lineups) for spec in tournament.agents}
    specs = [spec for spec, count in most.items() for _ in range(count)]
    in_lineups = np.array(
        [[specs.index(spec) + seats[:k].count(spec) for k, spec in enumerate(seats)] for seats in tournament.lineups]
    )
    seating = in_lineups[lineup[:, None], (tournament.side_of - rotation[:, None]) % tournament.sides]
    agents = {
        member: make(specs[member], np.random.default_rng([tournament.seed, batch.number, member]))
        for member in np.unique(seating).tolist()
    }
    for member, agent in agents.items():
        agent.key = key_from(tournament.seed, member)
        agent.teams = tournament.partition
        if agent.deterministic:  # its copies choose the same: one of them is asked about all their games at once
            seating[seating == member] = specs.index(specs[member])
    games = Games(
        len(index), tournament.ruleset, tournament.seed, index=index, threads=1, pause_after_rounds=pause_after_rounds
    )
    return Matches(tournament.seed, index, games, specs, agents, seating)


def try_agents(tournament: Tournament, agents: Iterable[str] | None = None) -> None:
    """Let each agent, by default those of the lineups, make one decision; errors are those of ``play_tournament``.

    A wrong spec shows at once, and what is not yet compiled is compiled before many processes would do it.
    """
    games = Games(1, tournament.ruleset, seed=tournament.seed, threads=1)
    for spec in tournament.agents if agents is None else agents:
        agent = make_agent(spec, tournament.seed)
        agent.teams = tournament.partition
        try:
            take(games.copy(), chosen_actions(agent, games, np.zeros(1, np.int64)), np.zeros(1, np.int64))
        except Fault as fault:
            raise AgentError(f"agent {spec} {fault.what} in the first decision of a game") from fault.__cause__
