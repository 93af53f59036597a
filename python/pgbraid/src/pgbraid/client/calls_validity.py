# Generated from async_client/calls_validity.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of validity. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import as_interval, to_json

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


def supersede_documents(
    client: BaseClient, documents: Sequence[Mapping[str, Any]], collection: str = "default"
) -> list[dict[str, Any]]:
    """Store documents as new versions; former versions stay, and are valid until the next one begins.

    documents: an array as in upsert_documents. valid_from in the metadata tells since when a version holds. Without
    it, a version holds from now on, and the text that is valid now is no new version. The latest version has the
    external_id; former versions have the external_id, @, and their valid_from, and searches with $as_of find them. A
    version that is told later but begins earlier takes its place among the former ones. A version with the valid_from
    of a stored one replaces it. Versions keep their vectors. Return for each document the external_id under which it
    is stored, its id, its status and its number of chunks, as upsert_documents does. The collection needs
    set_validity.

    Maps to braid.supersede_documents. Raise InvalidArgumentError, NotFoundError, LimitExceededError.
    """
    found: list[dict[str, Any]] = client._session.json_rows(
        "supersede_documents",
        "documents => %(documents)s::jsonb, collection => %(collection)s::text",
        documents=to_json(list(documents), "documents"),
        collection=collection,
    )
    return found


def set_validity(
    client: BaseClient,
    collection: str = "default",
    has_validity: bool = True,
    *,
    retention: timedelta | str | None = None,
) -> None:
    """Let documents of a collection say from when and until when they hold and when they expire, and delete old ones.

    has_validity: with true, searches find a document from valid_from up to, but not including, valid_until, both in
    its metadata, unless their filters say another time by $as_of. From expires_at on, a document is not returned, and
    maintain() deletes it. With false, the three keys are metadata like all others. retention: how long after its
    occurred_at maintain() deletes a document, 1 day to 100 years, in whole days, rounded up; null, the default, keeps
    everything. A document without occurred_at stays: the setting default_occurred_at of the collection gives it to
    each one. Until maintain() has deleted a document that is too old, searches find it. Documents that are stored
    already must have the three keys in the form 2026-03-01T00:00:00.000000Z. Each call sets both settings, for all
    tenants. Only administrators may call it.

    Maps to braid.set_validity. Raise NotFoundError, InvalidArgumentError.
    """
    client._session.value_for_all(
        "set_validity",
        """
        collection => %(collection)s::text, has_validity => %(has_validity)s::boolean,
        retention => %(retention)s::interval
        """,
        collection=collection,
        has_validity=has_validity,
        retention=as_interval(retention, "retention"),
    )
    client._spaces.forget(collection)
