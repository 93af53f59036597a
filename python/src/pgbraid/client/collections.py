# Generated from async_client/collections.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Collections and their settings, which are for all tenants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from pgbraid.arguments import as_list, optional_json, to_json
from pgbraid.spaces import LOCAL_MODEL

if TYPE_CHECKING:
    from pgbraid.client import Client

__all__ = [
    "create_collection",
    "drop_collection",
    "set_document_defaults",
    "set_indexed_attributes",
    "set_query_embeddings",
    "set_ranking",
    "set_sparse_encoder",
    "set_synonyms",
    "set_token_vectors",
    "set_vector_index",
]


def create_collection(
    client: Client,
    name: str,
    *,
    text_config: str = "english",
    dimensions: int = 384,
    distance: Literal["cosine", "inner_product", "l2"] = "cosine",
    embedding_model: str = LOCAL_MODEL,
    chunk_tokens: int | None = None,
    k1: float | None = None,
    b: float | None = None,
    title_weight: float | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str = "convex",
    rrf_k: float = 60.0,
    fold_diacritics: bool = True,
    index_fields: Sequence[str] = ("title", "speaker", "content"),
    embed_fields: Sequence[str] = ("title", "speaker", "content"),
    indexed_attributes: Mapping[str, Literal["text", "number", "time"]] | None = None,
    vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
    hnsw_m: int = 16,
    hnsw_ef_construction: int | None = None,
    normalisation: str = "centroid",
    preset: str | None = None,
    neighbour_weight: float | None = None,
    smoothing: float | None = None,
    statistics_scope: str | None = None,
    bm25_variant: str = "lucene",
    sparse_weight: float | None = None,
    sparse_encoder: str | None = None,
) -> int:
    """Define a collection, for all tenants, and return its id; for administrators. Maps to
    braid.create_collection.

    `text_config` is a PostgreSQL text search configuration. `chunk_tokens` bounds a chunk in tokens: by
    default 240 for the offline model and 500 for others. `indexed_attributes` are the metadata keys that filters
    find by index: see `set_indexed_attributes`. `vector_storage`, `hnsw_m` and `hnsw_ef_construction` are how a
    large tenant's vectors are stored and indexed: see `set_vector_index`; by default as exactly as an index allows
    at these dimensions. Weights, `fusion`, `rrf_k` and `normalisation` are the defaults of searches;
    `preset` decides on those that are None.

    Raises InvalidArgumentError, also for a collection that exists with other settings.
    """
    client._spaces.forget(name)
    return int(
        client._session.value_for_all(
            "create_collection",
            """
            collection => %(name)s::text, text_config => %(text_config)s::text, dimensions => %(dimensions)s::int,
            distance => %(distance)s::text, embedding_model => %(embedding_model)s::text,
            chunk_tokens => %(chunk_tokens)s::int, k1 => %(k1)s::float8, b => %(b)s::float8,
            title_weight => %(title_weight)s::float8, full_text_weight => %(full_text_weight)s::float8,
            semantic_weight => %(semantic_weight)s::float8, fusion => %(fusion)s::text, rrf_k => %(rrf_k)s::float8,
            fold_diacritics => %(fold_diacritics)s::boolean, index_fields => %(index_fields)s::text[],
            embed_fields => %(embed_fields)s::text[], indexed_attributes => %(indexed_attributes)s::jsonb,
            vector_storage => %(vector_storage)s::text, hnsw_m => %(hnsw_m)s::int,
            hnsw_ef_construction => %(hnsw_ef_construction)s::int, normalisation => %(normalisation)s::text,
            preset => %(preset)s::text, neighbour_weight => %(neighbour_weight)s::float8,
            smoothing => %(smoothing)s::float8, statistics_scope => %(statistics_scope)s::text,
            bm25_variant => %(bm25_variant)s::text, sparse_weight => %(sparse_weight)s::float8,
            sparse_encoder => %(sparse_encoder)s::text
            """,
            name=name,
            text_config=text_config,
            dimensions=dimensions,
            distance=distance,
            embedding_model=embedding_model,
            chunk_tokens=chunk_tokens,
            k1=k1,
            b=b,
            title_weight=title_weight,
            full_text_weight=full_text_weight,
            semantic_weight=semantic_weight,
            fusion=fusion,
            rrf_k=rrf_k,
            fold_diacritics=fold_diacritics,
            index_fields=as_list(index_fields, "index_fields"),
            embed_fields=as_list(embed_fields, "embed_fields"),
            indexed_attributes=to_json(indexed_attributes or {}, "indexed_attributes"),
            vector_storage=vector_storage,
            hnsw_m=hnsw_m,
            hnsw_ef_construction=hnsw_ef_construction,
            normalisation=normalisation,
            preset=preset,
            neighbour_weight=neighbour_weight,
            smoothing=smoothing,
            statistics_scope=statistics_scope,
            bm25_variant=bm25_variant,
            sparse_weight=sparse_weight,
            sparse_encoder=sparse_encoder,
        )
    )


