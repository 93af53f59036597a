"""braid.health finds each fault, and the finding's command mends it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from pgbraid import embedded
from pgbraid.cli import cli
from pgbraid.install import install
from support import finish_drops, temporary_folder
from support.health import assert_found_and_mended, findings, mend
from support.waiting import until

Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def _no_other_sessions() -> None:
    """Wait until the databases of former tests are dropped: health sees the transactions that drop them."""
    finish_drops()


def many_rows(db: Connection, count: int, length: int = 8) -> None:
    db.execute("alter table braid_store.metadata_lists set (autovacuum_enabled = off)")
    db.execute(
        "insert into braid_store.metadata_lists (tenant_id, collection_id, segment_id, key, type, block, chunk_ids)"
        " select 1, 1, 1, lpad(n::text, %s, '0'), 'text', 0, '{}' from generate_series(1, %s) n",
        (length, count),
    )
    counted(db)


def counted(db: Connection) -> None:
    db.execute("select pg_stat_force_next_flush()")
    db.execute("select 1")


def write(db: Connection, count: int, collection: str = "default", **fields: Any) -> None:
    documents = [{"external_id": str(n), "content": f"text {n}", **fields} for n in range(count)]
    db.execute("select braid.upsert_documents(%s, %s)", (json.dumps(documents), collection))


def test_a_new_database_has_no_finding(dsn: str) -> None:
    assert findings(dsn, older_than="0 seconds") == []
    with psycopg.connect(dsn, autocommit=True) as db:
        write(db, 10)
        db.execute("select braid.maintain()")
    assert findings(dsn) == []


FAULTS = [
    ("alter table braid_store.postings_b disable row level security", "row_security_off", "braid_store.postings_b"),
    ("drop policy tenant_isolation on braid_store.tombstones", "policy_missing", "braid_store.tombstones"),
    (
        "create policy more on braid_store.centroids using (true)",
        "policy_changed",
        "policy more of braid_store.centroids",
    ),
    (
        "alter policy tenant_isolation on braid_store.segments using (true)",
        "policy_changed",
        "policy tenant_isolation of braid_store.segments",
    ),
    (
        "alter policy definitions on braid_store.collections to public",
        "policy_changed",
        "policy definitions of braid_store.collections",
    ),
    (
        "alter policy tenant_isolation on braid_store.chunks using ((select braid_calls.login_is_known()))",
        "policy_changed",
        "policy tenant_isolation of braid_store.chunks",
    ),
    (
        "alter policy tenant_isolation on braid_store.documents using (id = (select braid_calls.session_tenant_id()))",
        "policy_changed",
        "policy tenant_isolation of braid_store.documents",
    ),
    (
        "create policy definitions on braid_store.documents to braid_reader using (true)",
        "policy_changed",
        "policy definitions of braid_store.documents",
    ),
    ("grant select on braid_store.chunks to public", "granted_to_public", "braid_store.chunks"),
    ("grant execute on function braid.version() to public", "granted_to_public", "braid.version()"),
    ("grant usage on schema braid to public", "granted_to_public", "braid"),
    ("grant select, insert on braid_store.documents to pg_monitor", "granted_to_others", "braid_store.documents"),
    ("grant create on schema braid_store to pg_monitor", "granted_to_others", "braid_store"),
    ("alter table braid_store.forward_rows owner to pg_monitor", "owner_changed", "braid_store.forward_rows"),
    ("alter function braid.calibrate() owner to pg_monitor", "owner_changed", "braid.calibrate()"),
    ("alter function braid.list_rankings(text) security definer", "function_changed", "braid.list_rankings(text)"),
    (
        "alter function braid_store.exact_limit(int) set search_path = public",
        "function_changed",
        "braid_store.exact_limit(integer)",
    ),
    (
        "alter function braid_store.gateway_mark() reset search_path",
        "function_changed",
        "braid_store.gateway_mark()",
    ),
]


def test_rights_and_policies(dsn: str) -> None:
    install(dsn)  # a clone gets its own roles
    assert findings(dsn) == []
    with psycopg.connect(dsn, autocommit=True) as db:
        for fault, _, _ in FAULTS:
            db.execute(fault.encode())
    seen = findings(dsn)
    assert {(row["code"], row["subject"]) for row in seen} == {(code, subject) for _, code, subject in FAULTS}
    assert {row["severity"] for row in seen} == {"problem"}
    mend(dsn, {"command": "\n".join(sorted({line for row in seen for line in row["command"].splitlines()}))})
    assert findings(dsn) == []


def test_what_postgrest_serves(dsn: str, make_login: Callable[..., str]) -> None:
    login = make_login("authenticator")
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(
            f"alter role {login} in database {db.info.dbname} set pgrst.db_schemas = 'public, braid_store,braid'"
        )
        assert_found_and_mended(dsn, "schema_exposed", login)
        row = db.execute("select setconfig from pg_db_role_setting where setrole = %s::regrole", (login,)).fetchone()
    assert row == (["pgrst.db_schemas=public, braid"],)


def test_a_service_that_no_policy_binds(dsn: str, make_login: Callable[..., str]) -> None:
    login = make_login("worker", "service", options="bypassrls")
    assert_found_and_mended(dsn, "service_bypasses_policies", login)


def test_settings_of_the_database(dsn: str, make_login: Callable[..., str]) -> None:
    login = make_login("reader")
    with psycopg.connect(dsn, autocommit=True) as db:
        name = db.info.dbname
        db.execute(f"alter database {name} set default_transaction_isolation = 'repeatable read'")
        db.execute(f"alter database {name} set hnsw.ef_search = 50")
        db.execute(f"alter role {login} in database {name} set hnsw.iterative_scan = 'off'")
    assert_found_and_mended(dsn, "isolation_level")
    seen = findings(dsn, "hnsw_setting_ignored")
    assert len(seen) == 2 and login in seen[1]["subject"]
    assert_found_and_mended(dsn, "hnsw_setting_ignored", severity="advice")


def test_indexes_that_are_not_valid(dsn: str, db: Connection) -> None:
    db.execute("create index chunks_speaker_idx_ccnew on braid_store.chunks (tenant_id)")
    db.execute(
        "update pg_index set indisvalid = false where indexrelid = any (array["
        "'braid_store.chunks_speaker_idx', 'braid_store.chunks_speaker_idx_ccnew']::regclass[])"
    )
    seen = findings(dsn, "index_invalid")
    assert [row["command"] for row in seen] == [
        "reindex index concurrently braid_store.chunks_speaker_idx;",
        "drop index concurrently braid_store.chunks_speaker_idx_ccnew;",
    ]
    assert_found_and_mended(dsn, "index_invalid", "chunks_speaker_idx")


def test_dead_rows_and_stale_statistics(dsn: str, db: Connection) -> None:
    many_rows(db, 12_000)
    assert_found_and_mended(dsn, "statistics_stale", "braid_store.metadata_lists", severity="advice")
    assert findings(dsn, "dead_rows") == []
    db.execute("delete from braid_store.metadata_lists where key::int % 12 <> 0")
    counted(db)
    assert_found_and_mended(dsn, "dead_rows", "braid_store.metadata_lists")


def test_bloat(dsn: str, db: Connection) -> None:
    db.execute("vacuum analyze braid_store.metadata_lists")
    many_rows(db, 80_000, 220)
    # Before the next vacuum, the needed size is unknown.
    assert findings(dsn, "bloat") == []
    db.execute("delete from braid_store.metadata_lists where key::int > 100")
    db.execute("vacuum analyze braid_store.metadata_lists")
    assert_found_and_mended(dsn, "bloat", "braid_store.metadata_lists_pkey", severity="advice")


def test_of_a_table_that_has_grown_no_more_is_read(db: Connection) -> None:
    many_rows(db, 20_000, 220)
    db.execute("vacuum analyze braid_store.metadata_lists")
    db.execute(
        "insert into braid_store.metadata_lists (tenant_id, collection_id, segment_id, key, type, block, chunk_ids)"
        " select 2, 1, 1, n::text, 'text', 0, '{}' from generate_series(1, 60000) n"
    )
    db.execute("begin")
    db.execute("select * from braid_store.relation_sizes()")
    row = db.execute(
        "select pg_stat_get_xact_tuples_returned('braid_store.metadata_lists'::regclass), count(*)"
        " from pg_index where indrelid = 'braid_store.metadata_lists'::regclass"
    ).fetchone()
    db.execute("rollback")
    assert row is not None
    assert 0 < row[0] <= 1500 * (1 + row[1])


def test_a_shard_that_is_being_dropped_keeps_nobody_waiting(dsn: str, db: Connection) -> None:
    db.execute("create table braid_store.vectors_99 (id int)")
    with psycopg.connect(dsn) as other:
        other.execute("drop table braid_store.vectors_99")
        findings(make_conninfo(dsn, options="-c lock_timeout=1min"))
        other.rollback()


def test_what_keeps_vacuum_from_its_work(dsn: str, db: Connection, pg_version: int) -> None:
    other = psycopg.connect(dsn)
    other.execute("select pg_current_xact_id()")
    subject = f"process {other.info.backend_pid}"
    assert subject not in [row["subject"] for row in findings(dsn, "transaction_long")]
    (own,) = [row for row in findings(dsn, "transaction_long", "0 seconds") if row["subject"] == subject]
    mend(dsn, own)
    assert subject not in [row["subject"] for row in findings(dsn, "transaction_long", "0 seconds")]
    other.close()
    db.execute("select pg_create_physical_replication_slot('nobody', true)")
    try:
        severity = "problem" if pg_version >= 17 else "advice"
        assert_found_and_mended(dsn, "replication_slot_inactive", "nobody", "0 seconds", severity)
    finally:
        db.execute("select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'nobody'")


def test_chunks_without_embedding(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    write(db, 4, "small")
    assert findings(dsn, "embeddings_waiting") == []
    (waiting,) = findings(dsn, "embeddings_waiting", "0 seconds")
    assert waiting["subject"] == "tenant default, collection small"
    assert waiting["finding"].startswith("4 chunks wait")
    assert waiting["command"] == "pgbraid work --once --embedding-api API --embedding-model test"
    jobs = db.execute("select * from braid.claim_embedding_jobs(4, collection => 'small')").fetchall()
    ids = [job[0] for job in jobs]
    db.execute("select braid.abandon_embedding_jobs(%s, 'too long', 1, 'small')", (ids[:1],))
    db.execute("select braid.fail_embedding_jobs(%s, 'refused', 'small')", (ids[1:2],))
    (failing,) = findings(dsn, "embeddings_failing")
    assert failing["finding"].startswith("1 chunks failed")
    abandoned = assert_found_and_mended(dsn, "embeddings_abandoned", "collection small")
    assert abandoned["finding"] == "1 chunks were given up: too long"
    # Both findings have the same command.
    assert findings(dsn, "embeddings_failing") == []
    vectors = [[float(n), 1.0, 0.0] for n in range(4)]
    db.execute(
        "select braid.store_embeddings(%s::bigint[], (select array_agg(v::vector) from unnest(%s::text[]) v), 'small')",
        (ids, [str(vector) for vector in vectors]),
    )
    assert findings(dsn, "embeddings_waiting", "0 seconds") == []


def test_the_offline_models_chunks_are_embedded_by_the_command(dsn: str, db: Connection) -> None:
    write(db, 2)
    assert_found_and_mended(dsn, "embeddings_waiting", "collection default", "0 seconds")


def test_vectors_without_an_index(dsn: str, db: Connection, make_login: Callable[..., str], connect_as: Any) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    db.execute("update braid_store.vector_settings set exact_rows = 10")
    documents = [{"external_id": str(n), "content": f"text {n}", "embedding": [n, n % 7, 1]} for n in range(40)]
    db.execute("select braid.upsert_documents(%s, 'small')", (json.dumps(documents),))
    # Maintenance has not had time yet.
    assert [row["severity"] for row in findings(dsn, "vectors_not_indexed")] == ["advice"]
    seen = assert_found_and_mended(dsn, "vectors_not_indexed", "tenant default, collection small", "0 seconds")
    assert seen["finding"].startswith("More than 29 ")
    (index,) = db.execute("select c.relname from pg_class c where c.relname ~ '^vectors_[0-9]+_hnsw$'").fetchone() or (
        "",
    )
    db.execute(f"drop index braid_store.{index}")
    login = make_login("ana", "braid_writer")
    db.execute("select braid.add_tenant_member('default', %s)", (login,))
    call = "select subject from braid.health() where code = 'vector_index_missing'"
    assert connect_as(login).execute(call).fetchall() == [("tenant default, collection small",)]
    assert_found_and_mended(dsn, "vector_index_missing", "tenant default, collection small")
    row = db.execute("select braid.status('small') #>> '{collections,0,vectors,shards,0,index_type}'").fetchone()
    assert row == ("halfvec",)


def test_an_index_that_is_not_used(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    db.execute("update braid_store.vector_settings set exact_rows = 10")
    documents = [{"external_id": str(n), "content": f"text {n}", "embedding": [n, n % 7, 1]} for n in range(40)]
    db.execute("select braid.upsert_documents(%s, 'small')", (json.dumps(documents),))
    while not (db.execute("select braid.maintain() -> 'complete'").fetchone() or (False,))[0]:
        pass
    # calibrate_shard leaves an index with low index recall like this.
    db.execute("update braid_store.vector_shards set ef_search = null, ef_search_fused = null, index_recall = 0.958")
    call = "select braid.search_json(query_embedding => '[1,2,3]', collection => 'small') #> '{warnings,0}'"
    row = db.execute(call).fetchone()
    assert row is not None
    warning = row[0]
    assert warning["code"] == "vector_index_unused" and "0.958" in warning["message"]
    seen = assert_found_and_mended(dsn, "vector_index_unused", "tenant default, collection small")
    assert "0.958" in seen["finding"] and '"hnsw_m": 32, "hnsw_ef_construction": 200' in seen["command"]
    assert db.execute(call).fetchone() == (None,)


def test_what_many_tenants_have_in_common_is_one_row(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    db.execute("grant select on braid_store.chunks to public")
    for number in range(7):
        db.execute("select braid.create_tenant(%s)", (f"t{number}",))
        db.execute("select set_config('braid.tenant', %s, false)", (f"t{number}",))
        write(db, 1, "small")
        if number == 4:
            each = findings(dsn, "embeddings_waiting", "0 seconds")
            assert [row["subject"] for row in each] == [f"tenant t{n}, collection small" for n in range(5)]
    (row,) = findings(dsn, "embeddings_waiting", "0 seconds")
    assert row["subject"].startswith("7 tenants or their collections: t0, collection small; t1, ")
    assert "t3" not in row["subject"] and row["reason"] == each[0]["reason"] and row["command"] == each[0]["command"]
    assert [row["subject"] for row in findings(dsn, "granted_to_public")] == ["braid_store.chunks"]


def test_maintenance_that_nobody_runs(dsn: str, db: Connection) -> None:
    write(db, 3)
    assert findings(dsn, "maintenance_overdue") == []
    assert_found_and_mended(dsn, "maintenance_overdue", older_than="0 seconds")


def test_chunks_that_exceed_the_models_window(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_tenant('other')")
    db.execute("select braid.create_collection('long', embedding_model => 'maker/all-MiniLM-L12-v2')")
    write(db, 1, "long")
    (seen,) = findings(dsn, "chunks_exceed_window")
    assert (seen["subject"], seen["severity"]) == ("collection long", "advice")
    mend(dsn, seen)
    db.execute("select braid.drop_collection('long')")
    assert findings(dsn, "chunks_exceed_window") == []
    row = db.execute("select chunk_tokens, embedding_model from braid.collections where name = 'long_short'").fetchone()
    assert row == (120, "maker/all-MiniLM-L12-v2")


PROSE = "The committee met in spring, and its members agreed to look at the budget of the coming year again. " * 3
CODE = "def read_lines(path):\n    file_name = str(path)\n    return [line.strip() for line in open(file_name)]\n" * 3


@pytest.mark.parametrize(
    ("fields", "preset", "why"),
    [
        ({"content": PROSE}, None, ""),
        ({"content": PROSE, "speaker": "Ana"}, "conversation", "100 % have a speaker"),
        ({"content": CODE}, "code", "100 % are source code"),
        ({"content": "A command that shows files"}, "code", "100 % have fewer than 40 tokens"),
    ],
)
def test_a_preset_is_suggested_from_a_thousand_chunks(
    dsn: str, db: Connection, fields: dict[str, str], preset: str | None, why: str
) -> None:
    db.execute("select braid.create_collection('texts')")
    write(db, 999, "texts", **fields)
    assert findings(dsn, "preset_suggested") == []
    db.execute("select braid.upsert_documents(%s, 'texts')", (json.dumps([{"external_id": "last", **fields}]),))
    found = findings(dsn, "preset_suggested")
    before = db.execute("select full_text_weight, smoothing from braid.collections where name = 'texts'").fetchone()
    assert before == (0.6, 0.5)
    if preset is None:
        assert found == []
        return
    (seen,) = found
    assert (seen["severity"], seen["subject"]) == ("advice", "tenant default, collection texts")
    assert why in seen["finding"] and f'{{"preset": "{preset}"}}' in seen["command"]
    mend(dsn, seen)
    assert findings(dsn, "preset_suggested") == []
    weights = db.execute("select full_text_weight from braid.collections where name = 'texts'").fetchone()
    assert weights == ({"conversation": 0.7, "code": 0.25}[preset],)


def test_a_ranking_that_is_not_of_prose_is_left_alone(dsn: str, db: Connection) -> None:
    for name, ranking in (
        ("asked", None),
        ("created", '{"full_text_weight": 0.5}'),
        ("spoken", '{"speaker_weight": 0.1}'),
        ("long", '{"document_weight": 0.2}'),
    ):
        db.execute("select braid.create_collection(%s, ranking => %s)", (name, ranking))
        write(db, 1000, name)
    assert [row["subject"] for row in findings(dsn, "preset_suggested")] == ["tenant default, collection asked"]


def test_rows_of_the_future(dsn: str, db: Connection) -> None:
    write(db, 3)
    db.execute("update braid_store.chunks set created_at = now() + '1 day'")
    db.execute("update braid_store.documents set updated_at = now() + '1 day'")
    assert_found_and_mended(dsn, "rows_in_future", "tenant default")
    assert db.execute("select from braid_store.documents where updated_at > now()").rowcount == 0


def test_versions_of_pgvector(dsn: str, db: Connection) -> None:
    row = db.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    assert row is not None
    if row[0] > "0.8.2":
        db.execute("update pg_extension set extversion = '0.8.2' where extname = 'vector'")
        assert_found_and_mended(dsn, "pgvector_not_updated", "pgvector 0.8.2", severity="advice")
    codes = "select array_agg(f.code), string_agg(f.reason, ' ') from braid_store.pgvector_findings(%s, %s) f"
    for installed, available, found, said in [
        ("0.8.0", "0.8.0", ["pgvector_faulty"], "CVE-2026-3172"),
        ("0.8.2", "0.8.3", ["pgvector_faulty", "pgvector_not_updated"], "not repaired"),
        ("0.8.0", None, ["pgvector_faulty"], "CVE-2026-3172"),
        ("0.8.4", "0.8.4", None, None),
        ("0.10.0", "0.10.0", None, None),
    ]:
        row = db.execute(codes, (installed, available)).fetchone()
        assert row is not None
        assert row[0] == found
        assert said is None or said in row[1]


def test_what_a_login_may_see(dsn: str, db: Connection, make_login: Callable[..., str], connect_as: Any) -> None:
    writer, operator = make_login("ana", "braid_writer"), make_login("ops", "administrator")
    nobody = make_login("nobody", "braid_writer")
    db.execute("select braid.create_tenant('beta')")
    db.execute("select braid.add_tenant_member('default', %s)", (writer,))
    db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
    db.execute("grant select on braid_store.chunks to public")
    for tenant in ("default", "beta"):
        db.execute("select set_config('braid.tenant', %s, false)", (tenant,))
        write(db, 3, "small")
    call = "select code, subject from braid.health('0 seconds') order by code, subject"
    assert connect_as(writer).execute(call).fetchall() == [("embeddings_waiting", "tenant default, collection small")]
    seen = connect_as(operator).execute(call).fetchall()
    assert {
        ("embeddings_waiting", "tenant default, collection small"),
        ("embeddings_waiting", "tenant beta, collection small"),
        ("granted_to_public", "braid_store.chunks"),
    } <= set(seen)
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
        connect_as(nobody).execute(call)
    assert refused.value.diag.message_hint
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connect_as(writer).execute("select * from braid_calls.administrator_findings('1 hour')")


@pytest.mark.parametrize("grants_group", [False, True])
def test_monitors_see_all_tenants_and_no_text(
    dsn: str, db: Connection, make_login: Callable[..., str], connect_as: Any, grants_group: bool
) -> None:
    watcher = make_login("watcher", *([] if grants_group else ["monitor"]))
    if grants_group:
        db.execute("select braid.add_trusted_role('pg_monitor', 'monitor')")
        db.execute(f"grant pg_monitor to {watcher}")
    try:
        db.execute("select braid.create_tenant('beta')")
        db.execute("select set_config('braid.tenant', 'beta', false)")
        db.execute("select braid.create_collection('small', dimensions => 3, embedding_model => 'test')")
        write(db, 2, "small")
        ids = [row[0] for row in db.execute("select chunk_id from braid.claim_embedding_jobs(collection => 'small')")]
        db.execute("select braid.abandon_embedding_jobs(%s, 'refused: text 0', 1, 'small')", (ids,))
        login = connect_as(watcher)
        seen = login.execute("select code, finding from braid.health('0 seconds')").fetchall()
        assert ("embeddings_abandoned", "2 chunks were given up") in seen
        assert "text 0" not in str(seen)
        assert "text 0" in str(findings(dsn))
        direct = login.execute("select * from braid_calls.administrator_findings('1 hour')").fetchall()
        assert "text 0" not in str(direct)
        for statement in ("select braid.calibrate()", "select * from braid_store.chunks", "select braid.maintain()"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                login.execute(statement)
        done = CliRunner().invoke(cli, ["doctor", "--dsn", make_conninfo(dsn, user=watcher)])
        assert done.exit_code == 1 and "the server and all tenants" in done.output, done.output
    finally:
        if grants_group:
            db.execute(f"revoke pg_monitor from {watcher}")
            db.execute("select braid.remove_trusted_role('pg_monitor', 'monitor')")
            db.execute("revoke all on schema braid, braid_store from pg_monitor")


def test_names_are_quoted_in_commands(dsn: str, db: Connection) -> None:
    hostile = """a'b"; drop table x; $(touch /tmp/x) `x` \\n -- \npgbraid uninstall"""
    db.execute("select braid.create_tenant(%s)", (hostile,))
    db.execute("select braid.create_collection(%s, dimensions => 3, embedding_model => %s)", (hostile, hostile))
    db.execute("select set_config('braid.tenant', %s, false)", (hostile,))
    write(db, 1, hostile)
    (waiting,) = findings(dsn, "embeddings_waiting", "0 seconds")
    assert len(waiting["command"].splitlines()) == 1
    shell = waiting["command"].replace("pgbraid work --once", "printf '%s\\n'")
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    assert done.stdout.endswith(f"\n{hostile}\n")
    ids = [
        row[0] for row in db.execute("select chunk_id from braid.claim_embedding_jobs(collection => %s)", (hostile,))
    ]
    db.execute("select braid.abandon_embedding_jobs(%s, 'no', 1, %s)", (ids, hostile))
    seen = assert_found_and_mended(dsn, "embeddings_abandoned")
    assert [line.split()[0] for line in seen["command"].splitlines()] == ["set", "select"]


