"""Control access: only the browser of the user who started the server, and no page of another site in it."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LOOPBACK", "MOST_BYTES", "TOKENS", "Access", "Guard"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
# A header and an address can hold these characters without escaping.
TOKENS = re.compile(r"[A-Za-z0-9._~-]{24,}")
# A browser without a token sends the code from its address here.
ENTRANCE = "/api/enter"
# The limit for a request's body.
MOST_BYTES = 1_000_000
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Access:
    """Hold the access settings. `token` must come with each API request; `hosts` are the server's names besides the
    loopback interface; `write` allows changes."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    hosts: Sequence[str] = ()
    write: bool = False
    # At most one code, valid for one use.
    _codes: list[str] = field(default_factory=list, repr=False)

    def new_code(self) -> str:
        """Return a new one-time code for the address, and invalidate the previous one. An address never holds the
        token, since browsers keep addresses in their history."""
        self._codes[:] = [secrets.token_urlsafe(32)]
        return self._codes[0]

    def enter(self, code: str) -> str | None:
        """Exchange the code for the token; return None if the code is not valid."""
        given = code.encode("utf-8", "replace")
        if not any(hmac.compare_digest(given, known.encode()) for known in self._codes):
            return None
        self._codes.clear()
        return self.token

    def knows_host(self, host: str) -> bool:
        """Return whether a Host header names this server. In a DNS rebinding attack, the header holds the attacker's
        name."""
        try:
            parts = urlsplit(f"//{host}")
            known = parts.hostname in {*LOOPBACK, *(name.lower() for name in self.hosts)}
            return known and (parts.port is None or parts.port > 0) and parts.netloc == host and "@" not in host
        except ValueError:
            return False

    def knows_token(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        known = hmac.compare_digest(given.strip().encode("latin-1", "replace"), self.token.encode())
        return known and scheme.lower() == "bearer"


class Guard:
    """Refuse requests from other pages than the server's own, and send headers that restrict what the page may do."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            bounded = _Bounded(receive)
            await self._app(scope, bounded.receive, send_with_headers)
            return
        status, said, hint = refusal
        body = json.dumps({"error": {"message": said, "hint": hint, "sqlstate": None}}).encode()
        # Read the body first, because a browser that is still sending ignores the answer.
        read, more = 0, True
        while more and read <= 2 * MOST_BYTES:
            message = await receive()
            read += len(message.get("body", b""))
            more = message.get("more_body", False)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send_with_headers({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Scope) -> tuple[int, str, str | None] | None:
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            known = name.decode("latin-1").lower()
            if known in headers and known in ("host", "authorization", "origin", "content-length"):
                return 400, f"the header {known} comes twice", None
            headers[known] = value.decode("latin-1")
        host = headers.get("host", "").lower()
        if not self._access.knows_host(host):
            return 421, "this server does not accept that host name", "use the address that pgbraid workbench printed"
        if not scope["path"].startswith("/api/"):
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site not in (None, "same-origin", "none") or not (origin is None or _is_of(origin, host)):
            return 403, "requests from other sites are refused", "a proxy in front must pass the header Host on"
        is_known = scope["path"] == ENTRANCE or self._access.knows_token(headers.get("authorization", ""))
        if not is_known:
            return (
                401,
                "the token is missing, or of another run",
                "open the newest address that pgbraid workbench printed",
            )
        if scope["method"] == "POST":
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return 415, "a request is a JSON object", None
            length = headers.get("content-length", "0")
            if not length.isdecimal() or int(length) > MOST_BYTES:
                return 413, f"a request has at most {MOST_BYTES} bytes", None
        return None


def _is_of(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host


class TooLongError(Exception):
    """Raised when a body of undeclared length exceeds the limit."""


class _Bounded:
    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._length = 0

    async def receive(self) -> Message:
        message = await self._receive()
        self._length += len(message.get("body", b""))
        if self._length > MOST_BYTES:
            raise TooLongError
        return message
