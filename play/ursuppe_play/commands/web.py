"""``ursuppe web``: play, watch and edit in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from ursuppe_env.extras import require_extra

_MOST_PORT = 65535


def web(
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. By default only this machine can connect. With 0.0.0.0, anyone who has the "
            "printed link can play."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=_MOST_PORT)] = 8000,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the games are kept.", show_default="a folder of your account"),
    ] = None,
    arena: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR",
            help="Show the results of an arena run in this folder (its --out) as they come. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Play, watch and edit games in the browser, until Ctrl-C.

    Example: ursuppe web --port 0
    """
    require_extra("web")
    import platformdirs

    from ursuppe_play.web.serving import serve

    serve(folder or platformdirs.user_data_path("ursuppe-env") / "web", host, port, arena or [], not no_browser)
