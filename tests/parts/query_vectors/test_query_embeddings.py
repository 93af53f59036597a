"""A search by text alone uses the stored vector of its query."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from support import OtherSession
from support.calls import full_text, hybrid, one, set_tenant, upsert
from support.nearest import maintain

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]

PLACES = {"price": [1, 0, 0], "both": [0.8, 0.6, 0], "cost": [0, 1, 0]}
HERE = {"collection": "small"}


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    db.execute("select braid.set_query_embeddings('small', 3)")
    fill(db)
    return db


def fill(db: Connection) -> None:
    upsert(db, [{"external_id": k, "content": f"text of {k}", "embedding": v} for k, v in PLACES.items()], "small")


def store(db: Connection, text: str, embedding: str = "[0,1,0]", model: str | None = None) -> bool:
    return bool(one(db, "select braid.store_query_embedding(%s, %s, 'small', %s)", text, embedding, model))


def stored(db: Connection, text: str) -> str | None:
    found = one(db, "select braid.get_query_embedding(%s, 'small')::text", text)
    return None if found is None else str(found)


def stats(db: Connection, text: str, function: str = "search_json", **options: Any) -> dict[str, Any]:
    answer = one(db, f"select braid.{function}(%s, collection => 'small', options => %s)", text, Jsonb(options))
    found: dict[str, Any] = answer["stats"]
    return found


def is_used(db: Connection, text: str, function: str = "search_json", **options: Any) -> bool:
    found = stats(db, text, function, **options)
    assert (found.get("query_embedding") == "stored") == (found["mode"] != "full_text")
    return "query_embedding" in found


@contextmanager
def tenant(db: Connection, name: str) -> Iterator[None]:
    tenant = set_tenant(db, name)
    try:
        yield
    finally:
        set_tenant(db, tenant)


def test_a_search_of_text_alone_takes_the_stored_vector(filled: Connection) -> None:
    # The text is not the name of a document, which would rank first in hybrid searches only.
    before = hybrid(filled, query_text="prices", **HERE)
    assert not is_used(filled, "prices")
    assert store(filled, "prices", "[0,1,0]")
    assert is_used(filled, "prices")
    given = hybrid(filled, query_text="prices", query_embedding="[0,1,0]", **HERE)
    assert hybrid(filled, query_text="prices", **HERE) == given != before
    explained = one(filled, "select braid.explain_search('prices', collection => 'small')")
    assert explained["query"]["embedding"] == "stored"
    passages = "braid.assemble_context('prices', collection => 'small')"
    assert set(one(filled, f"select array_agg(external_id) from {passages}")) == set(PLACES)
    assert full_text(filled, "prices", **HERE) == before
    # A given vector wins over the stored one.
    other = one(filled, "select braid.search_json('prices', '[1,0,0]', collection => 'small') -> 'stats'")
    assert "query_embedding" not in other
    call = "braid.semantic_search(braid.get_query_embedding('prices', 'small'), 1, collection => 'small')"
    assert one(filled, f"select array_agg(external_id) from {call}") == ["cost"]


def test_text_alone_stays_full_text_where_that_is_asked_for(filled: Connection) -> None:
    store(filled, "price")
    call = "select braid.search_json('price', semantic_weight => 0, collection => 'small') #>> '{stats,mode}'"
    assert one(filled, call) == "full_text"


def test_it_is_that_of_the_words_without_operators(filled: Connection) -> None:
    store(filled, "price seat a plan")
    assert is_used(filled, '+price seat* -discount "a plan"')
    assert not is_used(filled, '+price seat* -discount "a plan"', operators=False)
    assert is_used(filled, "price seat a plan", operators=False)
    assert not is_used(filled, "Price seat a plan")
    assert not is_used(filled, "-price")
    assert not is_used(filled, "price " * 4000)


def test_collections_store_none_until_they_are_told_to(db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    fill(db)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="stores no vectors of queries"):
        store(db, "price")
    db.execute("select braid.set_query_embeddings('small')")
    assert one(db, "select parts -> 'query_embedding_count' from braid.collections where name = 'small'") == 1000
    assert store(db, "price") and is_used(db, "price")
    db.execute("select braid.set_query_embeddings('small', 0)")
    assert not is_used(db, "price") and stored(db, "price") is None
    maintain(db)
    assert one(db, "select count(*) from braid_store.query_embeddings") == 0


def test_tenants_do_not_share_them(filled: Connection) -> None:
    store(filled, "price")
    filled.execute("select braid.create_tenant('other')")
    with tenant(filled, "other"):
        fill(filled)
        assert stored(filled, "price") is None
        assert not is_used(filled, "price")
        # Each tenant has its own count and its own vectors.
        for text in ("a", "b", "price"):
            store(filled, text, "[1,0,0]")
        assert stored(filled, "price") == "[1,0,0]"
    assert stored(filled, "price") == "[0,1,0]"
    with tenant(filled, "other"):
        filled.execute("select braid.clear_collection('small')")
        assert stored(filled, "price") is None
    assert stored(filled, "price") == "[0,1,0]"


def test_those_go_that_were_not_stored_again_for_longest(filled: Connection) -> None:
    for text in ("a", "b", "c"):
        store(filled, text)
    filled.execute("update braid_store.query_embeddings set used_at = used_at - interval '2 hours' where true")
    assert store(filled, "a")
    store(filled, "d")
    assert [text for text in "abcd" if stored(filled, text)] == ["a", "c", "d"]
    # Within the hour, storing the same again writes nothing.
    unchanged = "select array_agg(q.xmin::text order by q.text_hash) from braid_store.query_embeddings q"
    before = one(filled, unchanged)
    assert store(filled, "d") and one(filled, unchanged) == before
    assert store(filled, "d", "[1,0,0]") and stored(filled, "d") == "[1,0,0]"
    filled.execute("select braid.set_query_embeddings('small', 1)")
    maintain(filled)
    assert [text for text in "abcd" if stored(filled, text)] == ["d"]
    assert one(filled, "select braid.status('small') #>> '{collections,0,query_embeddings}'") == "1"


def test_they_go_with_the_collection_and_the_tenant(filled: Connection) -> None:
    filled.execute("select braid.create_tenant('other')")
    with tenant(filled, "other"):
        store(filled, "price")
    filled.execute("select braid.drop_tenant('other', 'other')")
    # The tenant has nothing else in the collection.
    filled.execute("select braid.create_tenant('third')")
    with tenant(filled, "third"):
        store(filled, "price")
    filled.execute("select braid.drop_collection('small')")
    maintain(filled)
    assert one(filled, "select count(*) from braid_store.query_embeddings") == 0


def test_searches_only_read(filled: Connection, other_session: OtherSession) -> None:
    store(filled, "price")
    with other_session() as reading:
        reading.read_only = True
        assert is_used(reading, "price")
        assert stored(reading, "price")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            store(reading, "other")


def test_readers_store_nothing(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    store(filled, "price")
    login = make_login("reader", "braid_reader")
    filled.execute("select braid.add_tenant_member('default', %s)", (login,))
    with connect_as(login) as reader:
        assert is_used(reader, "price") and stored(reader, "price")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            store(reader, "other")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            reader.execute("table braid_store.query_embeddings")


def test_a_request_without_a_user_does_not_learn_what_others_asked(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection]
) -> None:
    store(filled, "price")
    login = make_login("gateway", "braid_writer")
    filled.execute("select braid.add_trusted_role(%s, 'gateway')", (login,))
    filled.execute("select braid.set_access(public_tenant => 'default')")
    with connect_as(login) as gateway:
        assert not is_used(gateway, "price") and stored(gateway, "price") is None
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            store(gateway, "other")
        claims = json.dumps({"app_metadata": {"tenant_id": "default"}})
        gateway.execute("select set_config('request.jwt.claims', %s, false)", (claims,))
        assert is_used(gateway, "price") and stored(gateway, "price")


def test_storing_does_not_wait(filled: Connection, other_session: OtherSession) -> None:
    with other_session() as clearing:
        clearing.execute("select braid.clear_collection('small')")
        assert store(filled, "price") is False
        clearing.rollback()
    assert store(filled, "price") is True


PAGED = "braid.search_json('text price', match_count => 1, collection => 'small', options => %s)"


def page(db: Connection, call: str, cursor: str = "") -> tuple[list[str], bool, str]:
    """Return the rows of a page, whether a stored vector was used for it, and the next cursor."""
    answer = one(db, f"select {call}", Jsonb({"cursor": cursor}))
    found = answer["stats"]
    rows = [row["external_id"] for row in answer["results"]]
    return rows, found.get("query_embedding") == "stored", found["next_cursor"]


def test_pages_keep_to_the_vector_of_the_first(filled: Connection) -> None:
    assert_pages_keep_to_their_vector(filled, PAGED)


def assert_pages_keep_to_their_vector(filled: Connection, call: str) -> None:
    store(filled, "text price")
    rows, is_taken, cursor = page(filled, call)
    others, is_taken_again, _ = page(filled, call, cursor)
    assert is_taken and is_taken_again and len(rows + others) == len({*rows, *others}) == 2
    store(filled, "text price", "[0,0,1]")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="which has changed since"):
        page(filled, call, cursor)
    filled.execute("select braid.set_query_embeddings('small', 0)")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="which is no longer stored") as refused:
        page(filled, call, cursor)
    assert '"cursor": ""' in str(refused.value.diag.message_hint)
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="another query"):
        page(filled, call.replace("text price", "text cost"), cursor)


def test_pages_of_a_search_by_text_alone_stay_so(filled: Connection) -> None:
    assert_pages_stay_without_vector(filled, PAGED)


def assert_pages_stay_without_vector(filled: Connection, call: str) -> None:
    _, is_taken, cursor = page(filled, call)
    expected = page(filled, call, cursor)
    store(filled, "text price")
    assert page(filled, call, cursor) == expected
    assert not is_taken and not expected[1] and page(filled, call)[1]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("null, '[1,0,0]', 'small'", "embedded_text is null"),
        ("'', '[1,0,0]', 'small'", "embedded_text is empty"),
        ("repeat('x', 16385), '[1,0,0]', 'small'", "embedded_text has 16385 bytes, more than 16384"),
        ("'x', null, 'small'", "embedding is null"),
        ("'x', '[1,0]', 'small'", "embedding has 2 dimensions"),
        ("'x', '[0,0,0]', 'small'", "embedding is a zero vector"),
        ("'x', '[1,0,0]', 'none'", 'collection "none" does not exist'),
        ("'x', '[1,0,0]', 'small', 'other'", "searches of collection \"small\" use 'test'"),
    ],
)
def test_bad_input(filled: Connection, arguments: str, named: str) -> None:
    with pytest.raises(psycopg.Error) as refused:
        filled.execute(f"select braid.store_query_embedding({arguments})")
    assert named in str(refused.value) and refused.value.diag.message_hint
    assert one(filled, "select count(*) from braid_store.query_embeddings") == 0


@pytest.mark.parametrize("count", [-1, 10_001, None])
def test_bad_counts(filled: Connection, count: int | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="embedding_count is") as refused:
        filled.execute("select braid.set_query_embeddings('small', %s)", (count,))
    assert refused.value.diag.message_hint
