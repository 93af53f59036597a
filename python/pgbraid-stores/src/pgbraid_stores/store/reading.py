# Generated from async_store/reading.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Find chunks by a query, by their ids, or by a filter alone."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import to_json
from pgbraid.client.session import TENANT
from pgbraid.errors import DimensionMismatchError, NotFoundError
from pgbraid.long_numbers import loads
from pgbraid.stored import Document
from pgbraid_stores.records import (
    Passage,
    ordered_by_relevance,
    passage_of_result,
    passages_of_document,
    with_relevance,
)

if TYPE_CHECKING:
    from pgbraid.arguments import Mode
    from pgbraid.client import Client

__all__ = [
    "delete_matching",
    "existing_ids",
    "find",
    "matching_ids",
    "passages_by_id",
    "passages_matching",
    "update_matching",
]

# READ_AT_ONCE documents are read in one call; `list_documents` returns PAGE in one.
READ_AT_ONCE = 500
PAGE = 10_000
# The number of ids looked up in one call: a filter may have 1 MiB, and an id 1024 bytes.
IDS_AT_ONCE = 500
# Codes of the warnings that say that a search left out a step, or searched an empty collection. Other warnings concern
# the query only.
DEGRADED = (
    "embedding_unavailable",
    "empty_collection",
    "expansion_unavailable",
    "late_interaction_unavailable",
    "other_embedding_model",
    "reranker_unavailable",
)


def find(
    client: Client,
    query: str | None,
    match_count: int,
    *,
    key: str,
    collection: str,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    relevance_modes: Sequence[Mode] = ("hybrid",),
    **options: Any,
) -> list[Passage]:
    """Search. A step that the search left out becomes a UserWarning, because results of frameworks have no place for
    it. If the framework's vector comes from another model, a hybrid search answers by full text without it.

    In `relevance_modes`, scores are relevances from 0 to 1, because frameworks apply thresholds to scores, and a fused
    score only compares a row with the best one. Each score is at least as high as the next, so scores descend.
    """
    if mode in relevance_modes and options.get("reranker") is None and isinstance(query, str):
        options["options"] = with_relevance(options.get("options"))
    try:
        found = client.search(query, match_count, mode, filters or None, collection, **options)
    except DimensionMismatchError as error:
        if mode != "hybrid" or not query or options.get("embedding") is None:
            raise
        found = client.search(
            query, match_count, "full_text", filters or None, collection, **{**options, "embedding": None}
        )
        message = f"searched by full text only; {error.message}; {error.hint}"
        found.warnings.append({"code": "embedding_unavailable", "message": message})
    for warning in found.warnings:
        if warning.get("code") in DEGRADED:
            warnings.warn(f"{warning['code']}: {warning['message']}", stacklevel=3)
    return ordered_by_relevance([passage_of_result(row, key) for row in found], found.stats.get("relevance"))


def passages_by_id(client: Client, ids: Sequence[str], *, key: str, collection: str) -> list[Passage]:
    """Return the chunks of these ids, in this order; missing ids are left out."""
    wanted = list(dict.fromkeys(ids))
    # A chunk that is not its document's first has an id such as doc#1.
    documents = list(dict.fromkeys([*wanted, *(found.rpartition("#")[0] for found in wanted if "#" in found)]))
    known: dict[str, Passage] = {}
    for passage in _passages(client, documents, key, collection):
        known.setdefault(passage.id, passage)
    return [known[found] for found in wanted if found in known]


def passages_matching(
    client: Client,
    filters: Mapping[str, Any] | None,
    *,
    key: str,
    collection: str,
    ids: Sequence[str] | None = None,
) -> list[Passage]:
    """Return all chunks of the documents that have a matching chunk, in order of external_id. `ids` restricts the
    documents."""
    return _passages(client, matching_ids(client, filters, collection, ids), key, collection)


def _passages(client: Client, external_ids: Sequence[str], key: str, collection: str) -> list[Passage]:
    found: list[Passage] = []
    for start in range(0, len(external_ids), READ_AT_ONCE):
        rows = client._session.rows(
            "get_document",
            f"""
            select braid.get_document(external_id => d.id, collection => %(collection)s::text)::text
            from {TENANT}, unnest(%(ids)s::text[]) with ordinality d (id, place)
            order by d.place
            """,
            ids=list(external_ids[start : start + READ_AT_ONCE]),
            collection=collection,
        )
        for (row,) in rows:
            if row is not None:
                found += passages_of_document(Document.from_row(loads(row)), key)
    return found


def matching_ids(
    client: Client, filters: Mapping[str, Any] | None, collection: str, ids: Sequence[str] | None = None
) -> list[str]:
    """Return the external_ids of the documents that have a matching chunk, in byte order. `ids` restricts the
    documents."""
    if ids is not None:
        return _matching_of(client, filters, collection, list(dict.fromkeys(ids)))
    found: list[str] = []
    while True:
        page = client.list_documents(
            collection, match_count=PAGE, after=found[-1] if found else None, filters=filters or None
        )
        found += [document.external_id for document in page]
        if len(page) < PAGE:
            return found


def _matching_of(
    client: Client, filters: Mapping[str, Any] | None, collection: str, ids: Sequence[str]
) -> list[str]:
    found: list[str] = []
    for start in range(0, len(ids), IDS_AT_ONCE):
        part: list[Mapping[str, Any]] = [filters] if filters else []
        part.append({"external_id": {"$in": ids[start : start + IDS_AT_ONCE]}})
        found += matching_ids(client, {"$and": part}, collection)
    return sorted(found, key=str.encode)


def existing_ids(client: Client, ids: Sequence[str], collection: str) -> set[str]:
    """Return the ids whose documents exist; none if the collection does not exist yet."""
    try:
        return set(matching_ids(client, None, collection, ids))
    except NotFoundError:
        return set()


def delete_matching(
    client: Client, filters: Mapping[str, Any] | None, collection: str, ids: Sequence[str] | None = None
) -> int:
    """Delete the documents that have a matching chunk, and return their number. `ids` restricts the documents."""
    deleted = 0
    found = matching_ids(client, filters, collection, ids)
    for start in range(0, len(found), PAGE):
        deleted += client.delete_documents(found[start : start + PAGE], collection=collection)
    return deleted


def update_matching(
    client: Client, filters: Mapping[str, Any] | None, metadata: Mapping[str, Any], collection: str
) -> int:
    """Merge `metadata` into the metadata of the documents that have a matching chunk, and return their number."""
    updated = 0
    ids = matching_ids(client, filters, collection)
    for start in range(0, len(ids), PAGE):
        rows = client._session.rows(
            "update_metadata",
            f"""
            select count(*) filter (where u.done)
            from (
              select braid.update_metadata(external_id => d.id, metadata => %(metadata)s::jsonb,
                                           collection => %(collection)s)
              from {TENANT}, unnest(%(ids)s::text[]) d (id)
            ) u (done)
            """,
            ids=ids[start : start + PAGE],
            metadata=to_json(metadata, "metadata"),
            collection=collection,
        )
        updated += int(rows[0][0])
    return updated
