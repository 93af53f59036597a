"""Load Python's own documentation into the collection `demo`, for a database without documents."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pgbraid._threads import in_thread
from pgbraid.errors import ConflictError, MissingExtraError, PermissionDeniedError, PgbraidError
from pgbraid_tools.workbench.requests import read
from pgbraid_tools.workbench.searching import session

if TYPE_CHECKING:
    from pgbraid.async_client import AsyncClient
    from pgbraid_tools.mcp_server.connections import Connections

__all__ = ["Demo"]

COLLECTION = "demo"


class Demo:
    """Load the demo in the background, one load at a time."""

    def __init__(self, connections: Connections, *, write: bool) -> None:
        self._connections = connections
        self._write = write
        self._task: asyncio.Task[None] | None = None
        self._state: dict[str, Any] = {"stage": None, "done": 0, "total": 0, "error": None}

    async def state(self, client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
        return self._state

    async def load(self, client: AsyncClient, body: Mapping[str, Any]) -> dict[str, Any]:
        """Start loading. A read-only workbench loads only if the tenant has no document at all. The request must
        always name the collection in `confirm`."""
        found = (await session(client, body))["collections"]
        if not self._write and not all(collection["is_empty"] for collection in found):
            raise PermissionDeniedError(
                "this workbench is read-only, and there are documents already", hint="run: pgbraid demo"
            )
        if read(body, "confirm", str) != COLLECTION:
            raise PermissionDeniedError("loading the demo was not confirmed", hint=f"send confirm: {COLLECTION}")
        if self._task is not None and not self._task.done():
            raise ConflictError("the demo is being loaded")
        self._state = {"stage": "reading", "done": 0, "total": 0, "error": None}
        self._task = asyncio.create_task(self._load())
        return self._state

    async def _load(self) -> None:
        from pgbraid_tools.standard_library import standard_library_documents

        def stage(name: str, total: int) -> None:
            self._state = {"stage": name, "done": 0, "total": total, "error": None}

        def progress(done: int) -> None:
            self._state["done"] = done

        try:
            documents = await in_thread(lambda: list(standard_library_documents()))
            async with self._connections.client(self._connections.tenant) as client:
                await client.connection.set_read_only(False)
                known = (await session(client, {}))["collections"]
                if all(collection["name"] != COLLECTION for collection in known):
                    await client.create_collection(COLLECTION)
                stage("indexing", len(documents))
                await client.add_documents(documents, collection=COLLECTION, progress=progress)
                waiting = (await client.status(COLLECTION))["collections"][0]["pending_embeddings"]
                stage("embedding", waiting)
                await client.embed_pending(COLLECTION, progress=progress)
            stage("ready", 0)
        except MissingExtraError:
            # Without the local model, full-text search still works.
            stage("ready", 0)
        except PgbraidError as error:
            self._state = {**self._state, "stage": None, "error": {"message": error.message, "hint": error.hint}}
        except Exception as error:
            logging.getLogger(__name__).exception("the demo was not loaded")
            self._state = {**self._state, "stage": None, "error": {"message": type(error).__name__, "hint": None}}
