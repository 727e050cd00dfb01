"""The server as a process: its socket, its links, a browser, and its end."""

import asyncio
import logging
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import typer

from ursuppe_env import Games
from ursuppe_env.extras import extra
from ursuppe_play.web.app import make_app
from ursuppe_play.web.security import is_loopback
from ursuppe_play.web.tables.storage import GameStore

with extra("web"):
    import uvicorn

    from ursuppe_play.web.arena import ArenaRun

_ANYWHERE = ("0.0.0.0", "::", "")
_MOST_CONNECTIONS = 900  # of all pages; systems often allow a process 1024 open files
_KEPT_OPEN = 120  # seconds that a connection may be quiet: people think for a while
_PATIENCE = 2  # seconds that pages which are told of changes may take to go, at the end


def serve(folder: Path, host: str, port: int, arenas: Sequence[Path], open_browser: bool) -> None:
    """Serve the games of a folder, which is made if there is none, until Ctrl-C; port 0 is any that is free.

    Raises:
        ValueError: another server uses the folder, or one of ``arenas`` is no folder of an arena run.
        OSError: the folder cannot be written, or the address cannot be had.
    """
    runs = [ArenaRun(path) for path in arenas]
    games = GameStore(folder)
    Games(1)  # compiled now, where the terminal tells of it, not when somebody waits for a page
    listener = _listener(host, port)
    token = None if is_loopback(host) else games.token()
    entrance = "" if token is None else f"enter?token={token}"
    link = f"http://{_named(host)}:{listener.getsockname()[1]}/{entrance}"
    typer.echo(f"Ursuppe is at {link}")
    typer.echo(f"The games are in {folder}. Ctrl-C ends the server; they go on at its next start.")
    if open_browser:
        webbrowser.open(link)
    config = uvicorn.Config(
        make_app(games, host, token, runs),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
        timeout_keep_alive=_KEPT_OPEN,
        limit_concurrency=_MOST_CONNECTIONS,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_no_cancellation)
    _Server(config).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that ends what pages listen to before it waits for all requests to end; that is soon, so a second Ctrl-C
    changes nothing."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self.force_exit = False

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app: Any = self.config.app
        app.state.hall.end_listening()
        app.state.analyses.close()
        await super().shutdown(sockets)


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    """At the end requests that take too long are cancelled, which is no error to be told."""
    return record.exc_info is None or record.exc_info[0] is not asyncio.CancelledError


def _listener(host: str, port: int) -> socket.socket:
    """A socket that listens: what is wrong with the address is noticed before anything is served."""
    try:
        (family, *_), *_ = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError as error:
        raise OSError(error.errno, f"cannot listen there: {error.strerror}", f"{host}:{port}") from None
    return listener


def _named(host: str) -> str:
    """The address as a link has it; of all of this machine the one in the network that it reaches others by."""
    if host in _ANYWHERE:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # no packet is sent for that
                host = str(probe.getsockname()[0])
            except OSError:
                host = socket.gethostname()
    return f"[{host}]" if ":" in host else host
