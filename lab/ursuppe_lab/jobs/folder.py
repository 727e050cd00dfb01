"""A run in parts, and its folder, which keeps each as soon as it is done, and in the end the results.

The spec of an agent may name a file, and tomorrow that may hold another policy, or another version of a bot. So the
folder knows the digests of all that play: a run that is resumed, or shown again, never mixes two of them.
"""

import io
import json
import logging
import shlex
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, TypeVar

from ursuppe_agents.evaluator import Origin, Trained, evaluator_of
from ursuppe_agents.policies.provenance import file_digest
from ursuppe_agents.registry import foreign_code, make_agent, parameters_of
from ursuppe_env.extras import extra
from ursuppe_env.files import is_empty, sealed, unsealed, write_atomically
from ursuppe_env.jobs import numbered, run_jobs, run_jobs_on_ray
from ursuppe_env.parsing import first_difference, parse_json

with extra("arena"):
    import polars as pl

_SETTINGS = "settings.json"
_PART = "parts/{:05}.part"
_POLICIES, _FILES = "policies", "files"
_CHANGED = {_POLICIES: "another policy", _FILES: "another version of an agent"}
_log = logging.getLogger(__name__)  # by default it prints a warning as a line on stderr


class RunFolder:
    """Keeps the parts of a run, sealed Parquet files (``ursuppe_env.files``), so that it can be resumed.

    Args:
        path: of the folder; made if there is none.
        settings: all that decides what the parts hold, as JSON can write it.
        schema: the names and types of the parts' columns.
        agents: the specs of those that play in it; a changed policy, module, program or model is another run.
        players: the numbers of players with which they play.

    Attributes:
        path: as given.
        origins: of the trained policies, by name (``origins_of``).

    Raises:
        ValueError: the folder belongs to something else, or to a run with other settings.
        OSError: it cannot be read or written.
    """

    def __init__(
        self,
        path: Path,
        settings: dict[str, Any],
        schema: pl.Schema,
        agents: Iterable[str] = (),
        players: Iterable[int] = (),
    ) -> None:
        agents = tuple(agents)
        self.path, self.origins = path, origins_of(agents, players)
        self._schema = schema
        policies = {name: origin.digest for name, origin in self.origins.items()}
        files = {f"{file.name} of {spec}": file_digest(file) for spec in agents for file in foreign_files(spec)}
        settings = settings | {name: found for name, found in ((_POLICIES, policies), (_FILES, files)) if found}
        settings = json.loads(json.dumps(settings))
        if path.exists() and not (path.is_dir() and is_empty(path)):
            _check_settings(path, settings)
        else:
            self.write(_SETTINGS, to_json(settings))

    def read(self, number: int, keys: pl.DataFrame) -> pl.DataFrame | None:
        """The part of this number, from 0; None if it is not done yet, or damaged, of which a warning is logged.

        ``keys`` are some of its columns, as they must be: which rows it has.
        """
        path = self.path / _PART.format(number)
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
        numbers = (path.stem for path in self.path.glob("parts/*.part"))
        return max((1 + int(number) for number in numbers if number.isdecimal()), default=0)

    def write_part(self, number: int, rows: pl.DataFrame) -> None:
        """Keep a part that is done."""
        self.write(_PART.format(number), sealed(to_parquet(rows)))

    def write_results(self, rows: pl.DataFrame, figures: dict[str, Any], report: str) -> None:
        """Write ``games.parquet``, ``summary.json`` and the page ``report.html``."""
        self.write("games.parquet", to_parquet(rows))
        self.write_summary(figures)
        self.write("report.html", report.encode())

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
        before, now = there.get(name), settings.get(name)
        if name in _CHANGED and isinstance(before, dict) and isinstance(now, dict):
            for one in sorted(one for one in before.keys() & now.keys() if before[one] != now[one]):
                change = f"{one} was file {before[one]}, and now it is {now[one]}"
                raise ValueError(f"{path} holds the games of {_CHANGED[name]}: {change}; give another folder")
        if name not in there or name not in settings or now != before:
            where, is_there, given = first_difference(name, before, now) or (name, before, now)
            difference = f"its {where} is {json.dumps(is_there)}, not {json.dumps(given)}"
            raise ValueError(f"{path} holds another run: {difference}; give another folder")


def origin_of(spec: str, players: int) -> Origin | None:
    """Where the policy comes from that an agent plays by, or that guides its search; None: it has none.

    Raises:
        ValueError: there is no such agent, or it has no policy for so many players.
        OSError: the file of its policy cannot be read.
    """
    policy = evaluator_of(make_agent(spec, 0))
    return policy.origin(players) if isinstance(policy, Trained) else None


def foreign_files(spec: str) -> list[Path]:
    """The files of an agent's command, or of its model and its module, unless the package has it.

    What these import or read is not seen.
    """
    code, parameters = foreign_code(spec), parameters_of(spec)[1]
    if code is None:
        return []
    if "command" in parameters:
        return [file for word in shlex.split(parameters["command"]) if (file := Path(word)).is_file()]
    module = find_spec(code)
    files = [parameters.get("model", ""), (module and module.origin) or ""]
    return [Path(file) for file in files if Path(file).is_file()]


def origins_of(agents: Iterable[str], players: Iterable[int]) -> dict[str, Origin]:
    """``origin_of`` all agents that have a policy, by agent and number: ``policy:default with 4 players``."""
    seated = product(dict.fromkeys(agents), dict.fromkeys(players))
    found = {f"{spec} with {table} players": origin_of(spec, table) for spec, table in seated}
    return {name: origin for name, origin in found.items() if origin is not None}


P = TypeVar("P")  # what a run is made of; picklable


def do_parts(
    work: Callable[[P], pl.DataFrame],  # does one part: a table of rows
    parts: Iterable[P],  # numbered from 0, as they come; those that are not begun are made as they are needed
    keys_of: Callable[[P], pl.DataFrame],  # the columns that say which rows a part has
    kept: RunFolder | None = None,  # where to keep each part as soon as it is done, and to find those that are
    workers: int | None = None,  # processes; None: one per core
    ray: bool = False,  # work on a Ray cluster instead
    on_progress: Callable[[int], None] | None = None,  # told how many rows there are, at first and after each part
    on_rows: Callable[[pl.DataFrame], None] | None = None,  # given those of each part, first of those that were kept
) -> pl.DataFrame:
    """Do all parts, or those that are left, and return their rows, in the order of the parts.

    A damaged part is done anew. Whatever ``work`` raises comes from here; the parts that are done are kept.
    """
    if ray and workers is not None:
        raise ValueError(f"workers is {workers}, but a Ray cluster has its own; give one of both")
    all_parts = enumerate(parts)
    begun = [] if kept is None else list(islice(all_parts, kept.num_begun))
    found = {} if kept is None else {number: kept.read(number, keys_of(part)) for number, part in begun}
    done = {number: rows for number, rows in found.items() if rows is not None}
    num_rows = 0

    def tell(*new: pl.DataFrame) -> None:
        nonlocal num_rows
        for rows in new:
            num_rows += len(rows)
            if on_rows is not None:
                on_rows(rows)
        if on_progress is not None:
            on_progress(num_rows)

    tell(*done.values())
    left, do = chain([part for part in begun if part[0] not in done], all_parts), partial(numbered, work)
    with closing(run_jobs_on_ray(do, left) if ray else run_jobs(do, left, workers)) as results:
        for (number, _), rows in results:
            if kept is not None:
                kept.write_part(number, rows)
            done[number] = rows
            tell(rows)
    return pl.concat([done[number] for number in sorted(done)])
