"""Keep rows of the user's own tables as documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pgbraid.arguments import refuse_others

if TYPE_CHECKING:
    from typing_extensions import Never

    from pgbraid.async_client.base import BaseClient


async def sync_table(
    client: BaseClient,
    table_name: str,
    *,
    content: Sequence[str] | None = None,
    title: str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 as in SQL
    speaker: str | None = None,
    occurred_at: str | None = None,
    source_uri: str | None = None,
    category: str | None = None,
    importance: str | None = None,
    language: str | None = None,
    metadata: Sequence[str] | None = None,
    collection: str = "default",
    tenant: str | None = None,
    tenant_column: str | None = None,
    filter: str | None = None,  # noqa: A002
    mode: Literal["deferred", "immediate"] = "deferred",
    on_error: Literal["keep", "fail"] = "keep",
    turns: str | None = None,
    **others: Never,
) -> None:
    """Keep the rows of a table, named with its schema, as documents, and follow its changes. All other names are of
    columns; `id` is the primary key by default; `turns`, in place of `content`, is a transcript. Rows belong to the
    client's tenant unless `tenant` or `tenant_column` is given. `apply_changes` transfers changes; with `mode`
    immediate, the trigger does so where it can. For administrators who own the table. Maps to braid.sync_table.

    Raise NotFoundError, InvalidArgumentError, PermissionDeniedError.
    """
    refuse_others(others)
    await client._session.value(
        "sync_table",
        """
        table_name => %(table_name)s::text, content => %(content)s::text[], title => %(title)s::text,
        id => %(id)s::text, speaker => %(speaker)s::text, occurred_at => %(occurred_at)s::text,
        source_uri => %(source_uri)s::text, category => %(category)s::text, importance => %(importance)s::text,
        language => %(language)s::text, metadata => %(metadata)s::text[], collection => %(collection)s::text,
        tenant => %(tenant)s::text, tenant_column => %(tenant_column)s::text, filter => %(filter)s::text,
        mode => %(mode)s::text, on_error => %(on_error)s::text, turns => %(turns)s::text
        """,
        table_name=table_name,
        content=None if content is None else list(content),
        title=title,
        id=id if id is None or isinstance(id, str) else _array(id),
        speaker=speaker,
        occurred_at=occurred_at,
        source_uri=source_uri,
        category=category,
        importance=importance,
        language=language,
        metadata=None if metadata is None else list(metadata),
        collection=collection,
        tenant=client.tenant if tenant is None and tenant_column is None else tenant,
        tenant_column=tenant_column,
        filter=filter,
        mode=mode,
        on_error=on_error,
        turns=turns,
    )


def _array(names: Sequence[str]) -> str:
    quoted = ('"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in names)
    return f"{{{','.join(quoted)}}}"
