# Generated from async_client/calls_sync.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of sync. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Duration, as_interval
from pgbraid.stored import SyncProblem, SyncStatus

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def unsync_table(client: BaseClient, table_name: str, *, keep_documents: bool = False) -> int:
    """End what sync_table began: drop the triggers on the table and delete the documents of its rows.

    table_name: names the table, with its schema. keep_documents: true leaves the documents. Deletion stops after five
    seconds; apply_changes deletes the rest, and sync_status shows the table until then. Return how many documents were
    deleted. For administrators who own the table and may write for its tenants.

    Maps to braid.unsync_table. Raise NotFoundError, PermissionDeniedError.
    """
    found = client._session.value_for_all(
        "unsync_table",
        "table_name => %(table_name)s::text, keep_documents => %(keep_documents)s::boolean",
        table_name=table_name,
        keep_documents=keep_documents,
    )
    return int(found)


def apply_changes(client: BaseClient, time_budget: Duration = 10) -> dict[str, Any]:
    """Apply changed rows of all synced tables to their documents, until the time budget is spent.

    time_budget: when to stop; the changes left wait for the next call. Call it often: pgbraid work and pgbraid
    maintain do. It reads the tables with the caller's rights and never evaluates row-level security. A login must own
    a table that has row-level security, be a superuser or have BYPASSRLS. Return how many rows it looked at, how many
    failed, and how many are left because other transactions lock their documents. warnings: why rows failed or were
    left, and which tables could not be read. complete: whether nothing is left to do now. For services that write.

    Maps to braid.apply_changes. Pass time_budget as seconds, a text such as '5 minutes', or a timedelta. Raise
    InvalidArgumentError, PermissionDeniedError.
    """
    (found,) = client._session.json(
        "apply_changes", "time_budget => %(time_budget)s::interval", time_budget=as_interval(time_budget, "time_budget")
    )
    return dict(found)


def sync_status(client: BaseClient) -> list[SyncStatus]:
    """Show the progress of synced tables: one row for each.

    state: backfill (all rows are being read), sweep (documents without a row are looked for), follow, or end (after
    unsync_table, while documents are deleted). It is dropped, no collection or no tenant if the table, the collection
    or the tenant is gone. waiting_count: changed rows that wait. failed_count: waiting rows that failed and are tried
    again later. seconds_left: the remaining time of a backfill, by its speed so far; null if the table was not
    analyzed yet. Only services and administrators may call it.

    Maps to braid.sync_status. Raise PermissionDeniedError.
    """
    found = client._session.records("sync_status")
    return [SyncStatus(*row) for row in found]


def check_sync(client: BaseClient, table_name: str) -> list[SyncProblem]:
    """Name the rows of a synced table that differ from their documents or have none, and the documents that have no
    row.

    table_name: names the table, with its schema. problem: row without document, document differs from row, document
    without row, or row cannot be a document (and why). It names the triggers of the table that are not called if
    tenant and external_id are null. If table and documents agree, return no row. Call braid.apply_changes before,
    because pending changes are named too. It reads the whole table. To repair what is named, call braid.sync_table
    again. Only services and administrators may call it.

    Maps to braid.check_sync. Raise NotFoundError, PermissionDeniedError.
    """
    found = client._session.records("check_sync", "table_name => %(table_name)s::text", table_name=table_name)
    return [SyncProblem(*row) for row in found]
