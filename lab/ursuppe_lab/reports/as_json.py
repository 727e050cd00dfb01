"""Figures for JSON files, by the names of their fields."""

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any


def as_json(value: Any) -> Any:
    """A figure, or what is made of figures, in the types of JSON.

    Dataclasses and named tuples are objects of their fields (Pydantic makes lists of named tuples), unless they have an
    ``as_dict`` of their own. An infinite number, as an end of an interval, is null.
    """
    if hasattr(value, "as_dict"):
        return value.as_dict()
    if hasattr(value, "_asdict"):
        value = value._asdict()
    elif is_dataclass(value):
        value = vars(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and math.isinf(value) else value