@pytest.mark.parametrize("older_than", ["-1 seconds", "101 years", None])
def test_a_time_that_cannot_be(shared_db: Connection, older_than: str | None) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="older_than is") as refused:
        shared_db.execute("select * from braid.health(%s::interval)", (older_than,))
    assert "for example '1 hour'" in (refused.value.diag.message_hint or "")


@pytest.fixture
def home() -> Iterator[Path]:
    folder = temporary_folder()
    yield folder
    embedded.stop(folder)
    shutil.rmtree(folder)


def test_settings_of_the_server(home: Path, pg_version: int) -> None:
    server = embedded.ensure_running(home, pg_version)
    embedded.create_database(server)
    install(server.dsn)
    embedded.stop(home)
    faults = ["autovacuum = off", "track_counts = off", "fsync = off", "full_page_writes = off", "max_connections = 20"]
    faults += ["max_locks_per_transaction = 10", "max_prepared_transactions = 2", "shared_buffers = 1MB"]
    faults += ["autovacuum_freeze_max_age = 100000"]
    with open(home / "postgres" / "postgresql.conf", "a") as configuration:
        configuration.write("\n".join(faults) + "\n")
    dsn = embedded.ensure_running(home).dsn
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(
            "insert into braid_store.sparse_rows select 1, 1, n, 0, repeat('x', 1500), '{1}'"
            " from generate_series(1, 4000) n"
        )
        db.execute(
            "create table braid_store.vectors_99 as select array_fill(n, array[900])::vector(900) as v"
            " from generate_series(1, 400) n"
        )
        db.execute("create index vectors_99_hnsw on braid_store.vectors_99 using hnsw (v vector_l2_ops)")
        db.execute("vacuum")
        db.execute("alter system set maintenance_work_mem = '1MB'")
        db.execute("select pg_reload_conf()")
        db.execute("begin")
        db.execute("insert into braid_store.sparse_rows values (1, 1, 0, 0, 'x', '{1}')")
        db.execute("prepare transaction 'it''s'")
        # The prepared transaction keeps even a forced vacuum from freezing the transaction ids that become old here.
        db.execute("do $$ begin for n in 1..210000 loop perform pg_current_xact_id(); commit; end loop; end $$")
    expected = {
        "autovacuum_off", "track_counts_off", "fsync_off", "full_page_writes_off", "locks_few", "shared_buffers_small",
        "maintenance_work_mem_small", "transaction_ids_old",
    }  # fmt: skip
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as db:
        rows = db.execute("select * from braid.health('0 seconds')").fetchall()
    seen = [row for row in rows if row["code"] in expected]
    assert {row["code"] for row in seen} == expected
    (prepared,) = [row for row in rows if row["code"] == "transaction_prepared"]
    with psycopg.connect(dsn, autocommit=True) as db:
        # On a small machine, no more than a third of the memory is requested.
        for cache, commands in (("3MB", []), ("6MB", ["shared_buffers = '2MB'"])):
            db.execute(f"set effective_cache_size = '{cache}'")
            asked = db.execute(
                "select f.command from braid_store.server_findings() f where f.code ~ '^(shared_buf|maintenance_w)'"
            ).fetchall()
            assert all(any(part in command for (command,) in asked) for part in commands)
            assert bool(asked) == bool(commands)
    for row in [prepared, *seen]:
        mend(dsn, row)
    embedded.stop(home)
    dsn = embedded.ensure_running(home).dsn
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as db:
        left = {row["code"] for row in db.execute("select * from braid.health('0 seconds')").fetchall()}
    assert not left & (expected | {"transaction_prepared"}), left


