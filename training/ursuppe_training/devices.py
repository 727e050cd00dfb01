"""Where torch computes gradients: the available devices."""

import math
import os

from ursuppe_env.extras import extra

with extra("train"):
    import torch

AUTO = "auto"


def device_named(name: str) -> torch.device:
    """The device of this name; ``auto`` is a GPU if there is one, ``cuda`` that of this process of several (torchrun).

    Raises:
        ValueError: there is none.
    """
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    available = ["cpu", *(f"cuda:{number}" for number in range(gpus))]
    if name == AUTO:
        name = "cuda" if gpus else "cpu"
    if name == "cuda" and gpus:
        name = f"cuda:{int(os.environ.get('LOCAL_RANK', 0)) % gpus}"
    if name not in available:
        raise ValueError(f"device is {name!r}, which is not here; there are {', '.join([AUTO, *available])}")
    return torch.device(name)


def memory() -> float:
    """The bytes of memory that the machine has; infinity where nobody says."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else math.inf
