"""Settings that change the format of numbers, dates, bytes and names change neither answers nor stored rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from random import Random
from typing import Any

import psycopg
import pytest
from core.isolation.test_calls import CALLS
from core.isolation.world import Connection, World

from support.api import OBJECTS
from support.parts import is_installed

# Each value is as far from the default as possible. The time zone stays: a timeframe without one is in the session's,
# and JSON shows times in it.
HOSTILE = {
    "extra_float_digits": "-15",
    "datestyle": "German, DMY",
    "intervalstyle": "sql_standard",
    "bytea_output": "escape",
    "array_nulls": "off",
    "quote_all_identifiers": "on",
    "row_security": "off",
    "transform_null_equals": "on",
    "default_text_search_config": "pg_catalog.turkish",
    "standard_conforming_strings": "off",
    "escape_string_warning": "off",
    "lc_numeric": "C",
    "xmloption": "document",
}
# Answers keep their types, and become text only after the settings are back to normal.
ANSWERS = """
create or replace function pg_temp.answer(call text, settings jsonb)
returns text
language plpgsql as $$
declare
  v_before jsonb;
  v_answer text := '';
  v_row text;
begin
  select jsonb_object_agg(s.key, current_setting(s.key)) into v_before from jsonb_each_text(settings) s;
  begin
    perform set_config(s.key, s.value, true) from jsonb_each_text(settings) s;
    begin
      execute 'create temp table answer as select * from ' || call || ' answer';
    exception when invalid_table_definition then -- it gives nothing
      execute 'select ' || call;
      create temp table answer ();
    end;
    perform set_config(s.key, s.value, true) from jsonb_each_text(v_before) s;
    for v_row in execute 'select a::text from answer a' loop
      v_answer := v_answer || v_row || chr(10);
    end loop;
    raise exception using errcode = 'ZZ999';
  exception
    when sqlstate 'ZZ999' then null;
    when others then v_answer := sqlstate || ' ' || sqlerrm;
  end;
  perform set_config(s.key, s.value, true) from jsonb_each_text(v_before) s;
  return v_answer;
