"""Build the application: the files of the page, and its API."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from importlib import resources
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pgbraid import errors
from pgbraid._version import __version__
from pgbraid_tools.workbench import evaluating, observing, searching
from pgbraid_tools.workbench.access import ENTRANCE, MOST_BYTES, Access, Guard, TooLongError
from pgbraid_tools.workbench.demo import Demo
from pgbraid_tools.workbench.embedding import embedded
from pgbraid_tools.workbench.requests import needed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from pgbraid.async_client import AsyncClient
    from pgbraid_tools.mcp_server.connections import Connections
    from pgbraid_tools.workbench.embedding import Failed

__all__ = ["build_app"]

Answer = Callable[["AsyncClient", Mapping[str, Any]], Awaitable[Any]]
TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
TYPES["svg"] = "image/svg+xml"
# Statement timeouts in seconds, unless the login has a shorter one.
LONGEST = 30
LONGEST_OF = {"evaluate": 600}
# Requests that embed a query.
EMBEDDING = ("search", "explain", "copies")
READING: dict[str, Answer] = {
    "search": searching.search,
    "explain": searching.explain,
    "similar": searching.similar,
    "context": searching.context,
    "complete": searching.complete,
    "facets": searching.facets,
    "copies": searching.copied,
    "query_sets": evaluating.query_sets,
    "grades": evaluating.grades,
    "evaluate": evaluating.evaluate,
    "rankings": evaluating.rankings,
    "observe": observing.observe,
}
WRITING: dict[str, Answer] = {
    "create_query_set": evaluating.create_query_set,
    "judge": evaluating.judge,
    "set_ranking": evaluating.apply,
    "restore_ranking": evaluating.restore,
}
# A statement_timeout has this SQLSTATE as well.
QUERY_CANCELED = "57014"
# The first matching class counts.
STATUSES: tuple[tuple[type[errors.PgbraidError], int], ...] = (
    (errors.InvalidArgumentError, 400),
    (errors.NotFoundError, 404),
    (errors.PartNotInstalledError, 404),
    (errors.PermissionDeniedError, 403),
    (errors.ConflictError, 409),
    (errors.NotSupportedError, 400),
    (errors.ConnectionLostError, 503),
    (errors.WrongNodeError, 503),
)


def build_app(
    connections: Connections, access: Access, announce: Callable[[str], None] = lambda code: None
) -> Starlette:
    """Return the application. All requests act for the tenant of `connections`, which must be open while it runs.
    `announce` is called with each new code after one has been used."""
    api = Api(connections, access, announce)
    demo = Demo(connections, write=access.write)
    files = [
        Route("/" if name == "index.html" else f"/{name}", _file(name, body)) for name, body in _static_files().items()
    ]
    # load_demo is listed here because it checks its permission itself and writes on its own connection.
    all_reading = {**READING, "demo": demo.state, "load_demo": demo.load}
    reading = [
        Route(f"/api/{name}", api.reading(answer, name), methods=["POST"]) for name, answer in all_reading.items()
    ]
    writing = [Route(f"/api/{name}", api.writing(answer), methods=["POST"]) for name, answer in WRITING.items()]
    return Starlette(
        routes=[
            *files,
            Route(ENTRANCE, api.enter, methods=["POST"]),
            Route("/api/session", api.session, methods=["POST"]),
            *reading,
            *writing,
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={TooLongError: _too_long},
    )


class Api:
    """Answer API requests, each in one transaction.

    The transaction is read-only unless the request is meant to write, so a search stores nothing, not even in the
    search log.
    """

    def __init__(self, connections: Connections, access: Access, announce: Callable[[str], None]) -> None:
        self._connections = connections
        self._access = access
        self._announce = announce

    async def enter(self, request: Request) -> Response:
        """Exchange the code of an address for the token; the code then becomes invalid."""
        body = await _body(request)
        try:
            token = None if body is None else self._access.enter(needed(body, "code", str))
        except errors.InvalidArgumentError as error:
            return _failed(error.message, error.hint, error.sqlstate, 400)
        if token is None:
            return _failed(
                "that address has been used", "open the newest address that pgbraid workbench printed", None, 401
            )
        self._announce(self._access.new_code())
        return _json({"token": token})

    async def session(self, request: Request) -> Response:
        async def answer(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
            found = await searching.session(client, body)
            return {**found, "version": __version__, "write": self._access.write}

        return await self.reading(answer)(request)

    def reading(self, answer: Answer, name: str = "") -> Callable[[Request], Awaitable[Response]]:
        return self._answering(answer, name, read_only=True)

    def writing(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        if self._access.write:
            return self._answering(answer, read_only=False)

        async def refuse(request: Request) -> Response:
            return _failed("this workbench is read-only", "start the workbench again with --write", None, 403)

        return refuse

    def _answering(
        self, answer: Answer, name: str = "", *, read_only: bool
    ) -> Callable[[Request], Awaitable[Response]]:
        seconds = LONGEST_OF.get(name, LONGEST) if read_only else None

        async def found(body: Mapping[str, Any]) -> Response:
            try:
                failed: Failed | None = None
                if name in EMBEDDING:
                    async with self._client(seconds) as client:
                        embed = await embedded(client, body)
                    # No connection is held here, because an embedding service may be slow.
                    failed = await embed()
                async with self._client(seconds) as client:
                    if failed is not None:
                        failed.take_the_place(client)
                    return _json(await answer(client, body))
            except errors.PgbraidError as error:
                if error.sqlstate == QUERY_CANCELED and seconds is not None:
                    hint = f"ask for less: a statement may take at most {seconds} seconds here"
                    return _failed("the statement took too long", hint, error.sqlstate, 504)
                status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
                return _failed(error.message, error.hint, error.sqlstate, status)
            except Exception:
                logging.getLogger(__name__).exception("the request failed")
                return _failed(
                    "the workbench has a defect", "see the workbench's log; please report the error", None, 500
                )

        async def respond(request: Request) -> Response:
            body = await _body(request)
            if body is None:
                return _failed("a request is a JSON object", None, None, 400)
            return await _while_asked(request, found(body)) if read_only else await found(body)

        return respond

    @asynccontextmanager
    async def _client(self, seconds: int | None) -> AsyncIterator[AsyncClient]:
        """Lend a client in a transaction. With `seconds`, the transaction is read-only and each statement has that
        timeout."""
        async with self._connections.client(self._connections.tenant) as client:
            await client.connection.set_read_only(seconds is not None)
            async with client.transaction():
                if seconds is not None:
                    await searching.limit_time(client, seconds)
                yield client


async def _body(request: Request) -> dict[str, Any] | None:
    try:
        body = json.loads(await request.body() or "{}")
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


async def _while_asked(request: Request, answering: Coroutine[Any, Any, Response]) -> Response:
    """Return the answer; cancel its statement when the browser disconnects or the server stops."""
    work, gone = asyncio.create_task(answering), asyncio.create_task(_disconnected(request))
    try:
        # When uvicorn stops, it cancels this wait; the error would print a traceback.
        with suppress(asyncio.CancelledError):
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        work.cancel()
        while not work.done():
            # At shutdown, asyncio cancels this wait once more.
            with suppress(asyncio.CancelledError):
                await asyncio.wait({work})
        return _failed("nobody waits for it", None, None, 503)
    finally:
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _static_files() -> dict[str, bytes]:
    folder = resources.files("pgbraid_tools.workbench") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in TYPES}


def _file(name: str, body: bytes) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(body, headers={"content-type": TYPES[name.rpartition(".")[2]]})

    return answer


def _json(value: Any) -> Response:
    text = json.dumps(_exact(value), ensure_ascii=False, default=_plain, allow_nan=False, separators=(",", ":"))
    # A text may hold a lone surrogate, which UTF-8 cannot encode.
    return Response(text.encode("utf-8", "replace"), media_type="application/json")


def _exact(value: Any) -> Any:
    """Turn whole numbers that JavaScript would round into text, and infinity and NaN into null."""
    if isinstance(value, dict):
        return {name: _exact(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_exact(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > searching.MOST_EXACT:
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> Any:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    # JavaScript would round other numbers.
    return float(value) if isinstance(value, Decimal) and Decimal(repr(float(value))) == value else str(value)


def _failed(message: str, hint: str | None, sqlstate: str | None, status: int) -> Response:
    body = {"error": {"message": message, "hint": hint, "sqlstate": sqlstate}}
    return Response(json.dumps(body).encode(), status, media_type="application/json")


async def _too_long(request: Request, error: Exception) -> Response:
    return _failed(f"a request has at most {MOST_BYTES} bytes", None, None, 413)
