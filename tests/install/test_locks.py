"""Test upgrades beside other sessions: who can hold them up, what a killed installer leaves, and what readers and
writers meet meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import ConcurrentUpgradeError, InstallationError, VersionMismatchError
from pgbraid.install import install, resources, session
from support import HashEmbedder, Templates, snapshot
from support.package import Package
from support.parts import with_needs
from support.waiting import PATIENCE, until, wait_and_go_on

Connection = psycopg.Connection[Any]
VERSION = "sql/core/95_upkeep/7_status/version.sql"
# Two, because the second upgrade replaces functions that the first one created.
UPGRADES = 2
OTHER_SHAPE = ("returns text", "returns table (version text)")


@pytest.fixture(scope="module")
def template(templates: Templates) -> str:
    """Return a database with the parts whose functions are called; all parts would take twice the time to install."""
    return templates.name(with_needs(["memory", "search_log"]))


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    """Install, which gives the clone roles of its own."""
    install(request.getfixturevalue("dsn"))


# Locks


def test_a_login_without_rights_holds_up_nothing(dsn: str, make_login: Callable[..., str]) -> None:
    """A login without rights takes every lock that it can take, and the upgrade does not wait."""
    with psycopg.connect(make_conninfo(dsn, user=make_login("nobody"))) as mallory:
        mallory.execute("select pg_advisory_xact_lock(%s)", (int.from_bytes(b"pgbraid\0", "big"),))
        tables = mallory.execute(
            "select oid, oid::regclass::text from pg_class where relkind in ('r', 'p', 'v')"
            " and relnamespace::regnamespace::text in ('pg_catalog', 'braid', 'braid_store')"
        ).fetchall()
        taken = 0
        for _, name in tables:
            for mode in ("access exclusive", "exclusive", "share", "row share", "access share"):
                try:
                    with mallory.transaction():
                        mallory.execute(f"lock table {name} in {mode} mode".encode())
                        taken += 1
                except (psycopg.errors.InsufficientPrivilege, psycopg.errors.WrongObjectType):
                    pass
        assert taken > 20
        assert install(dsn, repair=True).functions_applied


def test_a_transaction_that_reads_definitions_is_named_after_some_tries(
    dsn: str, make_login: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "ATTEMPTS", 3)
    login = make_login("reader", "braid_reader")
    before = snapshot.rows(dsn)
    lines: list[str] = []
    with psycopg.connect(make_conninfo(dsn, user=login)) as reader:
        reader.execute("select * from braid.collections")
        holder = f"process {reader.info.backend_pid}"
        with pytest.raises(InstallationError, match=rf"{holder} uses") as caught:
            install(dsn, repair=True, notify=lines.append)
    assert caught.value.sqlstate == "55P03"
    assert "pg_stat_activity" in str(caught.value.hint)
    assert lines == [f"waiting for transactions to end: {holder}"]
    assert snapshot.rows(dsn) == before


def test_an_upgrade_gets_its_turn_when_the_transaction_ends(
    dsn: str, db: Connection, make_login: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions that queue behind the installer wait no longer than one of its tries."""
    monkeypatch.setattr(session, "ATTEMPTS", 1000)
    seen = threading.Event()
    with (
        psycopg.connect(make_conninfo(dsn, user=make_login("reader", "braid_reader"))) as reader,
        psycopg.connect(dsn, autocommit=True) as behind,
        ThreadPoolExecutor(1) as pool,
    ):
        reader.execute("select * from braid.collections")
        upgrade = pool.submit(install, dsn, repair=True, notify=lambda _: seen.set())
        assert seen.wait(PATIENCE)
        wait_and_go_on(behind, db, "select * from braid.collections")
        assert not upgrade.done()
        reader.rollback()
        assert upgrade.result(PATIENCE).functions_applied


def test_a_call_that_waits_for_an_upgrade_holds_no_lock_on_what_it_changes(dsn: str, db: Connection) -> None:
    """A call that waits for the tenants holds no lock that a migration of other tables needs."""
    for function in ("logged_search", "logged_recall", "hybrid_search", "recall"):
        holds_no_lock(dsn, db, f"select braid.{function}('fox')")