def drop_collection(client: Client, collection: str) -> bool:
    """Drop a collection with all that tenants stored in it; whether it was there. It is gone at once, and `maintain`
    frees its space. For administrators. Maps to braid.drop_collection."""
    client._spaces.forget(collection)
    return bool(
        client._session.value_for_all("drop_collection", "collection => %(collection)s", collection=collection)
    )


def set_ranking(
    client: Client,
    collection: str,
    *,
    k1: float | None = None,
    b: float | None = None,
    title_weight: float | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    rrf_k: float | None = None,
    fusion: str | None = None,
    normalisation: str | None = None,
    preset: str | None = None,
    neighbour_weight: float | None = None,
    smoothing: float | None = None,
    statistics_scope: str | None = None,
    bm25_variant: str | None = None,
    sparse_weight: float | None = None,
    sparse_encoder: str | None = None,
    ranking_model: str | None = None,
) -> None:
    """Change how a collection ranks, for all tenants and from the next search on; None keeps a setting. For
    administrators. Maps to braid.set_ranking.

    Raises InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_ranking",
        """
        collection => %(collection)s::text, k1 => %(k1)s::float8, b => %(b)s::float8,
        title_weight => %(title_weight)s::float8, full_text_weight => %(full_text_weight)s::float8,
        semantic_weight => %(semantic_weight)s::float8, rrf_k => %(rrf_k)s::float8, fusion => %(fusion)s::text,
        normalisation => %(normalisation)s::text, preset => %(preset)s::text,
        neighbour_weight => %(neighbour_weight)s::float8, smoothing => %(smoothing)s::float8,
        statistics_scope => %(statistics_scope)s::text, bm25_variant => %(bm25_variant)s::text,
        sparse_weight => %(sparse_weight)s::float8, sparse_encoder => %(sparse_encoder)s::text,
        ranking_model => %(ranking_model)s::text
        """,
        collection=collection,
        k1=k1,
        b=b,
        title_weight=title_weight,
        full_text_weight=full_text_weight,
        semantic_weight=semantic_weight,
        rrf_k=rrf_k,
        fusion=fusion,
        normalisation=normalisation,
        preset=preset,
        neighbour_weight=neighbour_weight,
        smoothing=smoothing,
        statistics_scope=statistics_scope,
        bm25_variant=bm25_variant,
        sparse_weight=sparse_weight,
        sparse_encoder=sparse_encoder,
        ranking_model=ranking_model,
    )


def set_synonyms(client: Client, word: str, synonyms: Sequence[str], collection: str = "default") -> int:
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
    client: Client, name: str, weights: Mapping[str, float] | None, *, append: bool = False
) -> int:
    """Store a table of term weights, by which searches make sparse terms of a query's words without a model; how many
    terms it has. None removes it. For administrators. Maps to braid.set_sparse_encoder.

    In place of what was stored before, or with `append` beside it. `set_ranking(collection, sparse_encoder=name)` gives
    it to a collection.

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
    client: Client, attributes: Mapping[str, Literal["text", "number", "time"]], collection: str = "default"
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


def set_vector_index(
    client: Client,
    collection: str,
    *,
    vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
    hnsw_m: int | None = None,
    hnsw_ef_construction: int | None = None,
) -> None:
    """Change how large tenants' vectors are stored and indexed, for all tenants; None keeps a setting. `maintain`
    makes new indexes beside those that serve. For administrators. Maps to braid.set_vector_index.

    `hnsw_m` and `hnsw_ef_construction` are those of Malkov & Yashunin 2018, section 4.1 (M, efConstruction).

    Raises InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_vector_index",
        """
        collection => %(collection)s::text, vector_storage => %(vector_storage)s::text, hnsw_m => %(hnsw_m)s::int,
        hnsw_ef_construction => %(hnsw_ef_construction)s::int
        """,
        collection=collection,
        vector_storage=vector_storage,
        hnsw_m=hnsw_m,
        hnsw_ef_construction=hnsw_ef_construction,
    )


def set_token_vectors(
    client: Client,
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


def set_query_embeddings(client: Client, collection: str, embedding_count: int = 1000) -> None:
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


def set_document_defaults(
    client: Client,
    collection: str,
    *,
    overlap_tokens: int | None = None,
    default_occurred_at: Literal["now", ""] | None = None,
) -> None:
    """Say what documents of a collection get that do not say it themselves. None keeps a setting. `overlap_tokens`: how
    many tokens of a chunk the next one repeats at most. `default_occurred_at`: "now" gives documents without
    occurred_at the time at which they are first written, "" takes that away. For administrators. Maps to
    braid.set_document_defaults.

    Raises InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_document_defaults",
        """
        collection => %(collection)s::text, overlap_tokens => %(overlap_tokens)s::int,
        default_occurred_at => %(default_occurred_at)s::text
        """,
        collection=collection,
        overlap_tokens=overlap_tokens,
        default_occurred_at=default_occurred_at,
    )
