"""``ursuppe cache``: the compiled engine on disk."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import entry_points
from typing import Annotated

import numpy as np
import typer
from numba import config, from_dtype, types

from ursuppe_env.compilation.compiler import CACHE_ROOT, cache_size, clear_cache, compile_silently
from ursuppe_env.games import Games
from ursuppe_env.jobs import run_jobs
from ursuppe_env.observation.layout import DTYPES
from ursuppe_env.rules import flow
from ursuppe_env.rules.ruleset import MAX_PLAYERS, MIN_PLAYERS, RULES
from ursuppe_env.rules.state import STATE

_WARM = "ursuppe.warm"  # entry points: functions that give, by name, what compiles a piece


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
        for ready in compile_all():
            typer.echo(f"{ready}: ready after {time.perf_counter() - began:.1f} s")
    if warm or not clear:
        typer.echo(f"{CACHE_ROOT}: {cache_size() / 1e6:.1f} MB")


def compile_all() -> Iterator[str]:
    """Compile everything in processes side by side; yields the name of what is ready.

    The largest functions of the rules come first. Whoever needs a function that another process compiles waits for it.
    """
    if config.DISABLE_JIT:
        return
    pieces: dict[str, Callable[[], None]] = {
        "what happens by itself": partial(_compile_rule, "run_stage"),
        "legal actions": partial(_compile_rule, "find_legal_actions"),
        "what actions do": partial(_compile_rule, "apply", types.int64),
        "the game": _compile_games,
    }
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        pieces[f"what {players} players see"] = partial(_compile_observations, players)
    for entry in entry_points(group=_WARM):
        pieces |= entry.load()()
    with closing(run_jobs(_compile_piece, pieces.items())) as results:
        for (name, _), _ in results:
            yield name


def _compile_piece(piece: tuple[str, Callable[[], None]]) -> None:
    """Compile a piece, which has a name; whoever waits for it speaks to the user."""
    compile_silently()
    piece[1]()


def _compile_rule(name: str, *values: types.Type) -> None:
    """Compile a function of ``rules.flow``, which takes a game, its rules and values of these types."""
    getattr(flow, name).compile((from_dtype(STATE), from_dtype(RULES), *values))


def _compile_games() -> None:
    """Compile what games and their records need, without observations."""
    games = Games(1)
    games.step([np.flatnonzero(games.legal()[0])[0]])
    games.step_random()
    games.step_random(rows=[0])
    games.play_random()
    games.copy(reseed=0)


def _compile_observations(players: int) -> None:
    games = Games(1, {"players": players})
    for dtype in DTYPES:
        games.observe(rules=True, dtype=dtype)
