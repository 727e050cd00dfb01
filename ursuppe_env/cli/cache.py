"""``ursuppe cache``: the compiled engine on disk."""

from typing import Annotated

import typer

from ursuppe_env.rules.compilation import CACHE_ROOT, cache_size, clear_cache


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete the compiled engine.")] = False,
) -> None:
    """Say where the compiled engine is kept, or delete it (it is compiled anew when it is needed)."""
    size = cache_size()
    if clear:
        clear_cache()
    typer.echo(f"{CACHE_ROOT}: {size / 1e6:.1f} MB{' deleted' if clear else ''}")
