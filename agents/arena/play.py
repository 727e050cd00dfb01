"""Playing the games of a chunk, all at once."""

from time import perf_counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ursuppe_agents.agent import Agent
from ursuppe_agents.arena.asking import Fault, chosen_actions, take
from ursuppe_agents.arena.tournament import Chunk, Tournament
from ursuppe_agents.registry import make_agent
from ursuppe_env import Games
from ursuppe_env.rules.nodes import Decision

#: One row a game. Lists have an entry for each seat.
COLUMNS = pl.Schema(
    {
        "index": pl.Int64(),  # which game of the seed
        "table": pl.Int64(),  # which of the tournament's tables
        "rotation": pl.Int8(),  # place k of the table has the seat (k + rotation) mod P
        "rounds": pl.Int8(),  # that were played
        "agents": pl.List(pl.String),
        "ranks": pl.List(pl.Int8),  # 1 for the winner
        "markers": pl.List(pl.Int16),  # places on the track
        "decisions": pl.List(pl.Int32),  # with two or more legal actions
        "seconds": pl.List(pl.Float32),  # of thinking; several games thought about at once share the time equally
    }
)


_KEYS = ("index", "table", "rotation")


class AgentError(ValueError):
    """An agent crashed or gave something else than legal actions; the message says which one and where."""


def play_chunk(chunk: Chunk) -> pl.DataFrame:
    """Play a chunk's games, and return a row of ``COLUMNS`` for each.

    The same chunk gives the same rows, but for ``seconds`` and what agents with a time budget do.

    Raises:
        AgentError: an agent crashed or gave an illegal action.
        ValueError: a code describes no agent.
    """
    tournament = chunk.tournament
    keys = keys_of(chunk)
    index, table, rotation = (keys[name].to_numpy() for name in _KEYS)
    codes = _members(tournament)
    seating = _seating(tournament, table, rotation)
    agents = {
        member: make_agent(codes[member], np.random.default_rng([tournament.seed, chunk.number, member]))
        for member in np.unique(seating).tolist()
    }
    games = Games(len(index), tournament.ruleset, seed=tournament.seed, index=index, threads=1)
    decisions = np.zeros(seating.shape, np.int32)
    seconds = np.zeros(seating.shape, np.float32)
    try:
        play_out(games, agents, seating, decisions, seconds)
    except Fault as fault:
        row, seat = fault.row, int(games.player[fault.row])
        raise AgentError(
            f"agent {codes[seating[row, seat]]} {fault.what}; it was player {seat} in game {index[row]} of seed "
            f"{tournament.seed}, {' - '.join(codes[member] for member in seating[row])}, about to make its decision "
            f"{decisions[row, seat] + 1} there ({Decision(int(games.decision[row])).name.lower()})"
        ) from fault.__cause__
    markers = games.markers
    return pl.DataFrame(
        {
            **keys.to_dict(),
            "rounds": games.rounds,
            "agents": [[codes[member] for member in row] for row in seating],
            "ranks": (markers[:, None, :] >= markers[:, :, None]).sum(axis=2).tolist(),
            "markers": markers.tolist(),
            "decisions": decisions.tolist(),
            "seconds": seconds.tolist(),
        },
        schema=COLUMNS,
    )


def keys_of(chunk: Chunk) -> pl.DataFrame:
    """The columns that say which games a chunk has."""
    return pl.DataFrame(list(chunk.games()), schema={name: COLUMNS[name] for name in _KEYS}, orient="row")


def play_out(
    games: Games,
    agents: dict[int, Agent],
    seating: NDArray[np.int64],
    decisions: NDArray[np.int32],
    seconds: NDArray[np.float32],
) -> None:
    """Let the agents play all games to the end.

    Args:
        games: changed in place.
        agents: by number.
        seating: (N, P) the number of the agent in each seat.
        decisions: (N, P) counted up for each seat.
        seconds: (N, P) counted up for each seat.
    """
    player = games.state["player"]  # a view: it follows the games
    while (waiting := np.flatnonzero(player >= 0)).size > 0:
        asked = seating[waiting, player[waiting]]
        most_asked = int(np.bincount(asked).argmax())  # whoever can think about most games at once
        rows = waiting[asked == most_asked]
        started = perf_counter()
        actions = chosen_actions(agents[most_asked], games, rows)
        elapsed = perf_counter() - started
        seats = player[rows]
        take(games, actions, rows)
        decisions[rows, seats] += 1
        seconds[rows, seats] += elapsed / len(rows)


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
