"""The folder of a run: what it plays, the parts that are done, and in the end its results."""

import io
import json
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ursuppe_agents.evaluator import Origin
from ursuppe_env.extras import extra
from ursuppe_env.files import is_empty, sealed, unsealed, write_atomically
from ursuppe_env.parsing import parse_json

with extra("arena"):
    import polars as pl

_SETTINGS = "settings.json"
_PARTS = "parts"
_POLICIES = "policies"
_log = logging.getLogger(__name__)  # by default it prints a warning as a line on stderr


class RunFolder:
    """Keeps the parts of a run, so that an interrupted run can be resumed.

    A part is the content of a Parquet file, sealed (``ursuppe_env.files``).

    Args:
        path: of the folder; made if there is none.
        settings: all that decides what the parts hold, as JSON can write it.
        schema: the names and types of the parts' columns.
        origins: of the trained policies that play in it, by name (``ursuppe_lab.jobs.origins``): another policy
            under the same name is another run.

    Raises:
        ValueError: the folder belongs to something else, or to a run with other settings.
        OSError: it cannot be read or written.
    """

    def __init__(
        self,
        path: Path,
        settings: dict[str, Any],
        schema: pl.Schema,
        origins: Mapping[str, Origin] = MappingProxyType({}),
    ) -> None:
        self.path, self.origins = path, origins
        self._schema = schema
        if origins:
            settings = settings | {_POLICIES: {name: origin.digest for name, origin in origins.items()}}
        settings = json.loads(json.dumps(settings))
        if path.exists() and not (path.is_dir() and is_empty(path)):
            _check_settings(path, settings)
        else:
            self.write(_SETTINGS, to_json(settings))

    def read(self, number: int, keys: pl.DataFrame) -> pl.DataFrame | None:
        """A part; None if it is not done yet, or if its file is damaged, of which a warning is logged.

        Args:
            number: of the part, from 0.
            keys: some of its columns, as they must be: which rows it has.

        Raises:
            OSError: the file cannot be read.
        """
        path = self.path / _part(number)
        if not path.exists():
            return None
        try:
            rows = pl.read_parquet(unsealed(path.read_bytes()))
            if rows.schema == self._schema and rows.select(keys.columns).equals(keys):
                return rows
            reason = "it holds something else"
        except (ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            reason = str(error).partition("\n")[0]
        _log.warning("%s is damaged, and that part is done anew: %s", path, reason)
        return None

    @property
    def num_begun(self) -> int:
        """So many parts, from the first one on, have all among them that are done."""
        numbers = (path.stem for path in (self.path / _PARTS).glob("*.part"))
        return max((1 + int(number) for number in numbers if number.isdecimal()), default=0)

    def write_part(self, number: int, rows: pl.DataFrame) -> None:
        """Keep a part that is done."""
        self.write(_part(number), sealed(to_parquet(rows)))

    def write_summary(self, figures: dict[str, Any]) -> None:
        """Write ``summary.json``: the figures, and which policies have played."""
        policies = {name: origin._asdict() for name, origin in self.origins.items()}
        self.write("summary.json", to_json(figures | ({_POLICIES: policies} if policies else {})))

    def write(self, name: str, content: bytes) -> None:
        """Write a file into the folder, whole or not at all."""
        write_atomically(self.path / name, content)


def to_parquet(rows: pl.DataFrame, metadata: dict[str, str] | None = None) -> bytes:
    """A table as the content of a Parquet file, with these keys and values in the file's metadata."""
    content = io.BytesIO()
    rows.write_parquet(content, metadata=metadata)
    return content.getvalue()


def to_json(value: Any) -> bytes:
    """A value as the content of a JSON file."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _part(number: int) -> str:
    return f"{_PARTS}/{number:05}.part"


def _check_settings(path: Path, settings: dict[str, Any]) -> None:
    file = path / _SETTINGS
    if not file.exists():
        raise ValueError(f"{path} exists and is no folder of a run; give another, or one that is empty")
    try:
        there = parse_json(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}") from error
    if not isinstance(there, dict):
        raise ValueError(f"{file} is damaged: it is no JSON object")
    for name in settings | there:
        if name == _POLICIES:
            _check_policies(path, there.get(name), settings.get(name))
        if name not in there or name not in settings or settings[name] != there[name]:
            raise ValueError(
                f"{path} holds another run: its {name} is {json.dumps(there.get(name))}, "
                f"not {json.dumps(settings.get(name))}; give another folder"
            )


def _check_policies(path: Path, there: Any, here: Any) -> None:
    """Refuse another policy under the same name, in words of its own."""
    if not isinstance(there, dict) or not isinstance(here, dict):
        return
    for name in sorted(there.keys() & here.keys()):
        if there[name] != here[name]:
            raise ValueError(
                f"{path} holds the games of another policy: {name} was file {there[name]}, and now it is {here[name]}; "
                "give another folder"
            )
