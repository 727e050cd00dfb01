"""Who may ask what: addresses, origins, headers against injected code, and tokens in links.

On the loopback address whoever reaches the server is its owner. On another address the owner's link carries a token,
which a cookie keeps. A person with a link of the own has the token of one seat, and so the right to decide there and to
look on, no more; who lets an agent finish keeps the link, to look on. Whenever somebody else gives the seat away, the
link ends with it, and a new person gets a new one. Pages themselves hold nothing and need no token.
"""

import ipaddress
import re
import secrets
import socket

from ursuppe_env.extras import extra
from ursuppe_play.web.forms import Refusal
from ursuppe_play.web.tables.hall import Hall
from ursuppe_play.web.tables.table import Table

with extra("web"):
    from starlette.datastructures import Headers, MutableHeaders
    from starlette.requests import Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

NUMBER = "[0-9]{1,9}"  # in an address
_LOCAL = ("localhost", "127.0.0.1", "::1")
_SAFE_METHODS = ("GET", "HEAD")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",  # with "no-referrer" browsers would not say their origin
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def is_loopback(host: str) -> bool:
    """Does a server that listens on this address hear this machine alone?"""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets only requests through that are meant for this server and do not come from another site; adds the headers.

    A page of another site can have its own name lead to this machine (DNS rebinding), and then read what is here: so
    the name that was asked for must be one of this server, which listens on the address ``host``. And it can send
    requests here: so what changes something must come from a page of this server.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._is_local = is_loopback(host)
        self._names = {*_LOCAL, host.lower().rstrip(".")}
        if not self._is_local:
            self._names |= {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request (ASGI)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = MutableHeaders(scope=message)
                own.update(_HEADERS)
                own.setdefault("Cache-Control", "no-cache")  # asked again, so that page and server are of one version
            await send(message)

        refused = self._why_refused(scope, Headers(scope=scope))
        app: ASGIApp = self._app if refused is None else JSONResponse({"error": refused}, 403)
        await app(scope, receive, send_with_headers)

    def _why_refused(self, scope: Scope, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if not self._is_own(_name_in(host)):
            return f"the address {host[:100]!r} is not one of this server; open the one that it has printed"
        if scope["method"] in _SAFE_METHODS:
            return None
        origin = headers.get("origin")
        is_ours = origin == f"{scope['scheme']}://{host}"
        return None if is_ours else f"the request comes from {origin!r:.100}; it must come from a page of this server"

    def _is_own(self, name: str) -> bool:
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not self._is_local  # no other site has a number for a name


class Doors:
    """Who comes in as what; whoever may not, or asks for what is not there, gets a ``Refusal``.

    ``token`` is what the owner's link carries; None: whoever reaches the server is its owner.
    """

    def __init__(self, hall: Hall, token: str | None) -> None:
        self._hall = hall
        self._token = token

    def check_owner(self, request: Request) -> None:
        """Let the owner alone pass."""
        given = request.cookies.get("ursuppe-owner", "")
        if self._token is not None and not secrets.compare_digest(given.encode(), self._token.encode()):
            raise Refusal(403, "this page is for whoever has started the server: open the link that it has printed")

    def enter(self, request: Request) -> tuple[Table, tuple[int, ...], bool]:
        """The game that a request is about, the seats in which it may decide, and whether it comes from the owner.

        The owner decides for all persons that have no link of their own; ``?as=2`` asks for one seat alone.
        """
        if "as" not in request.query_params:
            self.check_owner(request)
            table = self._hall.table(request.path_params["game"])
            own = (player for player, seat in enumerate(table.seats) if seat.who == "person" and not seat.link)
            return table, tuple(own), True
        seat = number_in(request.query_params["as"])
        table = self._hall.table(request.path_params["game"])
        if not self._fits(table, seat, request.cookies.get(_cookie(table, seat), "")):
            raise Refusal(403, "this link is not right, or no longer; ask for it again")
        seats = ((player, table.seats[player]) for player in table.own(seat))
        return table, tuple(player for player, form in seats if form.who == "person" and form.link), False

    def let_owner_in(self, request: Request) -> Response:
        """To the first page, with the owner's cookie for whoever has the token."""
        response, given = RedirectResponse("/", 303), request.query_params.get("token", "")
        if self._token is not None:
            if not secrets.compare_digest(given.encode(), self._token.encode()):
                raise Refusal(403, "this link is not right, or no longer: open the one that the server has printed")
            _set_cookie(request, response, "ursuppe-owner", given)
        return response

    def let_person_in(self, request: Request) -> Response:
        """To a game, with the cookie of a seat for whoever has its token."""
        table = self._hall.table(request.path_params["game"])
        seat, given = number_in(request.query_params.get("seat", "")), request.query_params.get("token", "")
        if not self._fits(table, seat, given):
            raise Refusal(403, "this link is not right, or no longer; ask for it again")
        response = RedirectResponse(f"/games/{table.identity}?as={seat}", 303)
        _set_cookie(request, response, _cookie(table, seat), given)
        return response

    @staticmethod
    def _fits(table: Table, seat: int, token: str) -> bool:
        return 0 <= seat < len(table.seats) and secrets.compare_digest(token.encode(), table.tokens[seat].encode())


def number_in(text: str) -> int:
    """The number that a part of an address is; -1 if it is none, or longer than any that means something here."""
    return int(text) if re.fullmatch(NUMBER, text) else -1


def _name_in(host: str) -> str:
    """The name in ``name:port`` or ``[address]:port``."""
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.lower().rstrip(".")


def _cookie(table: Table, seat: int) -> str:
    return f"ursuppe-{table.identity}-{seat}"


def _set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    year, is_secure = 365 * 24 * 3600, request.url.scheme == "https"
    response.set_cookie(name, value, max_age=year, httponly=True, samesite="strict", secure=is_secure)
