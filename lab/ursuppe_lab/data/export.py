"""Write records as a data set: a folder a table, in it a Parquet file for every few games (docs/data.md)."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ursuppe_env.extras import extra
from ursuppe_env.files import atomic_folder
from ursuppe_env.observation.layout import observation_dtype, observation_layout
from ursuppe_env.observation.parts import parts_of_game
from ursuppe_env.records import Record
from ursuppe_lab.data.tables import OBSERVATION, SCHEMAS, actions_table, tables_of
from ursuppe_lab.jobs.folder import to_parquet

with extra("arena"):
    import polars as pl

_METADATA = {"ursuppe.format": "ursuppe-data/1"}  # of every file
GAMES_OF_A_FILE = 256  # replayed side by side, and held in memory: with observations some 100 MB


@dataclass(frozen=True)
class Exported:
    """What a data set holds."""

    games: int
    decisions: int


def export_records(
    records: Iterable[Record], out: str | os.PathLike[str], observations: DTypeLike | None = None, force: bool = False
) -> Exported:
    """Write a new folder with the tables of docs/data.md, whole or not at all; a few games at a time are in memory.

    Args:
        records: at least one.
        out: the folder; there must be nothing of that name yet, or, with ``force``, another data set.
        observations: the dtype of the observation that each decision gets: float32, float16 or uint8; None: none.
        force: take the place of a data set, when this one is complete.

    Raises:
        ValueError: there is something of that name, or no folder above; there is no such dtype; there are no records,
            or, with observations, not all of them for the same number of players.
        RecordError: a record is of no possible game; the message begins with ``game K: ``, counted from 1.
        OSError: something cannot be written; the error names it.
    """
    out = Path(out)
    check_folder(out, force)
    dtype = None if observations is None else observation_dtype(observations)
    games = decisions = 0
    players: list[int] = []  # that there are
    with atomic_folder(out, replaces=force) as write:
        for number, batch in enumerate(_batches(records)):
            count = batch[0].ruleset.players
            if count not in players:
                players.append(count)
            if dtype is not None and len(players) > 1:
                raise ValueError(
                    f"game {games + 1} has {count} players, those before have {players[0]}: their observations are not "
                    f"of the same size; export them on their own, or without observations"
                )
            tables = tables_of(batch, games, dtype)
            for name, table in tables.items():
                metadata = dict(_METADATA)
                if dtype is not None and OBSERVATION in table.columns:
                    metadata |= _observation_metadata(count, dtype)
                write(f"{name}/{number:05}.parquet", to_parquet(table, metadata))
            games += len(batch)
            decisions += len(tables["decisions"])
        if not games:
            raise ValueError("there are no records to export")
        actions = pl.concat([actions_table(count) for count in sorted(players)])
        write("actions/00000.parquet", to_parquet(actions, _METADATA))
    return Exported(games, decisions)


def check_folder(out: Path, force: bool = False) -> None:
    """``ValueError`` if there is no folder above, or something of that name; with ``force``, if that is no data set."""
    if out.exists() and not force:
        raise ValueError(f"{out} exists already; give the name of a new folder, or --force to write over a data set")
    is_folder = out.is_dir() and not out.is_symlink()
    if out.exists() and not (is_folder and {path.name for path in out.iterdir()} == set(SCHEMAS)):
        raise ValueError(f"{out} is no data set of ursuppe export; --force writes over nothing else")
    if not out.parent.is_dir():
        raise ValueError(f"{out}: there is no folder {out.parent}")


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    """A few records at a time, all for the same number of players."""
    for _, alike in groupby(records, lambda record: record.ruleset.players):
        while batch := list(islice(alike, GAMES_OF_A_FILE)):
            yield batch


def _observation_metadata(players: int, dtype: np.dtype[Any]) -> dict[str, str]:
    """What a file of decisions says of its observations: their dtype and, part by part, where and on which scale."""
    parts = {}
    for part in parts_of_game(players):
        span = observation_layout(players)[part.name]
        where = {"start": span.start, "stop": span.stop}
        parts[part.name] = {**where, "shape": part.shape, "unit": part.unit, "offset": part.offset}
    return {"ursuppe.observation": json.dumps({"dtype": str(dtype), "parts": parts})}
