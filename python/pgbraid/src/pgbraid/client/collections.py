# Generated from async_client/collections.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Collections and their settings, which are for all tenants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import as_list, optional_json, to_json
from pgbraid.spaces import LOCAL_MODEL

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient

__all__ = [
    "create_collection",
    "drop_collection",
    "set_collection",
    "set_indexed_attributes",
    "set_query_embeddings",
    "set_sparse_encoder",
    "set_synonyms",
    "set_token_vectors",
]


def create_collection(
    client: BaseClient,
    name: str,
    *,
    text_config: str = "english",
    dimensions: int = 384,
    distance: Literal["cosine", "inner_product", "l2"] = "cosine",
    embedding_model: str = LOCAL_MODEL,
    chunk_tokens: int | None = None,
    indexed_attributes: Mapping[str, Literal["text", "number", "time"]] | None = None,
    ranking: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> int:
    """Define a collection, for all tenants, and return its id; for administrators. Maps to
    braid.create_collection.

    `text_config` is a PostgreSQL text search configuration. `chunk_tokens` bounds a chunk in tokens: by
    default 240 for the offline model and 500 for others. `indexed_attributes` are the metadata keys that filters
    find by index: see `set_indexed_attributes`. `ranking` is how it ranks, such as `{"preset": "conversation"}`: see
    `set_ranking`. `settings` has those of `set_collection`, and `fold_diacritics`, `index_fields` and `embed_fields`,
    which do not change.

    Raises InvalidArgumentError, also for a collection that exists with other settings.
    """
    client._spaces.forget(name)
    return int(
        client._session.value_for_all(
            "create_collection",
            """
            collection => %(name)s::text, text_config => %(text_config)s::text, dimensions => %(dimensions)s::int,
            distance => %(distance)s::text, embedding_model => %(embedding_model)s::text,
            chunk_tokens => %(chunk_tokens)s::int, indexed_attributes => %(indexed_attributes)s::jsonb,
            ranking => %(ranking)s::jsonb, settings => %(settings)s::jsonb
            """,
            name=name,
            text_config=text_config,
            dimensions=dimensions,
            distance=distance,
            embedding_model=embedding_model,
            chunk_tokens=chunk_tokens,
            indexed_attributes=to_json(indexed_attributes or {}, "indexed_attributes"),
            ranking=optional_json(ranking, "ranking"),
            settings=optional_json(settings, "settings"),
        )
    )


def set_collection(client: BaseClient, collection: str, settings: Mapping[str, Any]) -> None:
    """Change settings of a collection, for all tenants; those that are not given stay. For administrators. Maps to
    braid.set_collection.

    `overlap_tokens`: how many tokens of a chunk the next one repeats at most. `default_occurred_at`: "now" gives
    documents without occurred_at the time at which they are first written. `vector_storage` ("vector", "halfvec" or
    "binary"), `hnsw_m` and `hnsw_ef_construction`, which are M and efConstruction of Malkov & Yashunin 2018, section
    4.1: how large tenants' vectors are stored and indexed; `maintain` makes new indexes beside those that serve.

    Raises InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_collection",
        "collection => %(collection)s::text, settings => %(settings)s::jsonb",
        collection=collection,
        settings=to_json(settings, "settings"),
    )


def drop_collection(client: BaseClient, collection: str) -> bool:
    """Drop a collection with all that tenants stored in it; whether it was there. It is gone at once, and `maintain`
    frees its space. For administrators. Maps to braid.drop_collection."""
    client._spaces.forget(collection)
    return bool(
        client._session.value_for_all("drop_collection", "collection => %(collection)s", collection=collection)
    )


def set_synonyms(client: BaseClient, word: str, synonyms: Sequence[str], collection: str = "default") -> int:
    """Set what else a query for a word finds in a collection, for all tenants and in place of what was set before; how
    many there are. For administrators. Maps to braid.set_synonyms.

    One direction: with `("car", ["automobile"])`, automobile does not find car. An empty list removes them. At most 63,
    each a word or a phrase of up to 16; in effect from the next search on. The view braid.synonyms has all.

    Raises InvalidArgumentError, NotFoundError.
    """
    return int(
        client._session.value_for_all(
            "set_synonyms",
            """
            word => %(word)s::text, synonyms => %(synonyms)s::text[], collection => %(collection)s::text
            """,
            word=word,
            synonyms=as_list(synonyms, "synonyms"),
            collection=collection,
        )
    )


def set_sparse_encoder(
    client: BaseClient, name: str, weights: Mapping[str, float] | None, *, append: bool = False
) -> int:
    """Store a table of term weights, by which searches make sparse terms of a query's words without a model; how many
    terms it has. None removes it. For administrators. Maps to braid.set_sparse_encoder.

    In place of what was stored before, or with `append` beside it. `set_ranking(collection, {"sparse_encoder": name})`
    gives it to a collection.

    Raises InvalidArgumentError, LimitExceededError.
    """
    return int(
        client._session.value_for_all(
            "set_sparse_encoder",
            "name => %(name)s::text, weights => %(weights)s::jsonb, append => %(append)s::boolean",
            name=name,
            weights=optional_json(weights, "weights"),
            append=append,
        )
    )


def set_indexed_attributes(
    client: BaseClient, attributes: Mapping[str, Literal["text", "number", "time"]], collection: str = "default"
) -> None:
    """Declare which metadata keys of a collection filters find by index, for all tenants and in place of those
    declared before. For administrators. Maps to braid.set_indexed_attributes.

    `{"year": "number", "team": "text", "published": "time"}`, where time is for ISO 8601 strings. What a filter
    matches does not change. Documents that are there are indexed by `maintain`.

    Raises InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_indexed_attributes",
        "indexed_attributes => %(attributes)s::jsonb, collection => %(collection)s::text",
        attributes=to_json(attributes, "attributes"),
        collection=collection,
    )


def set_token_vectors(
    client: BaseClient,
    collection: str,
    embedding_model: str | None = LOCAL_MODEL,
    *,
    vector_count: int = 32,
    dimensions: int | None = None,
) -> None:
    """Have chunks of a collection get vectors of their tokens, for searches with `late_interaction`: at most
    `vector_count` of the model, with so many `dimensions` (None: as its embeddings); `embedding_model` None: no more.
    For chunks that are there already call `embed_token_vectors`. For administrators. Maps to braid.set_token_vectors.

    Raises InvalidArgumentError, NotFoundError.
    """
    client._spaces.forget(collection)
    client._session.value_for_all(
        "set_token_vectors",
        """
        collection => %(collection)s::text, embedding_model => %(embedding_model)s::text,
        vector_count => %(vector_count)s::int, dimensions => %(dimensions)s::int
        """,
        collection=collection,
        embedding_model=embedding_model,
        vector_count=vector_count,
        dimensions=dimensions,
    )


def set_query_embeddings(client: BaseClient, collection: str, embedding_count: int = 1000) -> None:
    """Have the database store the vectors of queries for each tenant, at most so many; 0: none. A search stores what it
    has embedded, and other clients, or a search in SQL of text alone, use it. For administrators. Maps to
    braid.set_query_embeddings.

    Raises InvalidArgumentError, NotFoundError.
    """
    client._spaces.forget(collection)
    client._spaces.not_storing.clear()
    client._spaces.stored.clear()
    client._session.value_for_all(
        "set_query_embeddings",
        "collection => %(collection)s::text, embedding_count => %(embedding_count)s::int",
        collection=collection,
        embedding_count=embedding_count,
    )
