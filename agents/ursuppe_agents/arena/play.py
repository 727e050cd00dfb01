"""Playing the games of a chunk, all at once."""

import polars as pl

from ursuppe_agents.arena.sitting import KEYS, keys_of, sit_down
from ursuppe_agents.arena.tournament import Chunk

#: One row a game. Lists have an entry for each seat.
COLUMNS = pl.Schema(
    {
        **KEYS,
        "rounds": pl.Int8(),  # that were played
        "agents": pl.List(pl.String),
        "ranks": pl.List(pl.Int8),  # 1 for the winner
        "markers": pl.List(pl.Int16),  # places on the track
        "decisions": pl.List(pl.Int32),  # with two or more legal actions
        "seconds": pl.List(pl.Float32),  # of thinking; several games thought about at once share the time equally
    }
)


def play_chunk(chunk: Chunk) -> pl.DataFrame:
    """Play a chunk's games, and return a row of ``COLUMNS`` for each.

    The same chunk gives the same rows, but for ``seconds`` and what agents with a time budget do.

    Raises:
        AgentError: an agent crashed or gave an illegal action.
        ValueError: a code describes no agent.
    """
    sitting = sit_down(chunk)
    tally = sitting.play()
    markers = sitting.games.markers
    return pl.DataFrame(
        {
            **keys_of(chunk).to_dict(),
            "rounds": sitting.games.rounds,
            "agents": [[sitting.codes[member] for member in row] for row in sitting.seating],
            "ranks": (markers[:, None, :] >= markers[:, :, None]).sum(axis=2).tolist(),
            "markers": markers.tolist(),
            "decisions": tally.decisions.tolist(),
            "seconds": tally.seconds.tolist(),
        },
        schema=COLUMNS,
    )