end
$$
"""
# These parts of an answer differ between any two calls.
PASSING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|(?<=only,)\d+|\"+\w*(?:_ms|seconds)\"+: [\d.e-]+"
    r"|(?:20[2-9]\d-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\.\d+(?:[+-]\d\d(?::\d\d)?)?"
)
VIEWS = [f"(select * from {name})" for name, header in OBJECTS.items() if header.kind == "view"]
# These functions measure time.
BY_CLOCK = {"health", "status", "maintain", "calibrate", "measure_index_recall"}


@pytest.mark.parametrize("name", [*sorted(set(CALLS) - BY_CLOCK), "views"])
def test_answers_are_the_same(world: World, name: str) -> None:
    chunks = f"array{world.chunk_ids('alpha')}::bigint[]"
    with world.admin.transaction(force_rollback=True):
        world.admin.execute("set local braid.tenant = 'alpha'")
        world.admin.execute(ANSWERS)
        for call in VIEWS if name == "views" else CALLS[name]:
            call = call.replace(":beta_chunks", chunks).replace("beta", "alpha")
            answers = [
                PASSING.sub("", str(world.admin.execute("select pg_temp.answer(%s, %s)", (call, given)).fetchone()))
                for given in (json.dumps({}), json.dumps(HOSTILE))
            ]
            assert answers[1] == answers[0], call


WORDS = [f"w{chr(97 + place)}x" for place in range(26)]


def documents() -> list[dict[str, Any]]:
    random = Random(5)
    weights = [1 / (place + 1) for place in range(26)]
    return [
        {
            "external_id": f"d{number}",
            "content": " ".join(random.choices(WORDS, weights, k=random.randint(5, 80))),
            "embedding": [random.gauss(0, 1) for _ in range(3)],
            "importance": random.random(),
            "occurred_at": f"2024-{random.randint(1, 12):02}-{random.randint(1, 12):02}",
            "metadata": {"price": random.random(), "year": 2000 + number % 9},
            "sparse": {word: random.random() for word in random.sample(WORDS, 4)},
        }
        for number in range(600)
    ]


STORED: list[tuple[str, tuple[Any, ...]]] = [
    ("select braid.set_ranking('small', '{\"k1\": 1.2345678901234, \"b\": 0.71234567}')", ()),
    ("select braid.set_token_vectors('small', 'test', 4)", ()),
    ("select braid.set_query_embeddings('small', 10)", ()),
    ("select braid.set_search_log('small', keep_query => 'hash')", ()),
    ("select braid.set_sparse_encoder('test', '{\"wax\": 0.123456789, \"wbx\": 1.987654321}')", ()),
    *(("select count(*) from braid.upsert_documents(%s, 'small')", (k,)) for k in range(0, 600, 200)),
    ("select braid.store_query_embedding('wax', '[0.123456789,0.2,0.3]', 'small')", ()),
    ("select braid.set_profile('ana', '[0.123456789,0.2,0.3]', collection => 'small')", ()),
    ("select braid.learn_profile('ben', array['d1', 'd2', 'd3'], collection => 'small')", ()),
    ("select braid.record_feedback(braid.logged_search('wax', collection => 'small') #>> '{stats,search_id}',"
     " braid.logged_search('wax', collection => 'small') #>> '{results,0,external_id}', 'dwell',"
     " 3.14159265358979)", ()),
    ("select braid.create_query_set('asked')", ()),
    ("select braid.store_queries('asked', '[{\"query_id\": \"1\", \"text\": \"wax wbx\","
     " \"embedding\": [0.123456789,1,2]}, {\"query_id\": \"2\", \"text\": \"wcx\"}]', 'small')", ()),
    ("select braid.store_judgments('asked', '[{\"query_id\": \"1\", \"external_id\": \"d1\", \"grade\": 2},"
     " {\"query_id\": \"2\", \"external_id\": \"d2\", \"grade\": 1}]')", ()),
    ("select braid.store_ranking_model('learned', '{\"version\": 1, \"mode\": \"hybrid\", \"features\": [\"score\"],"
     " \"weights\": [0.12345678901234567]}')", ()),
    ("select braid.set_ranking('small', '{\"k1\": 1.3456789012345}', 'better')", ()),
    ("select braid.sync_table('public.prices', array['body'], collection => 'small', tenant => 'default',"
     " importance => 'price', occurred_at => 'at',"
     " metadata => array['lasts', 'code', 'price'])", ()),
    ("insert into public.prices select n, 'wax ' || n, n * 0.1, '2024-02-03'::timestamptz, '1 day 2 hours',"
     " decode('00ff', 'hex') from generate_series(1, 20) n", ()),
    ("update public.prices set price = price / 3 where id > 1", ()),
    ("select braid.apply_changes()", ()),
    ("delete from public.prices where id > 2", ()),
    ("select braid.apply_changes()", ()),
    ("select count(*) from braid.import_tenant((select jsonb_agg(e) from braid.export_tenant('small', '', 5) e))", ()),
    ("select braid.delete_documents(array(select 'd' || n from generate_series(1, 40) n), 'small')", ()),
    ("select braid.maintain('1 minute')", ()),
    ("select braid.check_index('small')", ()),
]  # fmt: skip
# These tables' rows contain times or durations.
PASSING_TABLES = {
    "upkeep_rates", "daily_table_sizes", "daily_part_sizes", "_yoyo_log", "_yoyo_migration", "_yoyo_version",
    "installation", "due_parts", "search_hours", "synced_tables",
}  # fmt: skip
PASSING_COLUMNS = re.compile(r"_at$|_ms$|_id$|^(?:search_id|login|member|placed|versions?|xid|at)$|_seconds$")


def store(connection: Connection) -> list[Any]:
    texts = documents()
    said = []
    for statement, parameters in STORED:
        if not is_installed(statement):
            continue
        given = tuple(json.dumps(texts[place : place + 200]) for place in parameters)
        said.append(connection.execute(statement.encode(), given).fetchall() if "select" in statement[:6] else
                    connection.execute(statement.encode()).rowcount)  # fmt: skip
    return said


def stored(dsn: str) -> dict[str, list[str]]:
    """Return all rows of all tables, without the parts that differ anyhow."""
    found = {}
    with psycopg.connect(dsn, autocommit=True) as connection:
        tables = connection.execute(
            "select c.oid::regclass::text, array(select a.attname::text from pg_attribute a where a.attrelid = c.oid"
            "   and a.attnum > 0 and not a.attisdropped and a.atttypid <> 'timestamptz'::regtype order by a.attnum)"
            " from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' order by 1"
        ).fetchall()
        for table, columns in tables:
            kept = [f't."{name}"::text' for name in columns if not PASSING_COLUMNS.search(name)]
            if table.removeprefix("braid_store.") not in PASSING_TABLES and kept:
                rows = connection.execute(f"select concat_ws('|', {', '.join(kept)}) from {table} t".encode())
                found[re.sub(r"search_log_\d+", "search_log_day", table)] = sorted(row for (row,) in rows)
    return found


@pytest.fixture(scope="module")
def two(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[list[str]]:
    """Yield two databases with the same documents: a session without settings wrote one, and a hostile session the
    other."""
    with new_database() as plain, new_database() as hostile:
        for dsn, settings in ((plain, {}), (hostile, HOSTILE)):
            with psycopg.connect(dsn, autocommit=True) as connection:
                connection.execute(
                    "select braid.create_collection('small', dimensions => 3, embedding_model => 'test',"
                    ' indexed_attributes => \'{"price": "number"}\')'
                )
                connection.execute(
                    "create table public.prices (id bigint primary key, body text, price float4, at timestamptz,"
                    " lasts interval, code bytea)"
                )
                for name, value in settings.items():
                    connection.execute("select set_config(%s, %s, false)", (name, value))
                store(connection)
        yield [plain, hostile]


def test_what_is_stored_is_the_same(two: list[str]) -> None:
    plain, hostile = map(stored, two)
    assert plain["braid_store.postings_a"]
    assert {name: rows for name, rows in hostile.items() if rows != plain[name]} == {}


def test_the_best_are_those_of_all(two: list[str]) -> None:
    """The best results are the same in both databases: a search with wrong bounds would miss the best."""
    random = Random(7)
    for dsn in two:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for _ in range(40):
                query = " ".join(random.choices(WORDS, k=random.randint(1, 6)))
                search = "select external_id, score from braid.full_text_search(%s, %s, collection => 'small')"
                best = connection.execute(search, (query, 600)).fetchall()
                for count in (1, 3, 10, 50):
                    assert connection.execute(search, (query, count)).fetchall() == best[:count], query


def test_indexes_are_found_right_under_all_settings(two: list[str]) -> None:
    for dsn in two:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for digits in ("-15", "0", "3"):
                connection.execute(f"set extra_float_digits = {digits}".encode())
                assert connection.execute("select * from braid.check_index('small')").fetchall() == []
