"""Where torch computes: the available devices, and what results depend on there."""

from typing import Any

import torch

AUTO = "auto"


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


def describe_device(device: torch.device) -> dict[str, Any]:
    """What the results of a run depend on beside its settings: device, threads and precision."""
    return {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else str(device),
        "threads": torch.get_num_threads(),
        "precision": {
            "numbers": str(torch.get_default_dtype()).removeprefix("torch."),
            "products": torch.get_float32_matmul_precision(),
        },
    }
