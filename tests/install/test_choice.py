"""Test which parts a database gets, keeps and refuses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid.errors import InstallationError, InvalidArgumentError, PgbraidError, VersionMismatchError
from pgbraid.install import choice, install, read_installation, resources
from pgbraid.install.choice import choose, needs_of
from support import snapshot
from support.package import Package
from support.parts import DEFAULT
from support.waiting import PATIENCE, until

Connection = psycopg.Connection[Any]
BareDsn = Callable[..., str]
ALL = tuple(resources.resources().parts)


@pytest.fixture(autouse=True)
def _defaults_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "default_parts", DEFAULT)


@pytest.fixture
def core_dsn(bare_dsn: BareDsn) -> Iterator[str]:
    """Yield a database with the core alone."""
    dsn = bare_dsn()
    install(dsn, only=["core"])
    yield dsn


def installed(dsn: str) -> tuple[str, ...]:
    with psycopg.connect(dsn) as connection:
        rows = connection.execute("select name from braid_store.parts order by place").fetchall()
    return tuple(name for (name,) in rows)


def is_stable(name: str) -> bool:
    return bool(json.loads(resources.resources().parts[name])["is_stable"])


# Parts that a database gets


@pytest.mark.any_version
def test_a_new_database_gets_the_core_and_all_stable_parts(bare_dsn: BareDsn) -> None:
    dsn = bare_dsn()
    report = install(dsn)
    assert report.parts == installed(dsn) == tuple(name for name in ALL if is_stable(name))
    assert report.added_parts == ()


@pytest.mark.any_version
def test_no_stable_part_needs_one_that_is_not() -> None:
    found = resources.resources()
    assert [name for name in ALL if is_stable(name) and not all(map(is_stable, needs_of(found, name)))] == []


def test_the_core_alone_has_nothing_of_parts(core_dsn: str) -> None:
    with psycopg.connect(core_dsn) as connection:
        rows = connection.execute(
            "select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
            " where n.nspname ~ '^braid'"
            " union select relname from pg_class where relnamespace::regnamespace::text ~ '^braid'"
        ).fetchall()
    there = {name for (name,) in rows}
    found = resources.resources()
    for file in found.repeatable:
        for line in file.text.splitlines():
            if file.owner != "core" and line.startswith(("create or replace function ", "create or replace view ")):
                assert line.split()[4].partition("(")[0] not in there
    tables = {
        table for name, text in found.parts.items() if name != "core" for table in json.loads(text).get("tables", {})
    }
    assert tables & there == set()


@pytest.mark.any_version
def test_a_choice_of_a_new_database(bare_dsn: BareDsn) -> None:
    dsn = bare_dsn()
    assert install(dsn, only=["learning"]).parts == ("core", "evaluation", "reranking", "search_log", "learning")
    # Installing installed parts again changes nothing.
    for again in ({}, {"only": ["learning"]}, {"only": ["core"], "with_parts": ["learning"]}, {"with_parts": ["core"]}):
        assert not install(dsn, **again).changed  # type: ignore[arg-type]
    dsn = bare_dsn()
    assert "sync" not in install(dsn, without=["sync"]).parts
    assert "sync" not in install(dsn).parts
    assert install(dsn, only=[*installed(dsn), "sync"]).added_parts == ("sync",)


@pytest.mark.any_version
@pytest.mark.parametrize(
    "only, added, without, said",
    [
        ((), ["nothing"], (), "there is no part 'nothing'"),
        (["Core"], (), (), "there is no part 'Core'"),
        ((), (), ["./sync"], "there is no part './sync'"),
        (["sync"], (), ["memory"], "exclude each other"),
        ((), (), ["core"], "the core cannot be left out"),
        ((), ["learning"], ["search_log"], "search_log is excluded"),
        ((), ["sync"], ["sync"], "sync is excluded"),
        ((), ["./nothing"], (), "nothing has no part.json"),
        ((), ["a/stars", "b/stars"], (), "two folders are called stars"),
        ("core", (), (), "only is the text 'core'"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(only: Any, added: Any, without: Any, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        choose(only, added, without)
    assert caught.value.hint


@pytest.mark.any_version
def test_what_a_part_needs_is_not_left_out(bare_dsn: BareDsn, package: Package) -> None:
    manifest = {"sentence": "Adds.", "needs": ["sync"], "since": "0.1.0", "is_stable": True}
    package.change({"sql/parts/aa/part.json": json.dumps(manifest)})
    dsn = bare_dsn()
    with pytest.raises(InvalidArgumentError, match="the part aa needs sync") as caught:
        install(dsn, without=["sync"])
    assert caught.value.hint == "leave out aa as well, or keep sync"
    with psycopg.connect(dsn) as connection:
        assert read_installation(connection) is None


@pytest.mark.any_version
@pytest.mark.parametrize(
    "asked, named",
    [({"without": ["memory"]}, "--part memory"), ({"only": ["core"]}, "--part memory --part transfer")],
)
def test_what_is_installed_is_not_left_out_but_removed(bare_dsn: BareDsn, asked: dict[str, Any], named: str) -> None:
    dsn = bare_dsn()
    install(dsn, only=["memory", "transfer"])
    before = snapshot.rows(dsn)
    with pytest.raises(InvalidArgumentError, match="memory") as caught:
        install(dsn, **asked)
    assert str(caught.value.hint).endswith(f"pgbraid uninstall {named}")
    assert snapshot.rows(dsn) == before


# Parts that a database keeps


@pytest.mark.any_version
def test_an_upgrade_keeps_what_is_there(bare_dsn: BareDsn, package: Package) -> None:
    """An upgrade adds no part, not even one that has become stable since."""
    dsn = bare_dsn()
    install(dsn, only=["memory"])
    version = "sql/core/95_upkeep/7_status/version.sql"
    package.change(
        {
            version: package.text(version).replace("create or replace", "-- Another.\ncreate or replace"),
            "migrations/parts/sync/sync.0002.more.sql": "-- depends: sync.0001.baseline\n"
            "create table braid_store.more (tenant_id int);\n",
        },
        version="0.1.1",
    )
    report = install(dsn)
    assert (report.previous_version, report.migrations, report.parts) == ("0.1.0", (), ("core", "memory"))
    report = install(dsn, with_parts=["sync"])
    assert report.migrations == ("sync.0001.baseline", "sync.0002.more")
    assert report.added_parts == ("sync",)


@pytest.mark.any_version
def test_a_package_that_lacks_a_part_is_refused(bare_dsn: BareDsn, package: Package) -> None:
    dsn = bare_dsn()
    install(dsn, only=["core", "transfer"])
    root = package.change({})
    for file in (root / "sql/parts/transfer").rglob("*.*"):
        file.unlink()
    resources._read.cache_clear()
    before = snapshot.rows(dsn)
    for asked in ({}, {"repair": True}, {"with_parts": ["sync"]}):
        with pytest.raises(VersionMismatchError, match=r"parts that are not in this pgbraid, .*: transfer") as caught:
            install(dsn, **asked)
        assert caught.value.hint
    assert snapshot.rows(dsn) == before
    with pytest.raises(VersionMismatchError, match=r"\(core\)"):
        pgbraid.connect(dsn)


@pytest.mark.any_version
def test_clients_look_at_the_core_and_at_what_is_installed(bare_dsn: BareDsn, package: Package) -> None:
    dsn = bare_dsn()
    install(dsn, only=["memory"])
    with pgbraid.connect(dsn) as client:
        assert [*client.search("fox")] == []
    # The package differs only in a part that the database lacks.
    text = package.text("sql/parts/transfer/export_records.sql")
    package.change({"sql/parts/transfer/export_records.sql": text + "-- Changed.\n"})
    with pgbraid.connect(dsn) as client:
        assert [*client.search("fox")] == []
    assert not install(dsn).changed
    # The package now differs in a part that the database has.
    (file,) = [file for file in resources.resources().repeatable if file.name.endswith("/extract_timeframe.sql")][:1]
    package.change({f"sql/{file.name}": file.text + "-- Changed.\n"})
    with pytest.raises(VersionMismatchError, match=r"\(memory\)") as caught:
        pgbraid.connect(dsn)
    assert "pgbraid upgrade" in str(caught.value.hint)
    assert install(dsn).functions_applied
    pgbraid.connect(dsn).close()


# Adding parts at the same time


def test_two_sessions_add_parts_at_once(core_dsn: str) -> None:
    ready = threading.Barrier(2)

    def add(name: str) -> tuple[str, ...]:
        ready.wait(PATIENCE)
        return install(core_dsn, with_parts=[name]).added_parts

    with ThreadPoolExecutor(2) as pool:
        added = list(pool.map(add, ["memory", "sync"]))
    assert added == [("memory",), ("sync",)]
    assert installed(core_dsn) == ("core", "memory", "sync")
    assert not install(core_dsn).changed


KILLED = """
import sys
from pathlib import Path
from pgbraid.install import install, resources