def holds_no_lock(dsn: str, db: Connection, call: str) -> None:
    with psycopg.connect(dsn) as upgrade, psycopg.connect(dsn) as caller, ThreadPoolExecutor(1) as pool:
        # The locks are checked for the first call, and for a call with cached plans.
        for _ in range(2):
            upgrade.execute("lock table braid_store.tenants in access exclusive mode")
            waiting = pool.submit(caller.execute, call.encode())
            wait_until(db, f"select from pg_locks where pid = {caller.info.backend_pid} and not granted")
            held = db.execute(
                "select relation::regclass::text from pg_locks where pid = %s and granted and relation in"
                " (select oid from pg_class where relnamespace = 'braid_store'::regnamespace and relkind = 'r')",
                (caller.info.backend_pid,),
            ).fetchall()
            upgrade.rollback()
            waiting.result(PATIENCE)
            caller.rollback()
            # A call reads the trusted roles together with the tenants.
            assert set(held) <= {("braid_store.trusted_roles",)}, call


# Killed installers


KILLED = """
import sys
from pathlib import Path
from pgbraid.install import install, resources

resources.ROOT = Path(sys.argv[1])
install(sys.argv[2])
"""


@pytest.mark.any_version
@pytest.mark.parametrize(
    "file", ["migrations/core/9999.slow.sql", "sql/core/95_upkeep/zz.sql", "sql/core/99_privileges/zz.sql"]
)
def test_an_installer_that_is_killed_leaves_what_was_there(
    package: Package, dsn: str, db: Connection, file: str
) -> None:
    db.execute("select braid.upsert_document('a', 'the quick brown fox')")
    before = snapshot.rows(dsn)
    root = package.change(
        {
            VERSION: package.text(VERSION).replace(*OTHER_SHAPE),
            "migrations/core/9998.more.sql": "-- depends:\nalter table braid_store.documents add column more int;\n",
            # The migration waits while another session holds the lock.
            file: "-- depends: 9998.more\ndo $$ begin\n"
            "while exists (select from pg_locks where locktype = 'advisory' and objid = 7) loop\n"
            "  perform pg_sleep(0.05);\nend loop;\nend $$;\n",
        }
    )
    db.execute("select pg_advisory_lock(7)")
    process = subprocess.Popen([sys.executable, "-c", KILLED, root, dsn])
    try:
        backend = "select pid from pg_stat_activity where application_name = 'pgbraid install'"
        wait_until(db, backend + " and wait_event = 'PgSleep'")
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.wait()
        db.execute("select pg_advisory_unlock(7)")
    wait_until(db, f"select 1 where not exists ({backend})")
    assert snapshot.rows(dsn) == before
    assert db.execute("select external_id from braid.full_text_search('fox')").fetchall() == [("a",)]
    package.restore()
    assert not install(dsn).changed


def wait_until(db: Connection, query: str) -> None:
    until(lambda: db.execute(query.encode()).fetchall(), lambda: query)


# Upgrades under load


def newer(package: Package, number: int) -> dict[str, str | None]:
    """Return the files of a release that changes all functions, two signatures that every search and write uses, and
    tables."""
    files: dict[str, str | None] = {
        f"sql/{file.name}": f"{file.text}\n-- {number}\n" for file in resources.resources().repeatable
    }
    extra = f"extra{number} int default 0"
    for name, old, new in (
        ("sql/core/20_tenancy/1_session/require_tenant_id.sql", "require_tenant_id()", f"require_tenant_id({extra})"),
        ("sql/core/40_collections/2_read/find_collection.sql", "collection text", f"collection text, {extra}"),
    ):
        text = package.text(name)
        assert old in text
        # The comment would name the old types of arguments.
        files[name] = text.split("comment on function")[0].replace(old, new, 1)
    for earlier in range(1, number + 1):
        files[f"migrations/core/99{earlier:02}.more.sql"] = (
            "-- depends:\n"
            f"alter table braid_store.documents add column more{earlier} int not null default {earlier};\n"
            f"alter table braid_store.chunks add column more{earlier} text;\n"
        )
    return files


