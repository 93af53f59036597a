"""Recall uses stored vectors of queries, and a model change handles them."""

from __future__ import annotations

import psycopg
import pytest
from parts.query_vectors.test_query_embeddings import (
    Connection,
    assert_pages_keep_to_their_vector,
    assert_pages_stay_without_vector,
    filled,
    is_used,
    store,
    stored,
)

from support.calls import one
from support.nearest import maintain

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["filled"]
PAGED = [
    "braid.recall_json('text price', match_count => 1, collection => 'small', options => %s)",
    "braid.recall_json('text price', strategy => 'semantic', match_count => 1, collection => 'small', options => %s)",
]


def test_recall_takes_it_for_the_words_without_the_timeframe(filled: Connection) -> None:
    store(filled, "price")
    assert is_used(filled, "price", "recall_json")
    call = "select braid.recall_json(%s, timeframe => %s, strategy => %s, collection => 'small')"
    answer = one(filled, call, "price last week", "auto", "hybrid")
    assert answer["stats"]["query_embedding"] == "stored" and answer["stats"]["recall"]["strategy"] == "hybrid"
    answer = one(filled, call, "price", None, "semantic")
    assert (answer["stats"]["mode"], answer["warnings"]) == ("semantic", [])
    answer = one(filled, call, "price", None, "full_text")
    assert answer["stats"]["mode"] == "full_text"
    answer = one(filled, call, "unknown", None, "semantic")
    assert answer["stats"]["mode"] == "full_text"


def test_a_vector_is_read_by_searches_of_its_model_alone(filled: Connection) -> None:
    store(filled, "price")
    filled.execute("select braid.start_model_change('small', 'next', 3)")
    assert is_used(filled, "price")
    maintain(filled)
    chunks = "select chunk_id from braid.claim_embedding_jobs(10, '1 minute', 'small', 'next')"
    ids = [chunk_id for (chunk_id,) in filled.execute(chunks).fetchall()]
    vectors = ["[0,0,1]"] * len(ids)
    filled.execute("select braid.store_embeddings(%s, %s::vector[], 'small', 'next')", (ids, vectors))
    filled.execute("select braid.cut_over_model_change('small')")
    assert stored(filled, "price") is None and not is_used(filled, "price")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="searches of collection \"small\" use 'next'"):
        store(filled, "price", "[1,0,0]", "test")
    assert store(filled, "price", "[0,0,1]", "next") and is_used(filled, "price")
    filled.execute("select braid.finish_model_change('small')")
    maintain(filled)
    maintain(filled)
    assert stored(filled, "price") == "[0,0,1]"
    assert one(filled, "select count(*) from braid_store.query_embeddings") == 1


def test_after_a_change_of_the_model_was_rolled_back_the_old_vectors_count(filled: Connection) -> None:
    store(filled, "price")
    filled.execute("select braid.clear_collection('small')")
    store(filled, "price", "[0,1,0]")
    filled.execute("select braid.start_model_change('small', 'next', 3)")
    maintain(filled)
    filled.execute("select braid.cut_over_model_change('small')")
    assert stored(filled, "price") is None
    store(filled, "price", "[0,0,1]")
    filled.execute("select braid.roll_back_model_change('small')")
    assert stored(filled, "price") == "[0,1,0]"
    maintain(filled)
    assert one(filled, "select count(*) from braid_store.query_embeddings") == 1


@pytest.mark.parametrize("call", PAGED)
def test_pages_keep_to_the_vector_of_the_first(filled: Connection, call: str) -> None:
    assert_pages_keep_to_their_vector(filled, call)


@pytest.mark.parametrize("call", PAGED)
def test_pages_of_a_search_by_text_alone_stay_so(filled: Connection, call: str) -> None:
    assert_pages_stay_without_vector(filled, call)
