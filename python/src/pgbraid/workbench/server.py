"""The application: the files of the page, and its API."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
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
from pgbraid.workbench import evaluating, observing, searching
from pgbraid.workbench.access import MOST_BYTES, Access, Guard, TooLongError
from pgbraid.workbench.demo import Demo

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pgbraid.async_client import AsyncClient
    from pgbraid.mcp_server.connections import Connections

__all__ = ["build_app"]

Answer = Callable[["AsyncClient", Mapping[str, Any]], Awaitable[Any]]
TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
TYPES["svg"] = "image/svg+xml"
READING: dict[str, Answer] = {
    "search": searching.search,
    "explain": searching.explain,
    "similar": searching.similar,
    "context": searching.context,
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
    "apply_ranking": evaluating.apply,
    "restore_ranking": evaluating.restore,
}
# The first that fits.
STATUSES: tuple[tuple[type[errors.PgbraidError], int], ...] = (
    (errors.InvalidArgumentError, 400),
    (errors.NotFoundError, 404),
    (errors.PermissionDeniedError, 403),
    (errors.ConflictError, 409),
    (errors.NotSupportedError, 400),
    (errors.ConnectionLostError, 503),
)


def build_app(connections: Connections, access: Access) -> Starlette:
    """`connections`, which must be open while it runs, have the tenant that all requests are for."""
    api = Api(connections, access)
    demo = Demo(connections, write=access.write)
    files = [
        Route("/" if name == "index.html" else f"/{name}", _file(name, body)) for name, body in _static_files().items()
    ]
    # What loads it writes by itself, with its own question whether it may.
    all_reading = {**READING, "demo": demo.state, "load_demo": demo.load}
    reading = [Route(f"/api/{name}", api.reading(answer), methods=["POST"]) for name, answer in all_reading.items()]
    writing = [Route(f"/api/{name}", api.writing(answer), methods=["POST"]) for name, answer in WRITING.items()]
    return Starlette(
        routes=[*files, Route("/api/session", api.session, methods=["POST"]), *reading, *writing],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={TooLongError: _too_long},
    )


class Api:
    """Each request is a transaction, which can only read unless the request is to write: whatever it calls, nothing is
    stored, and nothing comes into the search log."""

    def __init__(self, connections: Connections, access: Access) -> None:
        self._connections = connections
        self._access = access

    async def session(self, request: Request) -> Response:
        async def answer(client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
            found = await searching.session(client, body)
            return {**found, "version": __version__, "write": self._access.write}

        return await self.reading(answer)(request)

    def reading(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        return self._answering(answer, read_only=True)

    def writing(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        if self._access.write:
            return self._answering(answer, read_only=False)

        async def refuse(request: Request) -> Response:
            return _failed("this workbench only reads", "start it again with --write", None, 403)

        return refuse

    def _answering(self, answer: Answer, *, read_only: bool) -> Callable[[Request], Awaitable[Response]]:
        async def respond(request: Request) -> Response:
            try:
                body = json.loads(await request.body() or "{}")
            except (ValueError, RecursionError):
                body = None
            if not isinstance(body, dict):
                return _failed("a request is a JSON object", None, None, 400)
            try:
                async with self._client(read_only) as client:
                    return _json(await answer(client, body))
            except errors.PgbraidError as error:
                status = next((status for kind, status in STATUSES if isinstance(error, kind)), 500)
                return _failed(error.message, error.hint, error.sqlstate, status)
            except Exception:
                logging.getLogger(__name__).exception("the request failed")
                return _failed("the workbench has a defect", "its log tells more; please report it", None, 500)

        return respond

    @asynccontextmanager
    async def _client(self, read_only: bool) -> AsyncIterator[AsyncClient]:
        async with self._connections.client(self._connections.tenant) as client:
            await client.connection.set_read_only(read_only)
            async with client.transaction():
                yield client


def _static_files() -> dict[str, bytes]:
    folder = resources.files("pgbraid.workbench") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.rpartition(".")[2] in TYPES}


def _file(name: str, body: bytes) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(body, headers={"content-type": TYPES[name.rpartition(".")[2]]})

    return answer


def _json(value: Any) -> Response:
    text = json.dumps(_finite(value), ensure_ascii=False, default=_plain, allow_nan=False, separators=(",", ":"))
    # A lone surrogate of a text is no UTF-8.
    return Response(text.encode("utf-8", "replace"), media_type="application/json")


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: object) -> Any:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return float(value) if isinstance(value, Decimal) else str(value)


def _failed(message: str, hint: str | None, sqlstate: str | None, status: int) -> Response:
    body = {"error": {"message": message, "hint": hint, "sqlstate": sqlstate}}
    return Response(json.dumps(body).encode(), status, media_type="application/json")


async def _too_long(request: Request, error: Exception) -> Response:
    return _failed(f"a request has at most {MOST_BYTES} bytes", None, None, 413)
