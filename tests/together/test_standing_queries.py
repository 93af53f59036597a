"""Standing queries heed the validity of documents and who may read them, as searches do."""

from __future__ import annotations

from typing import Any

import psycopg
from parts.permissions.test_access import principals
from parts.static_embeddings.test_static_embedder import create, store

from support.calls import full_text, one, upsert

Connection = psycopg.Connection[Any]
HERE = {"collection": "standing"}


def stand(db: Connection) -> None:
    db.execute("select braid.create_collection('standing', dimensions => 3, embedding_model => 'test')")
    db.execute("select braid.create_standing_query('owls', 'owl', collection => 'standing')")


def claimed(db: Connection) -> list[str]:
    call = "select external_id from braid.claim_matches(lease => '1 microsecond', collection => 'standing')"
    return [external_id for (external_id,) in db.execute(call).fetchall()]


def test_a_document_that_is_not_valid_matches_nothing(db: Connection) -> None:
    stand(db)
    db.execute("select braid.set_validity('standing')")
    upsert(
        db,
        [
            {"external_id": "now", "content": "An owl."},
            {"external_id": "past", "content": "An owl.", "metadata": {"valid_until": "2001-01-01T00:00:00Z"}},
        ],
        "standing",
    )
    assert claimed(db) == ["now"] == [row[0] for row in full_text(db, "owl", **HERE)]


def test_policies_are_not_asked_for_each_hidden_match(db: Connection) -> None:
    """The lists that a session may read are looked up a few times, however many matches it may not see."""
    stand(db)
    db.execute("select braid.set_permissions('standing', true)")
    hidden = [{"external_id": f"h{n}", "content": "An owl.", "access": ["group:a"]} for n in range(300)]
    upsert(db, [*hidden, {"external_id": "open", "content": "An owl."}], "standing")
    calls = "select coalesce(pg_stat_get_xact_function_calls('braid_calls.readable_bounds'::regproc), 0)"
    ids = one(db, "select array_agg(id) from braid_store.standing_query_matches")
    for call, answer in (
        ("(select string_agg(external_id, '') from braid.claim_matches(1, collection => 'standing'))", "open"),
        ("(braid.status('standing') -> 'collections' -> 0 ->> 'standing_query_matches')", "1"),
        ("(select count(*)::text from braid.export_tenant() e where e ? 'standing_query_match')", "1"),
        ("braid.acknowledge_matches(%s, 'standing')::text", "1"),
    ):
        with principals(db, "group:b"):
            db.execute("set local track_functions = 'all'")
            assert one(db, f"select {call}", *([ids] if "%s" in call else [])) == answer, call
            assert one(db, calls) < 60, call


def test_a_match_is_for_who_may_read_its_document(db: Connection) -> None:
    stand(db)
    db.execute("select braid.set_permissions('standing', true)")
    documents: list[dict[str, Any]] = [
        {"external_id": "open", "content": "An owl."},
        {"external_id": "secret", "content": "An owl.", "access": ["group:a"]},
    ]
    upsert(db, documents, "standing")
    ids = "array(select match_id from braid.claim_matches(lease => '1 microsecond', collection => 'standing'))"
    everything = db.execute(f"select {ids}").fetchall()[0][0]
    for given, seen in (('["group:b"]', ["open"]), ('["group:a"]', ["open", "secret"]), ("", ["open", "secret"])):
        db.execute("select set_config('braid.principals', %s, false)", (given,))
        assert claimed(db) == seen, given
    db.execute("set braid.principals = '[\"group:b\"]'")
    acknowledged = db.execute("select braid.acknowledge_matches(%s, 'standing')", (everything,)).fetchall()
    assert acknowledged == [(1,)]
    db.execute("set braid.principals = '[\"group:a\"]'")
    assert claimed(db) == ["secret"]


def test_the_status_counts_no_match_of_a_hidden_document(db: Connection) -> None:
    stand(db)
    db.execute("select braid.set_permissions('standing', true)")
    upsert(db, [{"external_id": "hidden", "content": "An owl.", "access": ["group:board"]}], "standing")
    counts = (
        "select c -> 'standing_query_matches' from jsonb_array_elements(braid.status() -> 'collections') c"
        " where c ->> 'name' = 'standing'"
    )
    assert one(db, counts) == 1
    with principals(db, "user:ana"):
        assert one(db, counts) == 0
    with principals(db, "group:board"):
        assert one(db, counts) == 1


def test_vectors_that_the_database_makes_are_matched(db: Connection) -> None:
    store(db)
    create(db)
    db.execute(
        "select braid.create_standing_query('near', query_embedding => braid.embed_text('harbour', 'tiny'),"
        " semantic_min_score => 0.5, collection => 'ports')"
    )
    # The database embeds the words that are not excluded.
    db.execute("select braid.create_standing_query('text', 'harbour -fox', semantic_min_score => 0.5,"
               " collection => 'ports')")  # fmt: skip
    upsert(db, [{"external_id": "a", "content": "A ship in the harbour"}], "ports")
    call = "select name, kind from braid.claim_matches(collection => 'ports') order by 1, 2"
    assert db.execute(call).fetchall() == [("near", "semantic"), ("text", "full_text"), ("text", "semantic")]


def test_a_match_of_an_expired_document_is_not_claimed(db: Connection) -> None:
    stand(db)
    db.execute("select braid.set_validity('standing')")
    upsert(db, [{"external_id": "a", "content": "An owl."}], "standing")
    assert claimed(db) == ["a"]
    db.execute("select braid.update_metadata('a', '{\"expires_at\": \"2024-01-01\"}', collection => 'standing')")
    assert claimed(db) == []
