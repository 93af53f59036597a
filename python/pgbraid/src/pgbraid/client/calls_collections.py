# Generated from async_client/calls_collections.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of collections. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import as_list, optional_json, to_json
from pgbraid.spaces import LOCAL_MODEL

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient


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
    """Create a collection, which all tenants share: each sees its own documents in it.

    embedding_model, dimensions, distance (cosine, inner_product or l2): the model that makes the vectors. text_config:
    the text search configuration that stems words. chunk_tokens: the most tokens that a chunk has; null takes 240 for
    all-MiniLM-L6-v2 and 500 for other models. indexed_attributes: see set_indexed_attributes. ranking: an object that
    holds settings of set_ranking, such as {"preset": "conversation"}; the default preset is prose. settings: an object
    such as {"fold_diacritics": false}, which takes the keys of set_collection and these. fold_diacritics: whether
    words match without their accents. index_fields: a list of the fields that full text covers: title, speaker,
    content. embed_fields: a list of the fields that the model embeds: title, speaker, content. Return the collection's
    id. If a collection of this name exists with the same settings, its id is returned; if its settings differ, 22023
    is raised. Only administrators may call it.

    Maps to braid.create_collection. Raise InvalidArgumentError, also for a collection that exists with other settings.
    """
    found = client._session.value_for_all(
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
    client._spaces.forget(name)
    return int(found)


def set_collection(client: BaseClient, collection: str, settings: Mapping[str, Any]) -> None:
    """Change settings of a collection, for all tenants.

    settings: an object, such as {"overlap_tokens": 20}; settings that are not given stay. overlap_tokens: the most
    tokens of a chunk that the next chunk repeats, 0 to half of chunk_tokens; null takes a tenth of a chunk. It holds
    from the next write on. default_occurred_at: now gives documents without occurred_at the time at which they are
    first written, for memories that are written as things happen; null gives no time. It holds from the next write on.
    vector_storage: the type in which large tenants' vectors are stored: vector, halfvec or binary. With vector, up to
    2000 dimensions are possible, and the index holds halfvec where it can. With halfvec, up to 4000 are possible, and
    vectors take half the space, too. hnsw_m, hnsw_ef_construction: the parameters that pgvector uses for HNSW indexes.
    maintain() makes new vector shards while the old ones go on serving searches. Numbers that halfvec has rounded stay
    rounded. To change how a collection ranks, use set_ranking. Only administrators may call it.

    Maps to braid.set_collection. Raise InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_collection",
        "collection => %(collection)s::text, settings => %(settings)s::jsonb",
        collection=collection,
        settings=to_json(settings, "settings"),
    )
    client._spaces.forget(collection)


def drop_collection(client: BaseClient, collection: str) -> bool:
    """Remove a collection with all that every tenant stored in it.

    This cannot be undone. The collection is gone at once, and maintain() frees its space. Return false if no
    collection has this name. To empty only one tenant's part, use clear_collection. Only administrators may call it.

    Maps to braid.drop_collection.
    """
    found = client._session.value_for_all(
        "drop_collection", "collection => %(collection)s::text", collection=collection
    )
    client._spaces.forget(collection)
    return bool(found)


def set_synonyms(client: BaseClient, word: str, synonyms: Sequence[str], collection: str = "default") -> int:
    """Set the words and phrases that a query for a word or phrase also finds in a collection, in place of its former
    synonyms.

    word: a word or phrase that queries have. synonyms: at most 63 words or phrases, of 16 words each; an empty array
    removes the synonyms of the word. They hold from the next query on, in one direction: with synonyms {automobile}
    for the word car, a query for automobile does not find car. A text is ranked as if each synonym in it were the
    word. For a phrase, whose words must stand together in the query, a synonym counts as each of its words. Words with
    the same stem count as one word. A synonym that contains the word or another synonym is left out, since a query
    finds it anyway. Return how many were stored. Only administrators may call it.

    Maps to braid.set_synonyms. Raise InvalidArgumentError, NotFoundError.
    """
    found = client._session.value_for_all(
        "set_synonyms",
        "word => %(word)s::text, synonyms => %(synonyms)s::text[], collection => %(collection)s::text",
        word=word,
        synonyms=as_list(synonyms, "synonyms"),
        collection=collection,
    )
    client._spaces.forget(collection)
    return int(found)


def set_indexed_attributes(
    client: BaseClient, attributes: Mapping[str, Literal["text", "number", "time"]], collection: str = "default"
) -> None:
    """Declare which metadata keys of a collection have an index, so that filters on them are fast.

    attributes: an object such as {"year": "number", "team": "text"}, at most 32 keys, which replaces the former
    declaration; {} declares none. Its types are text, number and time (ISO 8601 strings). The operators $eq, $in and
    ranges use the index. The index does not change which chunks pass a filter; scores may change where
    statistics_scope is auto. A value of another type is kept but not indexed. New writes are indexed at once.
    braid.maintain() indexes the chunks that are stored already; until then, filters are as slow as before. Only
    administrators may call it.

    Maps to braid.set_indexed_attributes. Raise InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_indexed_attributes",
        "indexed_attributes => %(attributes)s::jsonb, collection => %(collection)s::text",
        attributes=to_json(attributes, "attributes"),
        collection=collection,
    )
    client._spaces.forget(collection)


