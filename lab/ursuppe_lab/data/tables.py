"""The tables of a few games, by replaying them side by side; their columns are the schemas below (docs/data.md)."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ursuppe_env.extras import extra
from ursuppe_env.records import Moment, Record, replay_together
from ursuppe_env.records.format import DECISION_NAMES
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.board import NUM_SPACES, OFF_BOARD
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Phase
from ursuppe_env.rules.ruleset import Ruleset

with extra("arena"):
    import polars as pl

#: The columns of each table and their types; ``decisions`` may have one more, ``observation``.
SCHEMAS = {
    "games": pl.Schema(
        {
            "game": pl.UInt32(),
            "players": pl.UInt8(),
            "edition": pl.String(),
            "ruleset": pl.String(),
            "seed": pl.UInt64(),
            "agents": pl.List(pl.String()),
            "teams": pl.List(pl.List(pl.UInt8())),
            "score": pl.String(),
            "from_position": pl.Boolean(),
            "start_order": pl.List(pl.UInt8()),
            "start_places": pl.List(pl.UInt8()),
            "decisions": pl.UInt32(),
            "rounds": pl.UInt8(),
            "winner": pl.Int8(),
            "markers": pl.List(pl.Int16()),
        }
    ),
    "decisions": pl.Schema(
        {
            "game": pl.UInt32(),
            "number": pl.UInt32(),
            "event": pl.UInt32(),
            "round": pl.UInt8(),
            "player": pl.UInt8(),
            "decision": pl.String(),
            "bp": pl.Int16(),
            "marker": pl.Int16(),
            "action": pl.UInt16(),
            "text": pl.String(),
            "legal": pl.List(pl.UInt16()),
        }
    ),
    "rounds": pl.Schema(
        {
            "game": pl.UInt32(),
            "round": pl.UInt8(),
            "player": pl.UInt8(),
            "marker": pl.Int16(),
            "bp": pl.Int16(),
            "amoebas": pl.UInt8(),
            "damage": pl.UInt16(),
            "food": pl.UInt16(),
            "genes": pl.List(pl.String()),
        }
    ),
    "actions": pl.Schema({"players": pl.UInt8(), "player": pl.UInt8(), "action": pl.UInt16(), "text": pl.String()}),
}
OBSERVATION = "observation"
_DECISIONS = np.array(DECISION_NAMES, object)
_GENES = np.array(GENE_NAMES, object)
_Rows = dict[str, NDArray[Any]]  # columns


def tables_of(
    records: Sequence[Record],  # at least one, all for the same number of players
    first_game: int,  # the number of the first one in the data set
    observations: DTypeLike | None = None,  # the dtype in which each decision gets its observation; None: it gets none
) -> dict[str, pl.DataFrame]:
    """The tables ``games``, ``decisions`` and ``rounds`` of these records; errors are those of ``export_records``."""
    decisions: list[_Rows] = []
    rounds: list[_Rows] = []  # their ends, and those of set-ups as round 0
    start_places: dict[int, list[int]] = {}  # by number of the game, where it was set up
    was_in_setup = np.zeros(len(records), bool)
    for moment in replay_together(records, first_game + 1):
        decisions.append(_decisions_of(moment, observations))
        is_in_setup = moment.games.state["phase"] == Phase.SETUP
        for row in np.flatnonzero(was_in_setup & ~is_in_setup).tolist():
            markers = moment.games.markers[row]
            start_places[row] = markers.tolist()
            rounds.append(_set_up(row, moment.games.ruleset_of(row), markers))
        was_in_setup = is_in_setup
        rounds.append(_round_ends_of(moment))
    ends = _in_order(rounds, "game", "round", "player")
    genes = _lists(ends["genes"], pl.String(), _GENES)
    return {
        "games": _games(records, first_game, start_places),
        "decisions": _decisions_table(_in_order(decisions, "game", "event"), first_game, records[0].ruleset.players),
        "rounds": _typed(pl.DataFrame(ends | {"game": ends["game"] + first_game, "genes": genes}), SCHEMAS["rounds"]),
    }


@cache
def actions_table(players: int) -> pl.DataFrame:
    """What each action id is in the words of each seat, with so many players."""
    actions = actions_for(players)
    rows = [(players, player, id, actions.text(id, player)) for player in range(players) for id in range(len(actions))]
    return pl.DataFrame(rows, SCHEMAS["actions"], orient="row")


def _games(records: Sequence[Record], first_game: int, start_places: dict[int, list[int]]) -> pl.DataFrame:
    rows = [
        {
            "game": first_game + number,
            "players": record.ruleset.players,
            "edition": record.ruleset.edition,
            "ruleset": json.dumps(record.ruleset.changes()),
            "seed": record.seed,
            "agents": record.agents,
            "teams": None if record.teams is None else [list(seats) for seats in record.teams.seats],
            "score": None if record.teams is None else record.teams.score,
            "from_position": record.position is not None,
            "start_order": next((event[1] for event in record.events[:2] if event[0] == "start_order"), None),
            "start_places": start_places.get(number),
            "decisions": sum(len(event) == 3 for event in record.events),
            "rounds": record.result.get("rounds"),
            "winner": record.result["winner"] if record.is_finished else None,
            "markers": record.result.get("markers"),
        }
        for number, record in enumerate(records)
    ]
    return pl.DataFrame(rows, SCHEMAS["games"])


def _in_order(chunks: Sequence[_Rows], *keys: str) -> _Rows:
    """All rows, in the order of these columns."""
    columns = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
    order = np.lexsort([columns[name] for name in reversed(keys)])
    return {name: values[order] for name, values in columns.items()}


def _decisions_of(moment: Moment, observations: DTypeLike | None) -> _Rows:
    games, rows = moment.games, moment.rows
    asked = games.state[rows]
    player = asked["player"].astype(np.intp)
    columns = {
        "game": rows,
        "event": moment.events,
        "round": asked["round"],
        "player": player,
        "decision": asked["node"].astype(np.intp),
        "bp": asked["bp"][np.arange(len(rows)), player],
        "marker": asked["marker"][np.arange(len(rows)), player],
        "action": moment.actions,
        "legal": games.legal()[rows],
    }
    return columns if observations is None else columns | {OBSERVATION: games.observe(dtype=observations)[rows]}


def _decisions_table(columns: _Rows, first_game: int, players: int) -> pl.DataFrame:
    game, legal = columns["game"], columns.pop("legal")
    observation = columns.pop(OBSERVATION, None)
    texts = actions_table(players)["text"].to_numpy().reshape(players, -1)
    table = pl.DataFrame(
        columns
        | {
            "game": game + first_game,
            "number": np.arange(len(game)) - np.searchsorted(game, game),
            "decision": _DECISIONS[columns["decision"]],
            "text": texts[columns["player"], columns["action"]],
            "legal": _lists(legal, pl.UInt16()),
        }
    )
    table = _typed(table, SCHEMAS["decisions"])
    return table if observation is None else table.with_columns(pl.Series(OBSERVATION, observation))


def _round_ends_of(moment: Moment) -> _Rows:
    games = moment.games
    rows = np.repeat(moment.round_over, games.num_players)
    player = np.tile(np.arange(games.num_players), len(moment.round_over))
    state, each = games.state[rows], np.arange(len(rows))
    return {
        "game": rows,
        "round": state["round"],
        "player": player,
        "marker": state["marker"][each, player],
        "bp": state["bp"][each, player],
        "amoebas": (state["amoeba_space"][each, player] != OFF_BOARD).sum(axis=1),
        "damage": state["damage"][each, player].sum(axis=1),
        "food": state["food"][each, :, player].sum(axis=1, dtype=np.int64),
        "genes": state["genes"][each, player] > 0,
    }


def _set_up(row: int, ruleset: Ruleset, markers: NDArray[np.int16]) -> _Rows:
    """All but the places follows from the ruleset; when somebody is asked again, more may have happened."""
    numbers = {"game": row, "round": 0, "bp": ruleset.start_bp, "amoebas": 2}
    per_player = numbers | {"damage": ruleset.first_damage, "food": ruleset.start_food * NUM_SPACES}
    columns = {name: np.full(ruleset.players, value) for name, value in per_player.items()}
    columns |= {"player": np.arange(ruleset.players), "marker": markers}
    return columns | {"genes": np.zeros((ruleset.players, len(GENE_NAMES)), bool)}


def _lists(flags: NDArray[Any], dtype: Any, names: NDArray[Any] | None = None) -> pl.Series:
    """(n, m) flags as n lists of the places, or their names, that have one; a row may have none."""
    rows, places = np.nonzero(flags)
    values = pl.Series(places if names is None else names[places], dtype=dtype)
    lists = pl.DataFrame({"row": rows, "values": values}).group_by("row", maintain_order=True).agg("values")
    every = pl.DataFrame({"row": np.arange(len(flags))})
    return every.join(lists, on="row", how="left", maintain_order="left")["values"].fill_null([])


def _typed(table: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    return table.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
