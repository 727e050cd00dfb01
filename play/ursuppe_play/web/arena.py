"""The table of an arena run that is being written: wins so far, from the parts that are done."""

from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ursuppe_agents.settings import first_error
from ursuppe_env.extras import extra
from ursuppe_env.files import unsealed
from ursuppe_env.parsing import parse_json
from ursuppe_play.names import spec_title

with extra("arena"):
    import polars as pl

    from ursuppe_lab.arena.lineups import num_rotations
    from ursuppe_lab.statistics import bootstrap


class _Settings(BaseModel):
    """What is read of a run's settings; the rest is for the run itself."""

    model_config = ConfigDict(strict=True)

    lineups: list[Annotated[list[str], Field(min_length=1)]] = Field(min_length=1)
    games: int = Field(ge=1, lt=2**63)
    seed: int = Field(ge=0)


class ArenaRun:
    """The folder of ``ursuppe arena --out DIR``, read as it grows; a ``ValueError`` or ``OSError`` if it is none."""

    def __init__(self, path: Path) -> None:
        file = path / "settings.json"
        if not file.exists():
            raise ValueError(f"{path} has no settings.json; it must be the folder of an arena run (--out)")
        try:
            settings = _Settings.model_validate(parse_json(file.read_bytes()))
        except ValidationError as error:
            wrong = first_error(error, _Settings)
            raise ValueError(f"{file} is damaged, or of something else than an arena run (--out): {wrong}") from None
        except ValueError as error:
            raise ValueError(f"{file} is damaged: {error}") from None
        self.path = path
        rotations = [num_rotations(tuple(lineup)) for lineup in settings.lineups]
        self._total = settings.games // max(rotations) * sum(rotations)
        self._seed = settings.seed
        self._parts: dict[str, pl.DataFrame] = {}
        self._lock = Lock()

    def standings(self) -> dict[str, Any]:
        """How the agents stand, as JSON.

        ``games`` that are over of ``total``, with ``seeds``; and for each of ``agents``, the best first, its ``seats``,
        ``wins`` (a share, with its interval by seeds) and mean ``rank``.
        """
        rows = self._rows()
        if rows is None:
            return {"name": self.path.name, "games": 0, "total": self._total, "seeds": 0, "agents": []}
        seats = rows.select("index", "agents", "ranks").explode("agents", "ranks", empty_as_null=True)
        found = [self._figures(str(agent), own) for (agent,), own in seats.group_by("agents", maintain_order=True)]
        return {
            "name": self.path.name,
            "games": len(rows),
            "total": self._total,
            "seeds": rows["index"].n_unique(),
            "agents": sorted(found, key=lambda figures: -figures["wins"]["estimate"]),
        }

    def _figures(self, agent: str, seats: pl.DataFrame) -> dict[str, Any]:
        by_seed = seats.group_by("index", maintain_order=True).agg((pl.col("ranks") == 1).mean().alias("wins"))
        wins = bootstrap(by_seed["wins"].to_numpy(), np.random.default_rng(self._seed))
        return {"agent": spec_title(agent), "seats": len(seats), "wins": wins._asdict(), "rank": seats["ranks"].mean()}

    def _rows(self) -> pl.DataFrame | None:
        """The games of all parts that are done; what has been read once is not read again."""
        with self._lock:
            for file in sorted((self.path / "parts").glob("*.part")):
                if file.name not in self._parts:
                    try:
                        self._parts[file.name] = pl.read_parquet(unsealed(file.read_bytes()))
                    except (ValueError, OSError, pl.exceptions.PolarsError):
                        continue  # the run does a damaged part anew
            return pl.concat(self._parts.values()) if self._parts else None
