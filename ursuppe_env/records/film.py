"""A recorded game as a row of pictures, one a decision: SVG files or an animated GIF."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from ursuppe_env.files import atomic_folder, write_atomically
from ursuppe_env.games import Games
from ursuppe_env.records.format import Record
from ursuppe_env.records.replay import replay
from ursuppe_env.render.narration import told
from ursuppe_env.render.png import to_image
from ursuppe_env.rules.nodes import PAUSED

#: For ``check_file``.
GIF = ".gif", "an animated picture"

_COLOURS = 255  # the most that a GIF can have besides "as before"


class Frame(NamedTuple):
    """The game as it stands before a decision, or at the end of its record."""

    games: Games  # a batch of one
    last_action: str | None  # what has happened since the frame before, chance events too
    told: tuple[str, ...]  # the same as a person reads it, with all that has come of it, in lines
    event: int  # the number in the record of the decision that comes next, or of all events at the end


def frames(record: Record) -> Iterator[Frame]:
    """Replay a record: a frame for each of its decisions, and one for the position that it ends with.

    Raises:
        RecordError: the record is not of a possible game; the frames before come first.
    """
    happened: list[str] = []
    lines: list[str] = []
    before: tuple[list[Any] | None, np.void] | None = None  # the event that came last, and the state before it
    for step in replay(record):
        game = step.games.state[0].copy()
        if before is not None:  # now that the event was possible
            lines += told(*before, record.ruleset)
        is_decision = step.event is not None and len(step.event) == 3
        is_last = step.event is None and step.games.player[0] != PAUSED
        if is_decision or is_last:
            yield Frame(step.games.copy(), " · ".join(happened) or None, tuple(lines), step.number)
            happened, lines = [], []
        if step.event is not None:
            happened.append(_in_words(step.event))
        before = step.event, game


def _in_words(event: list[Any]) -> str:
    """``player_2: attack 1.3`` or ``card north 9``."""
    if len(event) == 3:
        return f"player_{event[1]}: {event[2]}"
    values = event[1] if isinstance(event[1], list) else [event[1]]
    return " ".join(map(str, [event[0], *values]))


def write_svgs(folder: Path, film: Iterable[Frame]) -> None:
    """Write the frames as ``0001.svg`` ... into a new folder; all of them or none.

    Raises:
        ValueError: there is something of that name, or the folder above does not exist.
    """
    check_svg_folder(folder)
    with atomic_folder(folder) as write:
        for number, frame in enumerate(film, 1):
            write(f"{number:04}.svg", frame.games.svg(0, frame.last_action).encode())


def write_gif(path: Path, film: Iterable[Frame], frames_per_second: float) -> None:
    """Write the frames as an animated GIF that repeats itself, whole or not at all.

    Raises:
        ValueError: the name does not end in .gif, it is a folder's, or its folder does not exist.
    """
    check_file(path, *GIF)
    duration = round(1000 / frames_per_second)  # milliseconds
    images = _with_one_palette(to_image(frame.games.svg(0, frame.last_action)) for frame in film)
    content = BytesIO()
    next(images).save(content, "GIF", save_all=True, append_images=images, duration=duration, loop=0)
    write_atomically(path, content.getvalue())


def _with_one_palette(images: Iterator[Image.Image]) -> Iterator[Image.Image]:
    """The images in the colours of the first one: every picture of a game has them all."""
    first = next(images)
    palette = first.quantize(_COLOURS, dither=Image.Dither.NONE)
    for image in chain([first], images):
        yield image.quantize(palette=palette, dither=Image.Dither.NONE)


def check_svg_folder(folder: Path) -> None:
    """Raise ``ValueError`` for a folder that exists or has none to be in, before anything is done for it."""
    if folder.exists():
        raise ValueError(f"{folder}: this exists already; give a new folder")
    _check_place(folder)


def check_file(path: Path, suffix: str, what: str) -> None:
    """Raise ``ValueError`` for a name that does not end so, is a folder's or has no folder to be in."""
    if path.suffix != suffix:
        raise ValueError(f"{path}: the name of {what} must end in {suffix}")
    if path.is_dir():
        raise ValueError(f"{path}: this is a folder; give the name of a file")
    _check_place(path)


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
