"""The server's routes: pages, what they ask, and what they tell."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from ursuppe_agents.settings import Settings
from ursuppe_env.extras import extra
from ursuppe_env.parsing import parse_json
from ursuppe_env.records.film import frames
from ursuppe_env.records.page import VIEWER, replay_page
from ursuppe_env.render.svg.theme import style_sheet
from ursuppe_play.names import named_reel
from ursuppe_play.web.analyses import Analyses
from ursuppe_play.web.forms import GameForm, Refusal, SeatForm
from ursuppe_play.web.offers import fields_of_rulesets, offered_agents, offered_parameters
from ursuppe_play.web.security import NUMBER, Doors, Guard, number_in
from ursuppe_play.web.tables.hall import MOST_UPLOAD, Hall
from ursuppe_play.web.tables.storage import GameStore
from ursuppe_play.web.tables.table import Table
from ursuppe_play.web.views import frame_view, game_view, hint_view, position_view, story_view, summary

with extra("web"):
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.convertors import IntegerConvertor, register_url_convertor
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
    from starlette.routing import Route

    from ursuppe_play.analysis.report import PAGE as ANALYSIS_PAGE

if TYPE_CHECKING:
    from ursuppe_play.web.arena import ArenaRun

PAGE = Path(__file__).with_name("page")
SHARED = {  # what pages have in common that replay games, and show what was found about them
    **{name: VIEWER / name for name in ("dom.js", "film.js", "player.js", "viewer.css")},
    **{
        name: ANALYSIS_PAGE / name
        for name in ("figures.js", "chances.js", "decision.js", "mistakes.js", "analysis.css")
    },
}
_OWN: Mapping[str, Traversable] = {file.name: file for file in PAGE.iterdir()}
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_SLOWEST = 10.0  # seconds between two decisions of agents, for those who look on

_FRESH = {"Cache-Control": "no-cache"}  # asked again each time, so that page and server are of one version
_ENDED = object()  # in place of a message
_replaying = Lock()  # a replay takes seconds: one at a time

_ROUTES: list[Route] = []  # in the order in which they are tried

Form = TypeVar("Form", bound=Settings)


class _NumberConvertor(IntegerConvertor):
    regex = NUMBER  # a longer one is no page here


register_url_convertor("number", _NumberConvertor())


def make_app(
    store: GameStore, host: str = "127.0.0.1", token: str | None = None, arenas: "Sequence[ArenaRun]" = ()
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
        exception_handlers=dict.fromkeys((Refusal, HTTPException, OSError, ClientDisconnect), _refused),
        lifespan=lifespan,
    )
    app.state.hall, app.state.analyses = hall, analyses
    app.state.doors, app.state.arenas = Doors(hall, token), tuple(arenas)
    return app


def end_streams(app: Any) -> None:
    """End what pages listen to, which otherwise ends with them; ``app`` is from ``make_app``."""
    app.state.hall.end_listening()
    app.state.analyses.close()


# ---------------------------------------------------------------------- pages


def _one_of(files: Mapping[str, Traversable], name: str | None = None) -> Callable[[Request], Awaitable[Response]]:
    """A handler that answers with a file, of this name or of the one that the address says."""

    async def answer(request: Request) -> Response:
        file = files.get(name or request.path_params["name"])
        if file is None:
            raise Refusal(404, "there is no such page here")
        return Response(file.read_bytes(), media_type=_TYPES[Path(file.name).suffix], headers=_FRESH)

    return answer


async def _theme(request: Request) -> Response:
    return Response(style_sheet(), media_type="text/css", headers=_FRESH)


async def _enter(request: Request) -> Response:
    response = RedirectResponse("/", 303)
    request.app.state.doors.let_owner_in(request, response)
    return response


async def _join(request: Request) -> Response:
    game, seat = request.path_params["game"], request.query_params.get("seat", "")
    response = RedirectResponse(f"/games/{game}?as={number_in(seat)}", 303)
    await run_in_threadpool(request.app.state.doors.let_person_in, request, response)
    return response


_ROUTES += [
    Route("/", _one_of(_OWN, "index.html")),
    Route("/editor", _one_of(_OWN, "editor.html")),
    Route("/games/{game}", _one_of(_OWN, "game.html")),
    Route("/games/{game}/replay", _one_of(_OWN, "replay.html")),
    Route("/games/{game}/join", _join),
    Route("/arena/{number:number}", _one_of(_OWN, "arena.html")),
    Route("/enter", _enter),
    Route("/page/theme.css", _theme),
    Route("/page/{name}", _one_of(_OWN)),
    Route("/viewer/{name}", _one_of(SHARED)),
]


# ---------------------------------------------------------------------- how questions are answered


class _Call:
    """A request, and the JSON that it carries."""

    def __init__(self, request: Request, body: Any = None) -> None:
        self.request = request
        self.body = body
        self.hall: Hall = request.app.state.hall

    def part(self, name: str) -> Any:
        """A part of the address."""
        return self.request.path_params[name]

    def form(self, kind: type[Form]) -> Form:
        """The JSON as a form.

        Raises:
            ValueError: it is none; the message names the field.
        """
        if not isinstance(self.body, dict):
            raise ValueError(f"the request carries {self.body!r:.100}; it must be a JSON object")
        return kind(**self.body)


class _Visit(_Call):
    """One that is about a game, and what it may do there."""

    def __init__(self, request: Request, body: Any = None) -> None:
        super().__init__(request, body)
        self.table: Table
        self.table, self.seats, self.is_owner = request.app.state.doors.enter(request)

    def done(self) -> dict[str, int]:
        """The answer to a change: which look at the game is new enough to show it."""
        return {"version": self.table.version}


Answer = Callable[[Any], Any]  # of a call or a visit: a response, or what is answered as JSON


def _of_owner(path: str, method: str = "GET") -> Callable[[Answer], Answer]:
    """The route of what only the owner may ask; it is answered on a thread of its own."""

    def register(handle: Answer) -> Answer:
        async def answer(request: Request) -> Response:
            request.app.state.doors.check_owner(request)
            body = await _json_in(request)
            return await run_in_threadpool(_answered, lambda: handle(_Call(request, body)))

        _ROUTES.append(Route(path, answer, methods=[method]))
        return handle

    return register


def _of_game(path: str, method: str = "GET") -> Callable[[Answer], Answer]:
    """The route of what those may ask who look at a game, likewise; the path goes on from that of the game."""

    def register(handle: Answer) -> Answer:
        async def answer(request: Request) -> Response:
            body = await _json_in(request)
            return await run_in_threadpool(_answered, lambda: handle(_Visit(request, body)))

        _ROUTES.append(Route(f"/api/games/{{game}}{path}", answer, methods=[method]))
        return handle

    return register


def _answered(handle: Callable[[], Any]) -> Response:
    try:
        found = handle()
    except (ValueError, ValidationError) as error:
        raise Refusal(400, " ".join(str(error).split())) from None
    return found if isinstance(found, Response) else JSONResponse(found)


async def _json_in(request: Request) -> Any:
    """The JSON that a request carries; None without."""
    if request.method in ("GET", "HEAD", "DELETE"):
        return None
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refusal(400, "the request must carry JSON, with the content type application/json")
    try:
        return parse_json(await _content_of(request))
    except ValueError as error:
        raise Refusal(400, str(error)) from None


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
            return JSONResponse({"error": str(error)}, error.status)
        case HTTPException():
            sentence = f"{request.url.path} is not here: {error.detail.lower()}"
            return JSONResponse({"error": sentence}, error.status_code)
        case OSError():
            sentence = f"it cannot be written, and has not happened: {error.strerror}"
            return JSONResponse({"error": sentence}, 507)
        case _:
            return Response(status_code=400)  # the client has gone, and nobody reads it


# ---------------------------------------------------------------------- what the owner asks


@_of_owner("/api/offers")
def _offers(call: _Call) -> Any:
    return {"agents": offered_agents(), "ruleset": fields_of_rulesets(), "defaults": GameForm().model_dump()}


@_of_owner("/api/agents/{agent}")
def _parameters(call: _Call) -> Any:
    return offered_parameters(call.part("agent"))


@_of_owner("/api/games")
def _games(call: _Call) -> Any:
    found = call.hall.tables()
    return [summary(one) if isinstance(one, Table) else {"id": one[0], "damaged": one[1]} for one in found]


@_of_owner("/api/games", "POST")
def _begin(call: _Call) -> Any:
    return {"id": call.hall.begin(call.form(GameForm)).identity}


@_of_owner("/api/games/{game}", "DELETE")
def _remove(call: _Call) -> Any:
    call.hall.remove(call.part("game"))
    return {}


@_of_owner("/api/arena")
def _arenas(call: _Call) -> Any:
    return [run.path.name for run in call.request.app.state.arenas]


@_of_owner("/api/arena/{number:number}")
def _arena(call: _Call) -> Any:
    arenas = call.request.app.state.arenas
    if call.part("number") >= len(arenas):
        raise Refusal(404, "there is no such arena run here; name its folder with --arena")
    return arenas[call.part("number")].standings()


@_of_owner("/api/positions", "POST")
def _position(call: _Call) -> Any:
    return position_view(call.body)


async def _look_at(request: Request) -> Response:
    """A file of records, as it is."""
    request.app.state.doors.check_owner(request)
    content = await _content_of(request)
    number = number_in(request.query_params.get("game", "1"))
    hall: Hall = request.app.state.hall
    return await run_in_threadpool(_answered, lambda: {"id": hall.look_at(content, number).identity})


# ---------------------------------------------------------------------- what those ask who look at a game


class _Decision(Settings):
    action: str
    version: int


class _Look(Settings):
    version: int


class _Pace(Settings):
    seconds: float | None


@_of_game("")
def _game(visit: _Visit) -> Any:
    return game_view(visit.table, visit.seats, visit.is_owner)


@_of_game("/choose", "POST")
def _choose(visit: _Visit) -> Any:
    decision = visit.form(_Decision)
    visit.table.choose(visit.seats, decision.action, decision.version)
    return visit.done()


@_of_game("/undo", "POST")
def _undo(visit: _Visit) -> Any:
    visit.table.undo(visit.seats, visit.form(_Look).version)
    return visit.done()


@_of_game("/redo", "POST")
def _redo(visit: _Visit) -> Any:
    visit.table.redo(visit.seats, visit.form(_Look).version)
    return visit.done()


@_of_game("/seats/{player:number}", "POST")
def _take_seat(visit: _Visit) -> Any:
    player = visit.part("player")
    if player >= len(visit.table.seats):
        raise Refusal(404, f"there is no player {player}")
    form = visit.form(SeatForm)
    if form.who == "recorded":
        raise ValueError("who is 'recorded'; it must be 'person' or 'agent'")
    is_free = player in visit.seats or (visit.seats and player in visit.table.troubles)  # to let an agent play on
    if not visit.is_owner and not (is_free and form.who == "agent"):
        raise Refusal(
            403, "only whoever has started the server, or who sits there, can give this seat to somebody else"
        )
    visit.table.take_seat(player, form, keeps_link=player in visit.seats and not visit.is_owner)
    return visit.done()


@_of_game("/pace", "POST")
def _set_pace(visit: _Visit) -> Any:
    if not visit.is_owner:
        raise Refusal(403, "the pace of the agents is for whoever has started the server")
    seconds = visit.form(_Pace).seconds
    if seconds is not None and not 0 <= seconds <= _SLOWEST:
        raise ValueError(f"seconds is {seconds}; it must be a number from 0 to {_SLOWEST:g}, or null")
    visit.table.set_pace(seconds)
    return visit.done()


@_of_game("/hint")
def _hint(visit: _Visit) -> Any:
    return hint_view(visit.table, visit.seats)


@_of_game("/frames/{frame:number}")
def _frame(visit: _Visit) -> Any:
    frame = frame_view(visit.table, visit.part("frame"))
    if frame is None:
        raise Refusal(404, "the game has not come so far, or has gone back")
    return frame


@_of_game("/story")
def _story(visit: _Visit) -> Any:
    return story_view(visit.table)


@_of_game("/record")
def _record(visit: _Visit) -> Any:
    with visit.table.looked_at() as session:
        record = session.record()
    if not visit.is_owner and not record.is_finished:  # whoever has the seed can know the dice to come
        position = record.position and {key: value for key, value in record.position.items() if key != "streams"}
        record = replace(record, seed=None, position=position)
    text = json.dumps(record.to_dict(), separators=(",", ":")) + "\n"
    return _saved(text, "application/jsonl", f"ursuppe-{visit.table.identity}.jsonl")


@_of_game("/reel")
def _reel(visit: _Visit) -> Any:
    return _reel_of(visit.table)


@_of_game("/replay.html")
def _replay_page(visit: _Visit) -> Any:
    page = replay_page(_reel_of(visit.table), "A game of Ursuppe")
    return _saved(page, "application/octet-stream", f"ursuppe-{visit.table.identity}.html")


def _saved(text: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
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


@_of_game("/position")
def _position_of_game(visit: _Visit) -> Any:
    if not visit.is_owner:
        raise Refusal(403, "a position tells the dice to come; it is for whoever has started the server")
    with visit.table.looked_at() as session:
        return session.games.to_dict(0)


async def _analysis(request: Request) -> Response:
    table = (await run_in_threadpool(_Visit, request)).table
    messages = request.app.state.analyses.listen(table, request.path_params.get("frame"))

    async def all_events() -> AsyncIterator[str]:
        try:
            while (message := await run_in_threadpool(next, messages, _ENDED)) is not _ENDED:
                yield ": still here\n\n" if message is None else f"data: {json.dumps(message)}\n\n"
        finally:
            messages.close()  # the page has gone, or all is told

    return _event_stream(all_events())


async def _events(request: Request) -> Response:
    table = (await run_in_threadpool(_Visit, request)).table
    events = table.listeners.events(lambda: json.dumps({"version": table.version}))
    first = await anext(events)  # where there are too many listeners, the answer is that

    async def all_events() -> AsyncIterator[str]:
        try:
            yield first
            async for event in events:
                yield event
        finally:
            await events.aclose()

    return _event_stream(all_events())


def _event_stream(events: AsyncIterator[str]) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


_ROUTES += [
    Route("/api/records", _look_at, methods=["POST"]),
    Route("/api/games/{game}/events", _events),
    Route("/api/games/{game}/analysis", _analysis),
    Route("/api/games/{game}/frames/{frame:number}/analysis", _analysis),
]