resources.ROOT = Path(sys.argv[1])
install(sys.argv[2], with_parts=["sync"])
"""


@pytest.mark.any_version
@pytest.mark.parametrize(
    "file",
    ["migrations/parts/sync/sync.9999.slow.sql", "sql/parts/sync/4_state/zz.sql", "sql/core/99_privileges/zz.sql"],
)
def test_an_installer_that_is_killed_adds_nothing(package: Package, bare_dsn: BareDsn, file: str) -> None:
    dsn = bare_dsn()
    # The migration waits while another session holds the lock.
    slow = (
        "-- depends: sync.0001.baseline\ndo $$ begin\n"
        "while exists (select from pg_locks where locktype = 'advisory' and objid = 7) loop\n"
        "  perform pg_sleep(0.05);\nend loop;\nend $$;\n"
    )
    root = package.change({file: slow})
    install(dsn, only=["memory"])
    before = snapshot.rows(dsn)
    backend = "select pid from pg_stat_activity where application_name = 'pgbraid install'"
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("select pg_advisory_lock(7)")
        process = subprocess.Popen([sys.executable, "-c", KILLED, root, dsn])
        try:
            until(lambda: db.execute(f"{backend} and wait_event = 'PgSleep'".encode()).fetchall(), lambda: backend)
            process.send_signal(signal.SIGKILL)
        finally:
            process.kill()
            process.wait()
            db.execute("select pg_advisory_unlock(7)")
        until(lambda: not db.execute(backend.encode()).fetchall(), lambda: backend)
    assert snapshot.rows(dsn) == before
    assert install(dsn, with_parts=["sync"]).added_parts == ("sync",)


@pytest.mark.any_version
def test_a_login_without_rights_adds_nothing(core_dsn: str, make_login: Callable[..., str]) -> None:
    before = snapshot.definitions(core_dsn)
    for login in (make_login("nobody"), make_login("ana", "braid_writer"), make_login("ada", "administrator")):
        with pytest.raises(PgbraidError) as caught:
            install(make_conninfo(core_dsn, user=login), with_parts=["sync"])
        assert caught.value.hint
    assert snapshot.definitions(core_dsn) == before
    assert installed(core_dsn) == ("core",)


@pytest.mark.any_version
def test_no_part_is_added_on_a_cluster(core_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part is added on a cluster, because its tables would have to be distributed."""
    nodes = SimpleNamespace(refuse_copy=lambda _: None, apply_form=lambda _: None)
    monkeypatch.setattr("pgbraid.install.installer.cluster_of", lambda _: nodes)
    with pytest.raises(InstallationError, match="parts cannot be added on a cluster yet: memory") as caught:
        install(core_dsn, with_parts=["memory"])
    assert "pgbraid distribute --gather" in str(caught.value.hint)
    assert installed(core_dsn) == ("core",)
    assert install(core_dsn, repair=True).functions_applied


