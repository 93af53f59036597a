"""Test that removing parts from a database removes nothing else."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pgbraid import embedded
from pgbraid.cli import main
from pgbraid.errors import InstallationError, InvalidArgumentError, NotInstalledError
from pgbraid.install import install, read_installation, uninstall_parts
from pgbraid.install.resources import resources
from support import clone, snapshot
from support.calls import one, upsert
from support.package import Package
from support.waiting import PATIENCE, until

Connection = psycopg.Connection[Any]
# Each part comes before the parts that it needs.
PARTS = [name for name in reversed([*resources().parts]) if name != "core"]
AT_ONCE = 3


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    """Install, which gives the clone roles of its own."""
    if "dsn" in request.fixturenames:
        install(request.getfixturevalue("dsn"))


@contextmanager
def empty(server: embedded.Server) -> Iterator[str]:
    with clone(server, "template1") as name:
        yield server.dsn_for(name)


def parts_of(dsn: str) -> set[str]:
    with psycopg.connect(dsn) as connection:
        found = read_installation(connection)
    assert found is not None
    return {*found.part_hashes} - {"core"}


def recorded(dsn: str) -> list[Any]:
    """Return what an installation records about itself."""
    with psycopg.connect(dsn) as connection:
        return [
            connection.execute(query.encode()).fetchall()
            for query in (
                "select version, migrations, placeholders ->> 'vector', extension_hashes from braid_store.installation",
                "select name, place, manifest, content_hash from braid_store.parts order by 2",
                "select migration_id, migration_hash from braid_store._yoyo_migration order by 1",
            )
        ]


def test_down_to_the_core_and_back(server: embedded.Server, dsn: str) -> None:
    """Removing a few parts at a time, and adding as many, gives what one installation of the same parts gives."""
    install(dsn, with_parts=PARTS)
    full = snapshot.definitions(dsn), recorded(dsn)
    for start in range(0, len(PARTS), AT_ONCE):
        removed = PARTS[start : start + AT_ONCE]
        assert {*uninstall_parts(dsn, removed).parts} == {*removed}
        assert parts_of(dsn) == {*PARTS[start + AT_ONCE :]}
        # The remaining installation is complete: an upgrade changes nothing.
        assert not install(dsn).changed
    with empty(server) as core:
        install(core, only=["core"])
        assert snapshot.definitions(dsn) == snapshot.definitions(core)
        assert recorded(dsn) == recorded(core)
    # Each step brings the parts that its parts need.
    for start in range(0, len(PARTS), AT_ONCE):
        before = parts_of(dsn)
        report = install(dsn, with_parts=PARTS[start : start + AT_ONCE])
        assert {*report.added_parts} == parts_of(dsn) - before
    assert parts_of(dsn) == {*PARTS}
    assert (snapshot.definitions(dsn), recorded(dsn)) == full
    assert not install(dsn).changed
    with psycopg.connect(dsn) as connection:
        connection.execute("select from braid.hybrid_search('anything')")


def refusal(dsn: str, *parts: str) -> str:
    """Return the error of a removal, which has changed nothing."""
    before = snapshot.rows(dsn)
    with pytest.raises(InstallationError) as caught:
        uninstall_parts(dsn, parts)
    assert snapshot.rows(dsn) == before
    return str(caught.value)


def test_what_cannot_be_removed_is_named(dsn: str, db: Connection) -> None:
    assert "core is no part" in refusal(dsn, "core")
    unknown = refusal(dsn, "sync", "nothing")
    assert "the part nothing is not installed" in unknown and "sync" in unknown
    needed = refusal(dsn, "evaluation")
    assert "the part evaluation is needed by learning" in needed
    assert refusal(dsn, "evaluation", "evaluation") == needed
    assert "pgbraid uninstall --part evaluation --part learning" in needed
    assert "part 0001 is not installed" in refusal(dsn, "0001")
    with pytest.raises(InvalidArgumentError, match="parts is the text 'memory'"):
        uninstall_parts(dsn, "memory")
    # A distributed installation keeps its parts.
    db.execute("create schema braid_shards create table node_shards (remainder int)")
    assert "pgbraid distribute --gather" in refusal(dsn, "sync")
    db.execute("drop schema braid_shards cascade")
    (before,) = db.execute("select content_hash from braid_store.parts where name = 'sync'").fetchall()
    db.execute("update braid_store.parts set content_hash = '' where name = 'sync'")
    assert "pgbraid upgrade" in refusal(dsn, "memory")
    db.execute("update braid_store.parts set content_hash = %s where name = 'sync'", before)
    assert uninstall_parts(dsn, ["memory", "memory"]).parts == ("memory",)


def test_where_nothing_is_installed_there_is_no_part(server: embedded.Server) -> None:
    with empty(server) as dsn, pytest.raises(NotInstalledError):
        uninstall_parts(dsn, ["sync"])


def test_rows_and_settings_go_only_if_that_is_said(dsn: str, db: Connection) -> None:
    db.execute("select braid.create_query_set('empty')")
    told = refusal(dsn, "evaluation", "learning")
    assert "query_sets" in told and "--drop-data" in told
    db.execute("select braid.set_search_log('default', 'all')")
    # Each day of the log has a table.
    db.execute("select from braid.logged_search('fox')")
    db.execute("select braid.maintain()")
    assert one(db, "select count(*) from pg_class where relname ~ '^search_log_[0-9]'") > 0
    assert "search_log" in refusal(dsn, "search_log", "learning")
    for table in ("search_log", "search_log_days", "search_hours"):
        db.execute(f"delete from braid_store.{table}".encode())
    assert 'search_log of collection "default"' in refusal(dsn, "search_log", "learning")
    uninstall_parts(dsn, ["search_log", "learning", "evaluation"], drop_data=True)
    assert one(db, "select parts ? 'search_log' from braid.collections") is False
    assert one(db, "select count(*) from pg_class where relname ~ '^search_log'") == 0
    assert one(db, "select count(*) from braid_store.collections where parts is not null") == 0
    # The parts come back empty.
    install(dsn, with_parts=["learning"])
    assert one(db, "select count(*) from braid.list_query_sets()") == 0
    assert one(db, "select parts ->> 'search_log' from braid.collections") == "off"
    # Settings that are as they were at first keep nothing.
    db.execute("select braid.set_search_log('default', 'all')")
    db.execute("select braid.set_search_log('default', 'off')")
    uninstall_parts(dsn, ["search_log", "learning"])


def test_the_core_goes_on_without_parts_that_had_data(dsn: str, db: Connection) -> None:
    # A ranking has versions.
    db.execute("select braid.set_sparse_encoder('tiny', '{\"fox\": 1.5}')")
    version = one(db, "select braid.set_ranking('default', '{\"k1\": 0.7}')")
    db.execute("select braid.set_ranking('default', '{\"sparse_encoder\": \"tiny\"}')")
    db.execute("select braid.set_ranking('default', '{\"sparse_encoder\": null}')")
    db.execute("select braid.set_sparse_encoder('tiny', null)")
    assert 'sparse_encoder of collection "default"' in refusal(dsn, "sparse_encoders")
    db.execute("create table public.articles (id int primary key, body text not null)")
    db.execute("select braid.sync_table('public.articles', content => '{body}', tenant => 'default')")
    db.execute("insert into public.articles values (1, 'a quick fox')")
    db.execute("select braid.apply_changes()")
    assert "synced_tables" in refusal(dsn, "sync")
    db.execute("select braid.create_collection('moving', dimensions => 2, embedding_model => 'old')")
    upsert(db, [{"external_id": "a", "content": "a fox", "embedding": [1, 0]}], "moving")
    db.execute("select braid.start_model_change('moving', 'new', 3)")
    assert "model_changes" in refusal(dsn, "model_change")

    uninstall_parts(dsn, ["sparse_encoders", "sync", "model_change"], drop_data=True)
    # A version of a ranking is restored, the table is written to as before, and the change is rolled back.
    db.execute("select braid.set_ranking('default', '{\"k1\": 0.9}')")
    db.execute("select braid.restore_ranking('default', %s)", (version,))
    assert one(db, "select k1 from braid.collections where name = 'default'") == 0.7
    db.execute("insert into public.articles values (2, 'a slow heron')")
    assert one(db, "select count(*) from pg_trigger where tgrelid = 'public.articles'::regclass") == 0
    assert db.execute("select external_id from braid.full_text_search('fox heron')").fetchall() == [("1",)]
    assert one(db, "select count(*) from braid_store.dropped_spaces") == 1
    found = "select external_id from braid.semantic_search('[1,0]', collection => 'moving')"
    assert db.execute(found.encode()).fetchall() == [("a",)]


OF_USERS = {
    "view public.mine": "as select * from braid.search_hours",
    "view public.found": "as select * from braid.parse_timeframe('today')",
    "function public.atomic()": "returns setof braid_store.query_sets language sql begin atomic"
    " select * from braid_store.query_sets; end",
    "function public.quoted()": "returns bigint language sql as 'select count(*) from braid.recall($$a$$)'",
    "function public.spelt()": """returns bigint language sql as 'select count(*) from "braid" . "recall"($$a$$)'""",
    "function public.large()": "returns bigint language sql as 'SELECT COUNT(*) FROM BRAID.RECALL($$a$$)'",
    "table public.rows": "(id int references braid_store.synced_tables)",
}


def test_objects_of_users_that_need_it_are_named(dsn: str, db: Connection) -> None:
    # An object that needs only the core prevents nothing.
    db.execute("create view public.other as select braid.version() as version")
    for name, definition in OF_USERS.items():
        db.execute(f"create {name} {definition}".encode())
        told = refusal(dsn, *PARTS)
        assert (
            name.partition("(")[0].removeprefix("table public.") in told
            and "other" not in told.partition("of others")[2]
        )
        db.execute(f"drop {name}".encode())
    uninstall_parts(dsn, PARTS)
    assert one(db, "select count(*) from public.other") == 1


def own_part(package: Package, folder: Path) -> Path:
    """Write a custom part with a function and a table, and return its folder."""
    # A manifest that names another part's table, or a missing table, does no harm.
    tables: dict[str, Any] = {"own_rows": {}, "documents": {}, "nowhere": {}}
    manifest = {"sentence": "Adds.", "needs": [], "since": "0.1.0", "is_stable": True, "tables": tables}
    version = package.text("sql/core/95_upkeep/7_status/version.sql")
    for name, text in {
        "part.json": json.dumps(manifest),
        "own_thing.sql": version.replace("braid.version", "braid.own_thing"),
        "migrations/own.0001.baseline.sql": "-- Rows.\n-- depends: 0001.baseline\n\n"
        "create table braid_store.own_rows (tenant_id int primary key);\n"
        "comment on table braid_store.own_rows is 'Rows.';\n",
    }.items():
        file = folder / "own" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / "own"


def test_a_part_of_ones_own_goes_without_its_folder(dsn: str, package: Package, tmp_path: Path) -> None:
    before = snapshot.definitions(dsn), recorded(dsn)
    install(dsn, with_parts=[own_part(package, tmp_path)])
    assert "own" in parts_of(dsn)
    uninstall_parts(dsn, ["own"])
    assert (snapshot.definitions(dsn), recorded(dsn)) == before
    assert not install(dsn).changed


def test_a_part_of_ones_own_that_stays_is_given_again(dsn: str, package: Package, tmp_path: Path) -> None:
    """Removing a part needs the folder of each custom part that stays, to tell the two parts' functions apart."""
    folder = own_part(package, tmp_path)
    install(dsn, with_parts=[folder])
    told = refusal(dsn, "sync")
    assert "own" in told and "--with PATH" in told
    uninstall_parts(dsn, ["sync"], with_parts=[folder])
    assert parts_of(dsn) >= {"own", "memory"} and "sync" not in parts_of(dsn)
    with psycopg.connect(dsn) as connection:
        connection.execute("select braid.own_thing()")


