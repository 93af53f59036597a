"""braid.health finds filters in the search log that an index would help."""

from __future__ import annotations

import json
from typing import Any

import psycopg

from support.health import assert_found_and_mended, findings

Connection = psycopg.Connection[Any]


def test_filters_without_an_index(dsn: str, db: Connection) -> None:
    keys = json.dumps({"team": "text", "metadata.language": "text"})
    db.execute("select braid.create_collection('docs', 'simple', 3, indexed_attributes => %s)", (keys,))
    db.execute("select braid.set_search_log('docs')")
    # Each condition decompresses the metadata; the log keeps filters of up to 2,000 bytes.
    documents = [
        {"external_id": str(n), "content": "alpha", "metadata": {"year": n % 100, "note": "x" * 4000}}
        for n in range(2500)
    ]
    db.execute("select count(*) from braid.upsert_documents(%s, 'docs')", (json.dumps(documents),))
    slow = [{"year": {"$ne": -number}} for number in range(74)]
    # Without "metadata.", these keys would mean something else.
    others = {"metadata.speaker": 7, "metadata.$y": 7, "metadata.metadata.y": 7}
    for filters in ({"year": 7, "team": "a"}, {"$and": slow, "year": 7, **others}):
        db.execute("select braid.logged_search('alpha', filters => %s, collection => 'docs')", (json.dumps(filters),))
    seen = assert_found_and_mended(dsn, "filters_undeclared", "collection docs", severity="advice")
    assert "of 1 took" in seen["finding"]
    declared = db.execute("select indexed_attributes from braid.collections where name = 'docs'").fetchone()
    numbers = dict.fromkeys(("year", "speaker", "$y", "metadata.y"), "number")
    assert declared == ({"team": "text", "language": "text", **numbers},)


def log_searches(db: Connection, tenants: str, keys: list[str], count: int, warning: str = "undeclared_filter") -> None:
    """Log searches of all tenants whose keys match."""
    db.execute(
        "insert into braid_store.search_log (tenant_id, search_id, collection_id, searched_at, login, mode,"
        " filters, match_count, result_count, is_first_page, external_ids, chunk_indexes, is_underfilled, warnings,"
        " ranking, configuration, sample_share, query_time_ms, compile_ms, legs_ms, ranking_ms, rows_ms)"
        " select t.id, gen_random_uuid(), c.id, now(), 'ana', 'full_text', %s,"
        " 10, 0, true, '{}', '{}', false, string_to_array(%s, ','), '', '{}', 1, 60, 1, 57, 1, 1"
        " from braid_store.tenants t, braid_store.collections c, generate_series(1, %s)"
        " where t.key ~ %s and c.name = 'docs'",
        (json.dumps(dict.fromkeys(keys, "x")), warning, count, tenants),
    )


def test_one_tenant_does_not_crowd_out_the_keys_of_others(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_collection('docs')")
    for tenant, keys, count in (
        ("first", ["team"], 1),
        ("greedy", [f"a{n}" for n in range(40)], 9),
        ("last", ["team"], 1),
    ):
        db.execute("select braid.create_tenant(%s)", (tenant,))
        log_searches(db, tenant, keys, count)
    (seen,) = findings(dsn, "filters_undeclared")
    assert '"team": "text"' in seen["command"]
    assert seen["command"].count(': "text"') == 32


def test_the_filters_of_the_last_of_many_tenants(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_collection('docs')")
    db.execute("select count(braid.create_tenant('t' || n)) from generate_series(1, 110) n")
    log_searches(db, "t", ["team"], 1, warning="")
    log_searches(db, "t110", ["year"], 1)
    for counted in (False, True):
        (seen,) = findings(dsn, "filters_undeclared")
        assert (seen["command"].count('"year": "text"'), '"team"' in seen["command"]) == (1, False)
        if not counted:
            db.execute("select braid.maintain('1 hour')")
            assert db.execute("select from only braid_store.search_log").rowcount == 0
