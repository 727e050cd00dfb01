"""The server's routes: pages, what they ask, and what they tell."""

import json
import mimetypes
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, TypeVar

from pydantic import Field

from ursuppe_agents.settings import Settings
from ursuppe_env.extras import extra
from ursuppe_env.parsing import parse_json
from ursuppe_env.records.film import frames
from ursuppe_env.records.page import replay_page
from ursuppe_env.render.svg.theme import style_sheet
from ursuppe_play.names import named_reel
from ursuppe_play.web.analyses import Analyses
from ursuppe_play.web.forms import GameForm, Refusal, SeatForm, fields_of_rulesets, offered_agents, offered_parameters
from ursuppe_play.web.security import NUMBER, Doors, Guard, number_in
from ursuppe_play.web.tables.hall import MOST_UPLOAD, Hall
from ursuppe_play.web.tables.storage import GameStore
from ursuppe_play.web.tables.table import Table
from ursuppe_play.web.views import frame_view, game_view, hint_view, position_of, position_view, story_view, summary

with extra("web"):
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.convertors import IntegerConvertor, register_url_convertor
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    from ursuppe_play.web.arena import ArenaRun

PAGE = Path(__file__).with_name("page")
_SLOWEST = 10.0  # seconds between two decisions of agents, for those who look on

_ENDED = object()  # in place of a message
_replaying = Lock()  # a replay takes seconds: one at a time

Form = TypeVar("Form", bound=Settings)


class _NumberConvertor(IntegerConvertor):
    regex = NUMBER  # a longer one is no page here


register_url_convertor("number", _NumberConvertor())
mimetypes.add_type("text/javascript", ".js")  # which Windows may call plain text


def make_app(
    store: GameStore, host: str = "127.0.0.1", token: str | None = None, arenas: Sequence[ArenaRun] = ()
) -> Starlette:
    """The server as an ASGI application.

    Args:
        store: where the games are.
        host: the address on which it listens.
        token: that the owner's link carries; None: whoever reaches the server is its owner.
        arenas: runs to be watched.
    """
    hall, analyses = Hall(store), Analyses()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        analyses.close()
        await run_in_threadpool(hall.close)

    app = Starlette(
        routes=_ROUTES,
        middleware=[Middleware(Guard, host=host), Middleware(GZipMiddleware)],
        exception_handlers=dict.fromkeys((Refusal, ValueError, HTTPException, OSError, ClientDisconnect), _refused),
        lifespan=lifespan,
    )
    app.state.hall, app.state.analyses = hall, analyses
    app.state.doors, app.state.arenas = Doors(hall, token), tuple(arenas)
    return app


# ---------------------------------------------------------------------- how questions are answered


class _Call:
    """A request, and the JSON that it carries; the owner alone may make it."""

    body: Any = None

    def __init__(self, request: Request) -> None:
        self.state, self.parts = request.app.state, request.path_params
        self._enter(request)

    def _enter(self, request: Request) -> None:
        self.state.doors.check_owner(request)

    def form(self, kind: type[Form]) -> Form:
        """The JSON as a form; if it is none, a ``ValueError`` names the field."""
        if not isinstance(self.body, dict):
            raise ValueError(f"the request carries {self.body!r:.100}; it must be a JSON object")
        return kind(**self.body)

    def done(self) -> dict[str, int]:
        """What is answered where nothing is said."""
        return {}


class _Visit(_Call):
    """One that is about a game, by all who may look at it, and what it may do there."""

    def _enter(self, request: Request) -> None:
        self.table: Table
        self.table, self.seats, self.is_owner = self.state.doors.enter(request)

    def done(self) -> dict[str, int]:
        """Which look at the game is new enough to show the change."""
        return {"version": self.table.version}


def _route(kind: type[_Call], path: str, handle: Callable[[Any], Any], method: str = "GET") -> Route:
    """The route to a function that answers such calls, on a thread of its own: by a response, or what JSON can say."""

    def answered(call: _Call, content: bytes | None) -> Response:
        call.body = None if content is None else parse_json(content)
        found = handle(call)
        return found if isinstance(found, Response) else JSONResponse(call.done() if found is None else found)

    async def answer(request: Request) -> Response:
        call = await run_in_threadpool(kind, request)  # who has no right to it is refused before anything is read
        return await run_in_threadpool(answered, call, await _json_in(request) if method == "POST" else None)

    return Route(path, answer, methods=[method])


