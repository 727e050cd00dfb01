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
            "damage": pl.UInt8(),
            "food": pl.UInt16(),
            "genes": pl.List(pl.String()),
        }
    ),
    "actions": pl.Schema({"players": pl.UInt8(), "player": pl.UInt8(), "action": pl.UInt16(), "text": pl.String()}),
}
OBSERVATION = "observation"
_DECISIONS = np.array(DECISION_NAMES, object)
_GENES = np.array(GENE_NAMES, object)


def tables_of(
    records: Sequence[Record], first_game: int, observations: DTypeLike | None = None
) -> dict[str, pl.DataFrame]:
    """The tables ``games``, ``decisions`` and ``rounds`` of these records.

    Args:
        records: at least one, all for the same number of players.
        first_game: the number of the first one in the data set.
        observations: the dtype in which each decision gets its observation; None: it gets none.

    Raises:
        RecordError: a record is of no possible game; the message begins with ``game K: ``, counted from 1.
    """
    decisions, rounds = _Decisions(observations), _Rounds(len(records))
    for moment in replay_together(records, first_game + 1):
        decisions.add(moment)
        rounds.add(moment)
    return {
        "games": _games(records, first_game, rounds.start_places),
        "decisions": decisions.table(first_game),
        "rounds": rounds.table(first_game),
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


class _Rows:
    """Columns that grow moment by moment, and are put in order at the end."""

    def __init__(self) -> None:
        self._chunks: list[dict[str, NDArray[Any]]] = []

    def _sorted(self, *keys: str) -> dict[str, NDArray[Any]]:
        columns = {name: np.concatenate([chunk[name] for chunk in self._chunks]) for name in self._chunks[0]}
        order = np.lexsort([columns[name] for name in reversed(keys)])
        return {name: values[order] for name, values in columns.items()}


class _Decisions(_Rows):
    def __init__(self, observations: DTypeLike | None) -> None:
        super().__init__()
        self._observations = observations

    def add(self, moment: Moment) -> None:
        games, rows = moment.games, moment.rows
        asked = games.state[rows]
        player = asked["player"].astype(np.intp)
        chunk = {
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
        if self._observations is not None:
            chunk[OBSERVATION] = games.observe(dtype=self._observations)[rows]
        self._players = games.num_players
        self._chunks.append(chunk)

    def table(self, first_game: int) -> pl.DataFrame:
        columns = self._sorted("game", "event")
        game, legal = columns["game"], columns.pop("legal")
        observation = columns.pop(OBSERVATION, None)
        texts = actions_table(self._players)["text"].to_numpy().reshape(self._players, -1)
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


class _Rounds(_Rows):
    """The ends of rounds, and of set-ups as round 0.

    Attributes:
        start_places: of the players, by number of the game, where it was set up.
    """

    def __init__(self, num_games: int) -> None:
        super().__init__()
        self.start_places: dict[int, list[int]] = {}
        self._is_in_setup = np.zeros(num_games, bool)

    def add(self, moment: Moment) -> None:
        games, is_in_setup = moment.games, moment.games.state["phase"] == Phase.SETUP
        for row in np.flatnonzero(self._is_in_setup & ~is_in_setup).tolist():
            self._add_setup(row, games.ruleset_of(row), games.markers[row])
        self._is_in_setup = is_in_setup
        rows = np.repeat(moment.round_over, games.num_players)
        player = np.tile(np.arange(games.num_players), len(moment.round_over))
        state, each = games.state[rows], np.arange(len(rows))
        self._chunks.append(
            {
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
        )

    def _add_setup(self, row: int, ruleset: Ruleset, markers: NDArray[np.int16]) -> None:
        """All but the places follows from the ruleset; when somebody is asked again, more may have happened."""
        self.start_places[row] = markers.tolist()
        per_player = {
            "game": row,
            "round": 0,
            "bp": ruleset.start_bp,
            "amoebas": 2,
            "damage": ruleset.first_damage,
            "food": ruleset.start_food * NUM_SPACES,
        }
        chunk = {name: np.full(ruleset.players, value) for name, value in per_player.items()}
        chunk |= {"player": np.arange(ruleset.players), "marker": markers}
        self._chunks.append(chunk | {"genes": np.zeros((ruleset.players, len(GENE_NAMES)), bool)})

    def table(self, first_game: int) -> pl.DataFrame:
        columns = self._sorted("game", "round", "player")
        genes = _lists(columns["genes"], pl.String(), _GENES)
        return _typed(pl.DataFrame(columns | {"game": columns["game"] + first_game, "genes": genes}), SCHEMAS["rounds"])


def _lists(flags: NDArray[Any], dtype: Any, names: NDArray[Any] | None = None) -> pl.Series:
    """(n, m) flags as n lists of the places, or their names, that have one; a row may have none."""
    rows, places = np.nonzero(flags)
    values = pl.Series(places if names is None else names[places], dtype=dtype)
    lists = pl.DataFrame({"row": rows, "values": values}).group_by("row", maintain_order=True).agg("values")
    every = pl.DataFrame({"row": np.arange(len(flags))})
    joined = every.join(lists, on="row", how="left", maintain_order="left")
    return joined["values"].fill_null([])


def _typed(table: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    return table.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
