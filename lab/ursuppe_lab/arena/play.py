"""Playing the games of a batch, all at once."""

import polars as pl
from scipy.stats import rankdata  # type: ignore[import-untyped]

from ursuppe_lab.arena.matches import KEYS, keys_of, seat_agents
from ursuppe_lab.arena.observers import Actions
from ursuppe_lab.arena.tournament import MatchBatch

#: One row a game. Lists have an entry for each seat.
COLUMNS = pl.Schema(
    {
        **KEYS,
        "rounds": pl.Int8(),  # that were played
        "agents": pl.List(pl.String),
        "ranks": pl.List(pl.Int8),  # 1 for the winner; with teams of the seat's team
        "markers": pl.List(pl.Int16),  # places on the track
        "decisions": pl.List(pl.Int32),  # with two or more legal actions
        "forfeits": pl.List(pl.Int32),  # of these, with a random action because the agent had none of its own
        "seconds": pl.List(pl.Float32),  # of thinking; several games thought about at once share the time equally
        "actions": pl.List(pl.Int16),  # ids of all that were taken, in their order; null unless they are kept
    }
)


#: Columns that runs begun with an earlier version do not have; null there.
ADDED = ("forfeits", "actions")


def play_batch(batch: MatchBatch) -> pl.DataFrame:
    """Play a batch's games, and return a row of ``COLUMNS`` for each.

    The same batch gives the same rows, but for ``seconds`` and what agents with a time budget do.

    Raises:
        AgentError: an agent crashed or gave an illegal action.
        ValueError: a spec describes no agent.
    """
    matches = seat_agents(batch)
    taken = Actions(len(matches.games)) if batch.tournament.keeps_actions else None
    tally = matches.play(*() if taken is None else (taken,))
    markers = matches.games.markers
    teams = batch.tournament.partition
    if teams is None:
        ranks = rankdata(-markers, method="min", axis=1)
    else:
        ranks = 1 + teams.ahead(markers)[:, teams.team_of]
    return pl.DataFrame(
        {
            **keys_of(batch).to_dict(),
            "rounds": matches.games.rounds,
            "agents": [[matches.specs[member] for member in row] for row in matches.seating],
            "ranks": ranks.tolist(),
            "markers": markers.tolist(),
            "decisions": tally.decisions.tolist(),
            "forfeits": tally.forfeits.tolist(),
            "seconds": tally.seconds.tolist(),
            "actions": None if taken is None else taken.of_games,
        },
        schema=COLUMNS,
    )