async def _json_in(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ValueError("the request must carry JSON, with the content type application/json")
    return await _content_of(request)


async def _content_of(request: Request) -> bytes:
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > MOST_UPLOAD:
            raise Refusal(413, f"that is more than {MOST_UPLOAD:,} bytes; nothing so large is read here")
    return bytes(content)


async def _refused(request: Request, error: Exception) -> Response:
    """What is answered in place of one of these exceptions."""
    match error:
        case Refusal():
            status, sentence = error.status, str(error)
        case ValueError():
            status, sentence = 400, " ".join(str(error).split())
        case HTTPException():
            status, sentence = error.status_code, f"{request.url.path} is not here: {error.detail.lower()}"
        case OSError():
            status, sentence = 507, f"it cannot be written, and has not happened: {error.strerror}"
        case _:
            status, sentence = 400, "the client has gone, and nobody reads it"
    return JSONResponse({"error": sentence}, status)


# ---------------------------------------------------------------------- what the owner asks


def _games(call: _Call) -> Any:
    found = call.state.hall.tables()
    return [summary(one) if isinstance(one, Table) else {"id": one[0], "damaged": one[1]} for one in found]


def _arena(call: _Call) -> Any:
    arenas, number = call.state.arenas, call.parts["number"]
    if number >= len(arenas):
        raise Refusal(404, "there is no such arena run here; name its folder with --arena")
    return arenas[number].standings()


async def _look_at(request: Request) -> Response:
    """A file of records, as it is."""
    request.app.state.doors.check_owner(request)
    content, number = await _content_of(request), number_in(request.query_params.get("game", "1"))
    table = await run_in_threadpool(request.app.state.hall.look_at, content, number)
    return JSONResponse({"id": table.identity})


# ---------------------------------------------------------------------- what those ask who look at a game


class _Decision(Settings):
    action: str
    version: int


class _Look(Settings):
    version: int


class _Pace(Settings):
    seconds: Annotated[float, Field(ge=0, le=_SLOWEST)] | None


def _choose(visit: _Visit) -> None:
    decision = visit.form(_Decision)
    visit.table.choose(visit.seats, decision.action, decision.version)


def _take_seat(visit: _Visit) -> None:
    player = visit.parts["player"]
    if player >= len(visit.table.seats):
        raise Refusal(404, f"there is no player {player}")
    form = visit.form(SeatForm)
    if form.who == "recorded":
        raise ValueError("who is 'recorded'; it must be 'person' or 'agent'")
    is_free = player in visit.seats or (visit.seats and player in visit.table.troubles)  # to let an agent play on
    if not visit.is_owner and not (is_free and form.who == "agent"):
        only = "only whoever has started the server, or who sits there, can give this seat to somebody else"
        raise Refusal(403, only)
    visit.table.take_seat(player, form, keeps_link=player in visit.seats and not visit.is_owner)


def _set_pace(visit: _Visit) -> None:
    if not visit.is_owner:
        raise Refusal(403, "the pace of the agents is for whoever has started the server")
    visit.table.set_pace(visit.form(_Pace).seconds)


def _record(visit: _Visit) -> Any:
    with visit.table.looked_at() as session:
        record = session.record()
    if not visit.is_owner and not record.is_finished:  # whoever has the seed can know the dice to come
        position = record.position and {key: value for key, value in record.position.items() if key != "streams"}
        record = replace(record, seed=None, position=position)
    text = json.dumps(record.to_dict(), separators=(",", ":")) + "\n"
    return _saved(visit, text, "application/jsonl", "jsonl")


def _replay_page(visit: _Visit) -> Response:
    return _saved(visit, replay_page(_reel_of(visit.table), "A game of Ursuppe"), "application/octet-stream", "html")


def _saved(visit: _Visit, text: str, media_type: str, ending: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="ursuppe-{visit.table.identity}.{ending}"'}
    return Response(text, media_type=media_type, headers=headers)


def _reel_of(table: Table) -> dict[str, Any]:
    """The game as far as it has come, for those who look back, with what people call the players."""
    with table.looked_at() as session:
        moment = table.version, len(session.happenings)
    with _replaying:
        return _reel_at(table, moment)


@lru_cache(maxsize=4)  # each takes seconds to draw, and some megabytes
def _reel_at(table: Table, moment: tuple[int, int]) -> dict[str, Any]:
    with table.looked_at() as session:
        record, names = session.record(), table.names
    return named_reel(frames(record), record, names)


def _position_of_game(visit: _Visit) -> Any:
    if not visit.is_owner:
        raise Refusal(403, "a position tells the dice to come; it is for whoever has started the server")
    with visit.table.looked_at() as session:
        return position_of(session.games)


def _analysis(visit: _Visit) -> Response:
    messages = visit.state.analyses.listen(visit.table, visit.parts.get("frame"))

    async def all_events() -> AsyncIterator[str]:
        try:
            while (message := await run_in_threadpool(next, messages, _ENDED)) is not _ENDED:
                yield ": still here\n\n" if message is None else f"data: {json.dumps(message)}\n\n"
        finally:
            messages.close()  # the page has gone, or all is told

    return _event_stream(all_events())


def _events(visit: _Visit) -> Response:
    return _event_stream(visit.table.listeners.events(lambda: json.dumps({"version": visit.table.version})))


def _event_stream(events: AsyncIterator[str]) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def _page(path: str, name: str) -> Route:
    return Route(path, lambda request: FileResponse(PAGE / name))


_GAME = "/api/games/{game}"
_ROUTES = [  # in the order in which they are tried
    _page("/", "index.html"),
    _page("/editor", "editor.html"),
    _page("/games/{game}", "game.html"),
    _page("/games/{game}/replay", "replay.html"),
    Route("/games/{game}/join", lambda request: request.app.state.doors.let_person_in(request)),
    _page("/arena/{number:number}", "arena.html"),
    Route("/enter", lambda request: request.app.state.doors.let_owner_in(request)),
    Route("/page/theme.css", lambda request: Response(style_sheet(), media_type="text/css")),
    Mount("/page", StaticFiles(directory=PAGE)),
    # What pages have in common that replay games, and show what was found about them.
    Mount("/viewer", StaticFiles(packages=[("ursuppe_env.records", "viewer"), ("ursuppe_play.analysis", "page")])),
    _route(_Call, "/api/offers", lambda call: {"agents": offered_agents(), "ruleset": fields_of_rulesets()}),
    _route(_Call, "/api/agents/{agent}", lambda call: offered_parameters(call.parts["agent"])),
    _route(_Call, "/api/games", _games),
    _route(_Call, "/api/games", lambda call: {"id": call.state.hall.begin(call.form(GameForm)).identity}, "POST"),
    _route(_Call, _GAME, lambda call: call.state.hall.remove(call.parts["game"]), "DELETE"),
    _route(_Call, "/api/arena", lambda call: [run.path.name for run in call.state.arenas]),
    _route(_Call, "/api/arena/{number:number}", _arena),
    _route(_Call, "/api/positions", lambda call: position_view(call.body), "POST"),
    Route("/api/records", _look_at, methods=["POST"]),
    _route(_Visit, _GAME, lambda visit: game_view(visit.table, visit.seats, visit.is_owner)),
    _route(_Visit, f"{_GAME}/choose", _choose, "POST"),
    _route(_Visit, f"{_GAME}/undo", lambda visit: visit.table.undo(visit.seats, visit.form(_Look).version), "POST"),
    _route(_Visit, f"{_GAME}/redo", lambda visit: visit.table.redo(visit.seats, visit.form(_Look).version), "POST"),
    _route(_Visit, f"{_GAME}/seats/{{player:number}}", _take_seat, "POST"),
    _route(_Visit, f"{_GAME}/pace", _set_pace, "POST"),
    _route(_Visit, f"{_GAME}/hint", lambda visit: hint_view(visit.table, visit.seats)),
    _route(_Visit, f"{_GAME}/frames/{{frame:number}}", lambda visit: frame_view(visit.table, visit.parts["frame"])),
    _route(_Visit, f"{_GAME}/story", lambda visit: story_view(visit.table)),
    _route(_Visit, f"{_GAME}/record", _record),
    _route(_Visit, f"{_GAME}/reel", lambda visit: _reel_of(visit.table)),
    _route(_Visit, f"{_GAME}/replay.html", _replay_page),
    _route(_Visit, f"{_GAME}/position", _position_of_game),
    _route(_Visit, f"{_GAME}/events", _events),
    _route(_Visit, f"{_GAME}/analysis", _analysis),
    _route(_Visit, f"{_GAME}/frames/{{frame:number}}/analysis", _analysis),
]
