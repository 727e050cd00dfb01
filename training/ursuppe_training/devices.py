"""Where torch computes: the available devices, and what results depend on there."""

import math
import os
from collections.abc import Mapping
from typing import Any

from ursuppe_env.cuda.arrays import Device
from ursuppe_env.extras import MissingExtraError, extra

with extra("train"):
    import torch

AUTO = "auto"

_BFLOAT16_PRODUCTS = ("avx512_bf16", "amx_bf16", "bf16")  # as torch names what processors can; the last one of ARM


def available_devices() -> list[str]:
    """The names of the devices that training can use here."""
    num_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return ["cpu", *(f"cuda:{number}" for number in range(num_gpus))]


def device_named(name: str) -> torch.device:
    """The device of this name; ``auto`` is a GPU if there is one.

    Raises:
        ValueError: there is none.
    """
    available = available_devices()
    if name == AUTO:
        name = "cuda" if len(available) > 1 else "cpu"
    if name not in available and not (name == "cuda" and len(available) > 1):
        raise ValueError(f"device is {name!r}, which is not here; there are {', '.join([AUTO, *available])}")
    return torch.device(name)


def precision_named(name: str, device: torch.device) -> torch.dtype:
    """The type of numbers in which products are computed; ``auto`` is bfloat16 where the device has products of it."""
    if name == AUTO:
        return torch.bfloat16 if _multiplies_bfloat16(device) else torch.float32
    return getattr(torch, name)


def _multiplies_bfloat16(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)  # from Ampere on
    capabilities: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # old versions of torch do not say
    return torch.backends.mkldnn.is_available() and any(capabilities.get(name) for name in _BFLOAT16_PRODUCTS)


def gpu_for_games(device: torch.device, processes: int) -> Device | None:
    """The GPU of torch's device, if the games can be played there, too; None: they are played on the processor.

    They are where the extra ``cuda`` is installed, by a process that trains alone.

    Raises:
        ValueError: numba-cuda cannot use it.
    """
    if device.type != "cuda" or processes > 1:
        return None
    try:
        from ursuppe_env.cuda.device import gpu_numbered  # needs the extra
    except MissingExtraError:
        return None
    return gpu_numbered(torch.cuda.current_device() if device.index is None else device.index)


def memory_of(device: torch.device) -> float:
    """The bytes of memory that it has; infinity where nobody says."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[1]
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else math.inf


def describe_device(
    device: torch.device, threads: int, processes: int, precision: torch.dtype, games_on_gpu: bool
) -> dict[str, Any]:
    """Where a run is computed, and how: device, where the games are, threads of each process, processes, precision."""
    return {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else str(device),
        "games": "on the GPU" if games_on_gpu else "on the processor",
        "threads": threads,
        "processes": processes,
        "precision": str(precision).removeprefix("torch."),
    }