class Traffic:
    """Repeat actions in several sessions until they are stopped, and record what each one meets."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.rounds: dict[str, int] = {}
        self.errors: list[tuple[str, BaseException]] = []

    @contextmanager
    def running(self, **workers: Callable[[int], object]) -> Iterator[None]:
        with ThreadPoolExecutor(len(workers)) as pool:
            started = [pool.submit(self._repeat, name, work) for name, work in workers.items()]
            try:
                until(lambda: self.errors or all(self.rounds.get(name, 0) > 2 for name in workers))
                assert not self.errors, self.errors
                yield
            finally:
                self.stopped.set()
                for future in started:
                    future.result(PATIENCE)

    def has_gone_on(self, before: dict[str, int]) -> bool:
        return all(self.rounds[name] > before[name] + 2 for name in before)

    def _repeat(self, name: str, work: Callable[[int], object]) -> None:
        for number in count():
            if self.stopped.is_set():
                return
            try:
                work(number)
            except Exception as error:
                self.errors.append((name, error))
            self.rounds[name] = number + 1


def test_readers_and_writers_go_on_during_upgrades(package: Package, dsn: str) -> None:
    traffic = Traffic()
    met: list[str | None] = []
    connections = [psycopg.connect(dsn, autocommit=True) for _ in range(4)]
    reader, shared, writer, unit = (pgbraid.connect(c, embedder=HashEmbedder()) for c in connections)
    prepared = psycopg.connect(dsn, autocommit=True, prepare_threshold=0)
    writer.add_documents([{"external_id": f"d{n}", "content": f"the quick brown fox {n}"} for n in range(20)])
    writer.embed_pending()

    def search(_: int) -> None:
        assert len(reader.search("quick fox", match_count=5)) == 5

    def search_in_the_users_connection(_: int) -> None:
        assert len(shared.search("fox", mode="full_text", match_count=5)) == 5

    def write(number: int) -> None:
        writer.add_documents([{"external_id": f"w{number % 50}", "content": f"a heron {number}"}])
        writer.delete_document(f"w{(number + 25) % 50}")

    def write_in_a_transaction(number: int) -> None:
        try:
            with unit.transaction():
                unit.add_documents([{"external_id": "t1", "content": f"one {number}"}])
                unit.add_documents([{"external_id": "t2", "content": f"two {number}"}])
        except ConcurrentUpgradeError as error:
            met.append(error.sqlstate)

    def search_prepared(_: int) -> None:
        try:
            found = prepared.execute("select external_id from braid.hybrid_search(%s)", ("fox",)).fetchall()
            assert len(found) == 10
        except psycopg.Error as error:
            # docs/reference/errors.md lists these codes for callers of the functions.
            assert error.sqlstate in ("XX000", "42883", "42703", "42P01", "0A000"), error
            met.append(error.sqlstate)

    try:
        with traffic.running(
            search=search,
            shared=search_in_the_users_connection,
            write=write,
            unit=write_in_a_transaction,
            prepared=search_prepared,
        ):
            for number in range(1, UPGRADES + 1):
                package.change(newer(package, number), f"0.1.{number}")
                before = dict(traffic.rounds)
                report = install(dsn)
                assert report.migrations == (f"99{number:02}.more",)
                until(partial(traffic.has_gone_on, before), lambda: traffic.rounds)
        assert traffic.errors == []
        # A call fails at most once for each upgrade.
        assert len(met) <= 2 * UPGRADES, met
        assert reader.check_index() == []
    finally:
        for connection in (*connections, prepared):
            connection.close()


@pytest.mark.any_version
def test_a_call_that_the_upgrade_took_away_says_that_versions_differ(package: Package, dsn: str) -> None:
    name = "sql/core/95_upkeep/5_check/check_index.sql"
    with pgbraid.connect(dsn) as client:
        package.change(
            {
                name: package.text(name)
                .replace("check_index(collection", "check_index(corpus")
                .replace("check_index.collection", "check_index.corpus")
            },
            "0.2.0",
        )
        install(dsn)
        package.restore()
        with pytest.raises(VersionMismatchError, match=r"0\.2\.0") as caught:
            client.check_index()
        assert caught.value.hint == "run: pip install -U pgbraid"


@pytest.mark.any_version
def test_in_a_transaction_the_error_asks_to_repeat_it(package: Package, dsn: str, db: Connection) -> None:
    with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
        with pytest.raises(ConcurrentUpgradeError, match="upgraded while") as caught, client.transaction():
            client.add_documents([{"external_id": "a", "content": "a heron"}])
            # A function is gone for a statement that began before the upgrade.
            client._session.value_for_all("gone")
        assert caught.value.sqlstate == "42883"
        assert caught.value.hint == "repeat the transaction; nothing of it was stored"
        assert len(client.search("heron", mode="full_text")) == 0


@pytest.mark.any_version
def test_a_database_of_the_same_version_with_other_functions_is_refused(package: Package, dsn: str) -> None:
    package.change({VERSION: package.text(VERSION) + "\n-- another\n"})
    with pytest.raises(VersionMismatchError, match=r"functions or migrations \(core\) are not those") as caught:
        pgbraid.connect(dsn)
    assert "pgbraid upgrade" in str(caught.value.hint)
    install(dsn)
    with pgbraid.connect(dsn) as client:
        assert client.status()["tenant"] == "default"
