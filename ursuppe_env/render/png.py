"""Pictures as pixels: SVG drawn by resvg with the fonts of the package; no display and no system library."""

from io import BytesIO
from typing import Any

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image

from ursuppe_env.render.fonts import FONT_FILES

_FONTS: dict[str, Any] = {"skip_system_fonts": True, "font_files": list(FONT_FILES), "font_family": "DejaVu Sans"}


def to_png(svg: str, width: int | None = None) -> bytes:
    """The picture as the bytes of a PNG file, ``width`` px wide; None: as wide as it says itself."""
    return bytes(resvg_py.svg_to_bytes(svg_string=str(svg), width=width, **_FONTS))


def to_image(svg: str, width: int | None = None) -> Image.Image:
    """The picture as an RGB image."""
    return Image.open(BytesIO(to_png(svg, width))).convert("RGB")


def to_array(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """The picture as (H, W, 3) uint8."""
    return np.array(to_image(svg, width))
