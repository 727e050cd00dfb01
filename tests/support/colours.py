"""Colours as people see them."""

import numpy as np
from matplotlib.colors import to_rgb


def linear(*colours: str) -> np.ndarray:
    """(n, 3) their red, green and blue, in proportion to the light, 0 ... 1."""
    channels = np.array([to_rgb(colour) for colour in colours])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The ratio of the Web Content Accessibility Guidelines, 1 ... 21; 4.5 is what texts should have."""
    darker, lighter = sorted(linear(one, other) @ [0.2126, 0.7152, 0.0722])
    return (lighter + 0.05) / (darker + 0.05)
