"""Calls of sync. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Duration, as_interval
from pgbraid.stored import SyncProblem, SyncStatus

if TYPE_CHECKING:
    from pgbraid.async_client.base import BaseClient


async def unsync_table(client: BaseClient, table_name: str, *, keep_documents: bool = False) -> int:
    """End what sync_table began: drop the triggers on the table and delete the documents that its rows were.

    table_name: the table, with its schema. keep_documents: true leaves the documents. Delete for five seconds;
    apply_changes deletes what is left then, and sync_status shows the table until it has. Return how many were
    deleted. For administrators who own the table and may write for its tenants.

    Maps to braid.unsync_table. Raise NotFoundError, PermissionDeniedError.
    """
    found = await client._session.value_for_all(
        "unsync_table",
        "table_name => %(table_name)s::text, keep_documents => %(keep_documents)s::boolean",
        table_name=table_name,
        keep_documents=keep_documents,
    )
    return int(found)


async def apply_changes(client: BaseClient, time_budget: Duration = 10) -> dict[str, Any]:
    """Bring changed rows of synced tables over as documents, of all tables, until the time budget is spent.

    time_budget: when to stop; changes that are left wait for the next call. Call it often: pgbraid work and pgbraid
    maintain do. It reads the tables with the rights of whoever calls it, and never evaluates row-level security: the
    login must own a table that has it, or be a superuser or have BYPASSRLS. Returns how many rows it looked at, how
    many failed, how many are left as other transactions lock their documents, warnings (why rows failed or were left,
    and which tables could not be read) and complete (whether nothing is left to be done now). For services that write.

    Maps to braid.apply_changes. Pass time_budget as seconds, a text such as '5 minutes', or a timedelta. Raise
    InvalidArgumentError, PermissionDeniedError.
    """
    (found,) = await client._session.json(
        "apply_changes", "time_budget => %(time_budget)s::interval", time_budget=as_interval(time_budget, "time_budget")
    )
    return dict(found)


async def sync_status(client: BaseClient) -> list[SyncStatus]:
    """Show how far the synced tables are: one row for each.

    state: backfill (all rows are being read), sweep (documents without a row are looked for), follow; end (after
    unsync_table, while documents are deleted); dropped, no collection or no tenant if these are gone. waiting_count:
    changed rows that wait; failed_count: those of them that failed and are tried again later. seconds_left: of a
    backfill, by its speed so far; null if the table was not analyzed yet. Only services and administrators may call
    it.

    Maps to braid.sync_status. Raise PermissionDeniedError.
    """
    found = await client._session.records("sync_status")
    return [SyncStatus(*row) for row in found]


async def check_sync(client: BaseClient, table_name: str) -> list[SyncProblem]:
    """Name the rows of a synced table that are no documents, or others, and the documents that are no rows any more.

    table_name: the table, with its schema. problem: row without document, document differs from row, document without
    row, row cannot be a document (and why); or, with tenant and external_id null, which triggers of the table are not
    called. No row comes back if all is in step. Call braid.apply_changes before, since what waits is named too. Reads
    the whole table. To mend what is named, call braid.sync_table again. Only services and administrators may call it.

    Maps to braid.check_sync. Raise NotFoundError, PermissionDeniedError.
    """
    found = await client._session.records("check_sync", "table_name => %(table_name)s::text", table_name=table_name)
    return [SyncProblem(*row) for row in found]
