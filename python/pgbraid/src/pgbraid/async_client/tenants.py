"""Export and import all data of a tenant as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING

import psycopg
from psycopg.rows import tuple_row

from pgbraid.async_client.session import TENANT
from pgbraid.document_batches import bounded, checked_records
from pgbraid.errors import from_psycopg, is_outdated, upgraded

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def export_tenant(client: BaseClient, collection: str | None = None) -> AsyncIterator[str]:
    """Yield all data of this tenant, or of its part of one collection, without loss, as lines of JSON for
    `import_tenant`. The collections that it uses come first, then its documents with their chunks and embeddings, from
    one snapshot. Maps to braid.export_tenant.

    Raise NotFoundError, and ConcurrentUpgradeError if pgbraid is upgraded meanwhile.
    """
    try:
        async with client.connection.transaction():
            await client.connection.execute(f"select {TENANT}", {"session_tenant": client.tenant})
            async with client.connection.cursor(name="pgbraid_export", row_factory=tuple_row) as cursor:
                await cursor.execute("select braid.export_tenant(collection => %s)::text", (collection,))
                async for (record,) in cursor:
                    yield record
    except psycopg.Error as error:
        installed = client._session.parts
        raise (upgraded(error, installed) if is_outdated(error) else from_psycopg(error, installed)) from error


async def import_tenant(
    client: BaseClient, records: Iterable[str], *, progress: Callable[[int], object] | None = None
) -> int:
    """Store lines from `export_tenant`, of any tenant and any database, for this tenant; return the number of
    documents. Maps to braid.import_tenant.

    Searches then return the same results with the same scores. Documents with the same external_id are replaced.
    Missing collections are created, which administrators may do. Every batch is a transaction, unless inside
    `transaction()`; importing again is harmless. `progress(n)` is called with the number of documents so far.

    Raise InvalidArgumentError, NotFoundError.
    """
    client = client._for_one_call()
    done = 0
    for batch in bounded(checked_records(records)):
        if client._session.nodes is not None:
            await _bring_collections(client, batch)
        done += int(
            await client._session.value(
                "import_tenant", "records => %(records)s::jsonb", records=f"[{','.join(batch)}]"
            )
        )
        if progress is not None:
            progress(done)
    return done


async def _bring_collections(client: BaseClient, records: Iterable[str]) -> None:
    """Create a cluster's collections at the coordinator; the tenant's node then stores the documents."""
    for record in records:
        definition = json.loads(record).get("collection") if '"collection"' in record else None
        if isinstance(definition, dict):
            await client._session.value_for_all(
                "braid_calls.import_collection",
                "definition => %(definition)s::jsonb",
                definition=json.dumps(definition),
            )
