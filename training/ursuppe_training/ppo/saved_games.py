"""Games as a tensor, so that a checkpoint can hold them without pickling."""

from collections.abc import Sequence

import numpy as np

from ursuppe_env import Games, Ruleset
from ursuppe_env.extras import extra
from ursuppe_env.rules.state import STATE

with extra("train"):
    import torch


def as_tensor(games: Games) -> torch.Tensor:
    """(N, size of a state) uint8: the games as they stand, with their random streams."""
    return torch.from_numpy(games.state.copy().view(np.uint8).reshape(len(games), STATE.itemsize))


def as_games(states: torch.Tensor, ruleset: Ruleset | Sequence[Ruleset], threads: int | None = None) -> Games:
    """The games in such a tensor.

    Args:
        states: of ``as_tensor``.
        ruleset: of the games, or the list of those of the batch.
        threads: as for ``Games``.

    Raises:
        ValueError: it is of another version of the package, or impossible with this ruleset.
    """
    if states.dtype != torch.uint8 or states.ndim != 2 or states.shape[1] != STATE.itemsize:
        raise ValueError(f"states is a tensor of shape {tuple(states.shape)}; it must be (N, {STATE.itemsize}) bytes")
    return Games.from_state(np.ascontiguousarray(states.numpy()).view(STATE)[:, 0], ruleset, threads)
