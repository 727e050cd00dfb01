"""Checkpoints of a run: files from which it goes on as if it had never stopped."""

import io
import pickle
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ursuppe_env.extras import extra
from ursuppe_env.files import sealed, unsealed, write_atomically

with extra("train"):
    import torch

_FOLDER = "checkpoints"
_ENDING = ".pt"


@dataclass(frozen=True)
class Checkpoints:
    """The last few checkpoints in a run's folder, each sealed (``ursuppe_env.files``)."""

    run: Path  # the folder
    keep: int  # how many are kept

    def write(self, decisions: int, saved: dict[str, Any]) -> None:
        """Write tensors and plain values after so many decisions, whole or not at all, and remove the oldest."""
        content = io.BytesIO()
        torch.save(saved, content)
        write_atomically(self.run / _FOLDER / f"{decisions:012}{_ENDING}", sealed(content.getvalue()))
        for path in self._newest_first()[self.keep :]:
            path.unlink()

    def read(self) -> Iterator[tuple[Path, dict[str, Any] | Exception]]:
        """Each with its content, or with the error of reading it, the newest first. No code in them is executed."""
        for path in self._newest_first():
            try:
                yield path, _content(path.read_bytes())
            except (OSError, ValueError) as error:
                yield path, error

    def _newest_first(self) -> list[Path]:
        return sorted((self.run / _FOLDER).glob(f"*{_ENDING}"), reverse=True)


def _content(data: bytes) -> dict[str, Any]:
    content = unsealed(data)
    try:
        with warnings.catch_warnings(action="ignore"):  # about pickles that torch does not write
            saved = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:  # torch's message explains how to execute it anyway
        raise ValueError("it holds more than numbers and settings, which this package never writes") from None
    except Exception as error:  # whatever torch raises for a file that was sealed by other means
        raise ValueError(f"{type(error).__name__}: {error}".partition("\n")[0]) from error
    if not isinstance(saved, dict):
        raise ValueError("it is no checkpoint")
    return saved
