"""Checkpoints of a run: files from which it goes on as if it had never stopped."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from ursuppe_env.files import write_whole

_FOLDER = "checkpoints"
_ENDING = ".pt"


class Checkpoints:
    """The last few checkpoints in a run's folder.

    Args:
        run: the folder.
        keep: how many are kept.
    """

    def __init__(self, run: Path, keep: int) -> None:
        self._folder = run / _FOLDER
        self._keep = keep

    def write(self, decisions: int, saved: dict[str, Any]) -> None:
        """Write one, whole or not at all, and remove the oldest.

        Args:
            decisions: that the run has learned from.
            saved: ``Trainer.saved()``.
        """
        content = io.BytesIO()
        torch.save(saved, content)
        write_whole(self._folder / f"{decisions:012}{_ENDING}", content.getvalue())
        for path in self._newest_first()[self._keep :]:
            path.unlink()

    def read(self) -> Iterator[tuple[Path, dict[str, Any] | Exception]]:
        """Each with what it holds, or with what is wrong with it, the newest first. No code in them is executed."""
        for path in self._newest_first():
            try:
                saved = torch.load(io.BytesIO(path.read_bytes()), map_location="cpu", weights_only=True)
                yield path, saved if isinstance(saved, dict) else ValueError("it is no checkpoint")
            except Exception as error:  # whatever torch raises for a damaged file
                yield path, error

    def _newest_first(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{_ENDING}"), reverse=True)