def test_a_removal_and_an_installation_take_turns(dsn: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        removal = pool.submit(uninstall_parts, dsn, ["memory"])
        other = pool.submit(install, dsn, with_parts=["memory"])
        assert removal.result(PATIENCE).parts == ("memory",)
        other.result(PATIENCE)
    # Either the removal or the installation came last.
    assert parts_of(dsn) >= {*PARTS} - {"memory"}
    assert not install(dsn).changed


KILLED = """
import sys
from pathlib import Path
from pgbraid.install import resources, uninstall_parts

resources.ROOT = Path(sys.argv[1])
uninstall_parts(sys.argv[2], ["sync"], drop_data=True)
"""


@pytest.mark.any_version
@pytest.mark.parametrize("file", ["sql/core/95_upkeep/zz.sql", "sql/core/99_privileges/zz.sql"])
def test_a_removal_that_is_killed_leaves_what_was_there(package: Package, dsn: str, db: Connection, file: str) -> None:
    slow = (
        "do $$ begin\nwhile exists (select from pg_locks where locktype = 'advisory' and objid = 7) loop\n"
        "  perform pg_sleep(0.05);\nend loop;\nend $$;\n"
    )
    root = package.change({file: slow})
    install(dsn)
    db.execute("create table public.articles (id int primary key, body text not null)")
    db.execute("select braid.sync_table('public.articles', content => '{body}', tenant => 'default')")
    before = snapshot.rows(dsn)
    db.execute("select pg_advisory_lock(7)")
    process = subprocess.Popen([sys.executable, "-c", KILLED, root, dsn])
    backend = "select pid from pg_stat_activity where application_name = 'pgbraid install'"
    try:
        until(lambda: db.execute(f"{backend} and wait_event = 'PgSleep'".encode()).fetchall())
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        db.execute("select pg_advisory_unlock(7)")
    until(lambda: not db.execute(backend.encode()).fetchall())
    assert snapshot.rows(dsn) == before
    assert not install(dsn).changed
    uninstall_parts(dsn, ["sync"], drop_data=True)


def test_a_removal_waits_for_a_transaction_and_nobody_sees_half_of_it(dsn: str, db: Connection) -> None:
    seen: list[str] = []
    with psycopg.connect(dsn) as reader, ThreadPoolExecutor(1) as pool:
        reader.execute("select braid.hybrid_search('fox')")
        removal = pool.submit(uninstall_parts, dsn, ["memory"], notify=seen.append)
        until(lambda: seen or removal.done())
        reader.execute("select braid.recall('fox')")
        reader.rollback()
        assert removal.result(PATIENCE).parts == ("memory",)
        # A session with cached plans goes on.
        reader.execute("select braid.hybrid_search('fox')")
    assert seen[-1] == "part memory removed"


def test_on_the_command_line(
    dsn: str, db: Connection, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    db.execute("select braid.create_query_set('asked')")

    def run(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["pgbraid", "uninstall", "--dsn", dsn, *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return (ended.value.code, *capsys.readouterr())

    code, _, told = run("--part", "learning", "--part", "evaluation")
    assert code == 2 and "query_sets" in told and "--drop-data" in told
    code, _, told = run("--drop-data")
    assert code == 2 and "--part" in told
    code, said, _ = run("--part", "learning", "--part", "evaluation", "--drop-data", "--yes")
    assert (code, said) == (0, "part learning removed\npart evaluation removed\n")
