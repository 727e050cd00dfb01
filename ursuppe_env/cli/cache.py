"""``ursuppe cache``: the compiled engine on disk."""

import time
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Annotated

import numpy as np
import typer

from ursuppe_env.games import Games
from ursuppe_env.observation.formats import DTYPES
from ursuppe_env.rules.compilation import CACHE_ROOT, cache_size, clear_cache
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS

_WARM = "ursuppe.warm"  # entry points: functions that compile, and yield what is ready


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete the compiled engine.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Compile the engine and all agents now.")] = False,
) -> None:
    """Show where the compiled engine is kept, delete it, or compile it now instead of at its first use.

    Example: ursuppe cache --warm
    """
    size = cache_size()
    if clear:
        clear_cache()
        typer.echo(f"{CACHE_ROOT}: {size / 1e6:.1f} MB deleted")
    if warm:
        began = time.perf_counter()
        for ready in _warmed_up():
            typer.echo(f"{ready}: ready after {time.perf_counter() - began:.1f} s")
    if warm or not clear:
        typer.echo(f"{CACHE_ROOT}: {cache_size() / 1e6:.1f} MB")


def _warmed_up() -> Iterator[str]:
    compile_engine()
    yield "the game"
    for entry in entry_points(group=_WARM):
        yield from entry.load()()


def compile_engine() -> None:
    """Compile what games need, with any number of players."""
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):  # observations are compiled for each number
        games = Games(1, {"players": players})
        for dtype in DTYPES:
            games.observe(rules=True, dtype=dtype)
    games.step([np.flatnonzero(games.legal()[0])[0]])
    games.step_random()
    games.step_random(rows=[0])
    games.play_random()
    games.copy(reseed=0)