# Users can add a custom part


PAGE = Path(__file__).parents[2] / "docs" / "internals" / "parts.md"
# The page shows the files of this part.
STARS = dict(re.findall(r"^`stars/([\w./]+)`[^\n]*:\n\n```\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
STATUS, ADD = STARS["1_status/extend_status_stars.sql"], STARS["2_calls/add_stars.sql"]


@pytest.fixture
def stars(tmp_path: Path) -> Path:
    """Write the part of docs/internals/parts.md, with an additional need for another part."""
    folder = tmp_path / "stars"
    for name, text in STARS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.replace('"needs": []', '"needs": ["memory"]'))
    return folder


def test_a_part_of_ones_own(core_dsn: str, stars: Path, make_login: Callable[..., str]) -> None:
    report = install(core_dsn, with_parts=[str(stars)])
    assert report.added_parts == ("memory", "stars")
    assert report.migrations == ("stars.0001.baseline",)
    with psycopg.connect(core_dsn, autocommit=True) as db:
        login = make_login("ana", "braid_writer")
        db.execute("select braid.add_tenant_member('default', %s)", (login,))
        with psycopg.connect(make_conninfo(core_dsn, user=login), autocommit=True) as writer:
            writer.execute("select braid.add_stars(3)")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                writer.execute("select from braid_store.stars")
        (status,) = db.execute("select braid.status()").fetchone() or ({},)
        assert status["collections"][0]["stars"] == 3
        found = read_installation(db)
        assert found is not None and found.own_parts == ("stars",)
        assert found.is_this_package and found.unknown_migrations == ()
    # Clients work without knowing the part.
    with pgbraid.connect(core_dsn) as client:
        assert [*client.search("fox")] == []
    # Applying functions again needs the part's folder.
    assert not install(core_dsn).changed
    with pytest.raises(VersionMismatchError, match="stars") as caught:
        install(core_dsn, repair=True)
    assert "pgbraid init --with PATH" in str(caught.value.hint)
    assert not install(core_dsn, with_parts=[stars]).changed
    (stars / "1_status/extend_status_stars.sql").write_text(STATUS.replace("'stars'", "'bright'"))
    assert install(core_dsn, with_parts=[stars]).functions_applied
    with psycopg.connect(core_dsn) as db:
        assert "bright" in str(db.execute("select braid.status()").fetchone())


def manifest(**changed: Any) -> str:
    return json.dumps({"sentence": "Counts stars.", "needs": [], "since": "0.1.0", "is_stable": True, **changed})


@pytest.mark.any_version
@pytest.mark.parametrize(
    "change, said",
    [
        ({"part.json": None}, "has no part.json"),
        ({"part.json": "{"}, "is no JSON"),
        ({"part.json": "[]"}, "has no sentence"),
        ({"part.json": b"\xff"}, "is no UTF-8"),
        ({"part.json": '{"sentence": "a", "needs": "memory", "since": "1", "is_stable": true}'}, "has no needs"),
        ({"part.json": '{"x": ' + "[" * 9000}, "is no JSON"),
        ({"part.json": manifest(needs=[{}])}, "of another kind for needs"),
        ({"part.json": manifest(settings=[])}, "of another kind for settings"),
        ({"part.json": manifest(settings={"bright": 1})}, "of another kind for settings"),
        ({"part.json": manifest(settings={"search_log": {}})}, "search_log has a setting search_log already"),
        ({"part.json": manifest(tables={"stars": 1})}, "of another kind for tables"),
        ({"part.json": manifest(records={"star": "1"})}, "of another kind for records"),
        ({"migrations/0002.more.sql": "select 1;"}, "another part's name"),
        ({"2_calls/more.sql": "select $braid_file$ $braid_file$;"}, "contains"),
        (
            {"2_calls/add_stars.sql": ADD.replace("role: writer", "role: wizard")},
            "known roles are",
        ),
    ],
)
def test_a_folder_that_is_no_part_is_refused(core_dsn: str, stars: Path, change: dict[str, Any], said: str) -> None:
    for name, text in change.items():
        if text is None:
            (stars / name).unlink()
        else:
            (stars / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        install(core_dsn, with_parts=[stars])
    assert caught.value.hint
    assert installed(core_dsn) == ("core",)


@pytest.mark.any_version
def test_a_file_that_cannot_be_read_is_named(stars: Path) -> None:
    (stars / "2_calls/gone.sql").symlink_to("nowhere.sql")
    with pytest.raises(InvalidArgumentError, match=r"2_calls/gone\.sql cannot be read"):
        choose((), [stars], ())


@pytest.mark.any_version
@pytest.mark.parametrize("name, said", [("Stars", "cannot be called"), ("sync", "has a part sync already")])
def test_a_folder_whose_name_cannot_be_a_parts_is_refused(stars: Path, name: str, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said) as caught:
        choose((), [stars.rename(stars.with_name(name))], ())
    assert caught.value.hint


@pytest.mark.any_version
def test_a_part_whose_sql_fails_changes_nothing(core_dsn: str, stars: Path) -> None:
    (stars / "2_calls/zz.sql").write_text("select 1 / 0;\n")
    before = snapshot.rows(core_dsn)
    with pytest.raises(InstallationError, match=r"sql/parts/stars/2_calls/zz\.sql: division by zero"):
        install(core_dsn, with_parts=[stars])
    assert snapshot.rows(core_dsn) == before