def test_on_a_hot_standby(home: Path, pg_version: int) -> None:
    """On a hot standby, health writes nothing, and finds what the primary's rows show."""
    server = embedded.ensure_running(home, pg_version)
    embedded.create_database(server)
    install(server.dsn)
    with psycopg.connect(server.dsn, autocommit=True) as db:
        write(db, 3)
        db.execute("alter table braid_store.chunks disable row level security")
    embedded.stop(home)
    (home / "postgres" / "standby.signal").touch()
    dsn = embedded.ensure_running(home).dsn
    with psycopg.connect(dsn, autocommit=True) as db:
        assert db.execute("select pg_is_in_recovery()").fetchone() == (True,)
    assert {row["code"] for row in findings(dsn, older_than="0 seconds")} >= {"row_security_off", "embeddings_waiting"}
    # The standby itself can mend only this finding.
    (feedback,) = findings(dsn, "hot_standby_feedback_off")
    assert feedback["severity"] == "advice" and feedback["command"].startswith("-- on the standby\n")
    mend(dsn, feedback)
    until(lambda: findings(dsn, "hot_standby_feedback_off") == [])
    done = CliRunner().invoke(cli, ["doctor", "--dsn", dsn])
    assert done.exit_code == 1, done.output
    assert "a standby: run commands on the primary" in done.output