def set_ranking(
    client: BaseClient,
    collection: str,
    ranking: Mapping[str, Any],
    reason: str | None = None,
    *,
    evaluation: Mapping[str, Any] | None = None,
    expected_ranking: Mapping[str, Any] | None = None,
) -> int:
    """Change how a collection ranks, for all tenants and from the next search on, and keep a version of it.

    ranking: an object that holds settings, such as {"fusion": "convex", "full_text_weight": 0.7}. Settings that are
    not given stay, but a fusion of the other kind (convex and dbsf, or rrf and max) resets the weights to its
    defaults. To try a ranking first, give it to searches as the option ranking: the scores are the same. Installed
    parts have settings of their own. k1, b: the parameters of BM25; b null follows the length of the chunks.
    title_weight: how many times a word of the title counts. full_text_weight, semantic_weight, sparse_weight: the
    weights of the scores in hybrid searches that give none. fusion: use rrf, convex, dbsf or max. rrf_k: the constant
    that rrf uses. normalisation: use centroid, theoretical, minmax, zscore, saturate or none. preset: use prose,
    conversation, code or rrf for the settings of a new collection of this kind; other settings override them. It
    leaves normalisation and bm25_variant alone, and sets fusion and rrf_k only if it is rrf. With the fusion rrf or
    max, the weights are the fusion's defaults. neighbour_weight: the share of the scores of the chunks before and
    after a chunk that is added to its score. document_weight: the share of the best score in the document of a chunk.
    question_penalty: what a chunk that only asks loses in hybrid searches. speaker_weight: what a chunk gains there if
    the query names its speaker. name_weight: what share of the best score a document gains there if its title or
    external_id is the query or a quoted part of it; above 1 it comes first. smoothing: how far, in hybrid searches,
    the score of a chunk moves to the mean score of chunks with near vectors. statistics_scope: where words are
    counted: collection, filter, auto or permitted. typos: whether misspelt words match near words: off or auto.
    bm25_variant: okapi multiplies BM25 scores by k1 + 1, as the classic formula does; lucene does not. reason: why the
    ranking changes, for readers of list_rankings. evaluation: the measurements behind the change, an object of at most
    100000 bytes; values of queries, changed, query_text, rows and missed are not kept, since versions belong to no
    tenant. expected_ranking: settings that the collection must still have, such as the settings that ranking was
    compared with; otherwise the change is refused. Return the number of the new version, or of the present version if
    nothing changes. restore_ranking undoes the change. Scores are exact at once. After a change of k1, b or
    title_weight, full-text searches may be slower until braid.maintain() has rewritten the index. Only administrators
    may call it.

    Maps to braid.set_ranking. Raise InvalidArgumentError, NotFoundError, LimitExceededError.
    """
    found = client._session.value_for_all(
        "set_ranking",
        """
        collection => %(collection)s::text, ranking => %(ranking)s::jsonb, reason => %(reason)s::text,
        evaluation => %(evaluation)s::jsonb, expected_ranking => %(expected_ranking)s::jsonb
        """,
        collection=collection,
        ranking=to_json(ranking, "ranking"),
        reason=reason,
        evaluation=optional_json(evaluation, "evaluation"),
        expected_ranking=optional_json(expected_ranking, "expected_ranking"),
    )
    client._spaces.forget(collection)
    return int(found)


def list_rankings(client: BaseClient, collection: str = "default") -> list[dict[str, Any]]:
    """List the versions of a collection's ranking, newest first: who changed what, when and why.

    Each change by set_ranking or restore_ranking is a version; the newest 100 are kept. Version 1 is the ranking that
    the first change found. changes: the settings that differ from the version before, each with both values. ranking:
    all settings, changed or not. login: the user who changed it; null, as changed_at is, in a version that no call
    made: version 1, and settings that came by another way. role: the role in use, if the user had chosen another one.
    is_current: whether the collection ranks by this version. Only administrators may call it.

    Maps to braid.list_rankings. Raise NotFoundError.
    """
    found: list[dict[str, Any]] = client._session.json_rows(
        "list_rankings", "collection => %(collection)s::text", collection=collection
    )
    return found


def restore_ranking(client: BaseClient, collection: str, version: int, reason: str | None = None) -> int:
    """Return a collection to the ranking of a version that list_rankings shows, for all tenants and from the next
    search on.

    version: the version whose settings to set, all of them, whatever has changed since. reason: why the ranking
    changes, for readers of list_rankings. Nothing is lost: this makes a new version, so it can be undone as well.
    Return the number of the new version, or of the present version if nothing changes. Only administrators may call
    it.

    Maps to braid.restore_ranking. Raise InvalidArgumentError, NotFoundError.
    """
    found = client._session.value_for_all(
        "restore_ranking",
        "collection => %(collection)s::text, version => %(version)s::int, reason => %(reason)s::text",
        collection=collection,
        version=version,
        reason=reason,
    )
    client._spaces.forget(collection)
    return int(found)
