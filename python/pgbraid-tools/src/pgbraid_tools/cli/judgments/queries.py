"""Store the queries that a command reads in a query set, and embed them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = ["BATCH", "embed", "embed_missing", "keep_what_is_there"]

BATCH = 500
PAGE = 1000


def keep_what_is_there(client: Client, query_set: str, queries: list[dict[str, Any]]) -> None:
    """Create the set. An existing set keeps its description, and its queries keep their filters, because the files have
    none."""
    descriptions = {found["query_set"]: found["description"] for found in client.list_query_sets()}
    client.create_query_set(query_set, description=descriptions.get(query_set, ""))
    by_id = {query["query_id"]: query for query in queries}
    after = None
    while page := client.list_queries(query_set, match_count=PAGE, after=after):
        for found in page:
            if found["filters"] is not None and found["query_id"] in by_id:
                by_id[found["query_id"]]["filters"] = found["filters"]
        after = page[-1]["query_id"]


def embed_missing(client: Client, query_set: str, collection: str) -> int:
    """Embed the queries of the set that lack an embedding of the collection's model; return how many."""
    model = client._spaces.of(collection)[0].model
    missing: list[dict[str, Any]] = []
    after = None
    while page := client.list_queries(query_set, match_count=PAGE, after=after):
        missing += [
            {"query_id": found["query_id"], "text": found["query_text"], "filters": found["filters"]}
            for found in page
            if model not in found["embedding_models"]
        ]
        after = page[-1]["query_id"]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        embed(client, batch, collection)
        client.store_queries(query_set, batch, collection=collection)
    return len(missing)


def embed(client: Client, queries: list[dict[str, Any]], collection: str) -> None:
    from pgbraid.text_vectors import query_vector
    from pgbraid_tools.cli.progress import progress

    embedder = client._spaces.embedder_of(collection)
    with progress("embedding queries", len(queries)) as show:
        for place, query in enumerate(queries, 1):
            # A search embeds the text without operators, unless nothing else is left.
            text = client.embedded_text(query["text"], collection).strip() or query["text"]
            query["embedding"] = query_vector(embedder, text).to_list()
            show(place)
