"""The games of a chunk with the agents in their seats: what is played."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.arena.asking import Fault, chosen_actions, take
from ursuppe_agents.arena.tournament import Chunk, Tournament
from ursuppe_agents.arena.watching import Tally, Watcher
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games
from ursuppe_env.rules.nodes import PAUSED, Decision

#: Which game a row is: the game of the seed, the table of the tournament, and the rotation: place k of the table has
#: the seat (k + rotation) mod P.
KEYS = pl.Schema({"index": pl.Int64(), "table": pl.Int64(), "rotation": pl.Int8()})


class AgentError(ValueError):
    """An agent crashed or gave something else than legal actions; the message says which one and where."""


def keys_of(chunk: Chunk) -> pl.DataFrame:
    """The columns that say which games a chunk has."""
    return pl.DataFrame(list(chunk.games()), schema=KEYS, orient="row")


@dataclass
class Sitting:
    """N games, and who plays them.

    Attributes:
        seed: of the games.
        index: (N,) which game of the seed each row is.
        games: as they stand.
        codes: of the members: each agent as often as a table needs it.
        agents: by the number of the member; only those who have a seat.
        seating: (N, P) the number of the member that is asked for each seat.
    """

    seed: int
    index: NDArray[np.int64]
    games: Games
    codes: Sequence[str]
    agents: dict[int, Agent]
    seating: NDArray[np.int64]

    def play(self, *watchers: Watcher, held: Callable[[Games], NDArray[np.bool_]] | None = None) -> Tally:
        """Let the agents play all games to the end.

        Args:
            watchers: look on.
            held: says which games, (N,), are not to be played on from where they stand now; None: none of them.

        Returns:
            The decisions made, and the time that they took.

        Raises:
            AgentError: an agent crashed or gave an illegal action.
        """
        tally = Tally(*self.seating.shape)
        try:
            _play_out(self.games, self.agents, self.seating, [tally, *watchers], held)
        except Fault as fault:
            row, seat = fault.row, int(self.games.player[fault.row])
            raise AgentError(
                f"agent {self.codes[self.seating[row, seat]]} {fault.what}; it was player {seat} in game "
                f"{self.index[row]} of seed {self.seed}, "
                f"{' - '.join(self.codes[member] for member in self.seating[row])}, about to make its decision "
                f"{tally.decisions[row, seat] + 1} there ({Decision(int(self.games.decision[row])).name.lower()})"
            ) from fault.__cause__
        return tally

    def branch(self, rows: NDArray[np.int64], games: Games) -> "Sitting":
        """Other games that go on from these rows, (n,), in any number, with the same agents in the same seats."""
        return Sitting(self.seed, self.index[rows], games, self.codes, self.agents, self.seating[rows])


def sit_down(chunk: Chunk, pause_after_rounds: bool = False) -> Sitting:
    """The games of a chunk before the first decision.

    An agent's random choices in a chunk come from a generator of the tournament's seed, the chunk and the agent.

    Raises:
        ValueError: a code describes no agent.
    """
    tournament = chunk.tournament
    index, table, rotation = (column.to_numpy() for column in keys_of(chunk))
    codes = _members(tournament)
    seating = _seating(tournament, table, rotation)
    agents = {
        member: make_agent(codes[member], np.random.default_rng([tournament.seed, chunk.number, member]))
        for member in np.unique(seating).tolist()
    }
    for member, agent in agents.items():
        if agent.deterministic:  # its copies choose the same: one of them is asked about all their games at once
            seating[seating == member] = codes.index(codes[member])
    games = Games(
        len(index),
        tournament.ruleset,
        seed=tournament.seed,
        index=index,
        threads=1,
        pause_after_rounds=pause_after_rounds,
    )
    return Sitting(tournament.seed, index, games, codes, agents, seating)


def try_agents(tournament: Tournament) -> None:
    """Let each agent make one decision.

    What is wrong with a code shows at once then, and what is not yet compiled is compiled before many processes would
    do it.

    Raises:
        AgentError: an agent crashed.
        ValueError: a code describes no agent.
    """
    games = Games(1, tournament.ruleset, seed=tournament.seed, threads=1)
    for code in tournament.agents:
        agent = make_agent(code, tournament.seed)
        try:
            take(games.copy(), chosen_actions(agent, games, np.zeros(1, np.int64)), np.zeros(1, np.int64))
        except Fault as fault:
            raise AgentError(f"agent {code} {fault.what} in the first decision of a game") from fault.__cause__


def _play_out(
    games: Games,
    agents: dict[int, Agent],
    seating: NDArray[np.int64],
    watchers: Sequence[Watcher],
    held: Callable[[Games], NDArray[np.bool_]] | None,
) -> None:
    """Let the agents play, as ``Sitting.play`` says."""
    player = games.state["player"]  # a view: it follows the games
    while True:
        paused = np.flatnonzero(player == PAUSED)
        if paused.size > 0:
            for watcher in watchers:
                watcher.round_over(games, paused)
            games.resume()
        waiting = np.flatnonzero(player >= 0 if held is None else (player >= 0) & ~held(games))
        if waiting.size == 0:
            return
        asked = seating[waiting, player[waiting]]
        most_asked = int(np.bincount(asked).argmax())  # whoever can think about most games at once
        rows = waiting[asked == most_asked]
        started = perf_counter()
        actions = chosen_actions(agents[most_asked], games, rows)
        elapsed = perf_counter() - started
        for watcher in watchers:
            watcher.chosen(games, rows, actions, elapsed)
        take(games, actions, rows)
        for watcher in watchers:
            watcher.taken(games, rows)


def _members(tournament: Tournament) -> list[str]:
    """The codes of all agents, as often as they are needed at one table: each copy thinks for itself."""
    most = {code: max(table.count(code) for table in tournament.tables) for code in tournament.agents}
    return [code for code, count in most.items() for _ in range(count)]


def _seating(tournament: Tournament, table: NDArray[np.int64], rotation: NDArray[np.int64]) -> NDArray[np.int64]:
    """(N, P) the number of the member in each seat of games at these tables, (N,), in these rotations, (N,)."""
    members = _members(tournament)
    at_tables = np.array(
        [
            [members.index(code) + codes[:place].count(code) for place, code in enumerate(codes)]
            for codes in tournament.tables
        ]
    )
    place = (np.arange(tournament.ruleset.players) - rotation[:, None]) % tournament.ruleset.players
    return at_tables[table[:, None], place]
