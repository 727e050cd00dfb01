"""The table of an arena run that is being written: wins so far, from the parts that are done."""

from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ursuppe_env.extras import extra
from ursuppe_env.parsing import parse_json
from ursuppe_env.sealed import unsealed

with extra("arena"):
    import polars as pl

    from ursuppe_agents.arena.lineups import num_rotations
    from ursuppe_agents.statistics import bootstrap

_NEEDED = ("lineups", "games", "seed")


class ArenaRun:
    """The folder of ``ursuppe arena --out DIR``, read as it grows; nothing is written into it.

    Args:
        path: of the folder.

    Raises:
        ValueError: it is no folder of an arena run.
        OSError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        file = path / "settings.json"
        if not file.exists():
            raise ValueError(f"{path} has no settings.json; it must be the folder of an arena run (--out)")
        try:
            settings = parse_json(file.read_bytes())
        except ValueError as error:
            raise ValueError(f"{file} is damaged: {error}") from None
        if not isinstance(settings, dict) or any(name not in settings for name in _NEEDED):
            raise ValueError(f"{path} is the folder of something else; it must be one of an arena run (--out)")
        self.path = path
        rotations = [num_rotations(tuple(lineup)) for lineup in settings["lineups"]]
        self._total = settings["games"] // max(rotations) * sum(rotations)
        self._seed = settings["seed"]
        self._parts: dict[str, pl.DataFrame] = {}
        self._lock = Lock()

    def standings(self) -> dict[str, Any]:
        """How the agents stand, as JSON.

        Returns:
            ``games`` that are over of ``total``, with ``seeds``; and for each of ``agents``, the best first, its
            ``seats``, ``wins`` (the part of them that it has won: ``estimate``, ``low`` and ``high`` of the interval by
            seeds, 95 %, or None for too few of them) and mean ``rank``.
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
        return {"agent": agent, "seats": len(seats), "wins": wins._asdict(), "rank": seats["ranks"].mean()}

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
