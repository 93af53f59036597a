"""Restore a filled database of each release, upgrade it to a release after this one, and use it. A release adds its
dump here with `make dump`."""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from install.upgrade import later
from install.upgrade.filling import DIMENSIONS, MEMBERS, TENANTS, TRUSTED, answers, embed, problems, work
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid import embedded
from pgbraid.cli import main
from pgbraid.embedded.programs import installed_programs
from pgbraid.errors import PgbraidError
from pgbraid.install import install, resources
from support import clone, durable_server, finish_drops, snapshot
from support.calls import full_text, one, semantic, set_tenant, upsert
from support.nearest import maintain
from support.package import Package
from support.servers import kill_sleeping
from support.waiting import PATIENCE

Connection = psycopg.Connection[Any]
FOLDER = Path(__file__).parent
RELEASES = sorted(path.name.removesuffix(".sql.xz") for path in FOLDER.glob("*.sql.xz"))
# Each match is a table of its own, with its indexes and constraints.
GROWN = re.compile(r"\b(?:vectors|search_log|note_rows)_\d+")
# A restore reports these statements, which only a superuser may run.
DENIED = r'must be owner of extension vector|permission denied for schema braid_|must be able to SET ROLE "postgres"'
LOGINS = [*MEMBERS.values(), *TRUSTED.values()]
# An upgrade is killed behind each of these files.
STAGES = (
    "sql/core/10_foundation/1_schemas/zz.sql",
    later.CORE,
    later.SYNC,
    "sql/core/95_upkeep/zz.sql",
    "sql/core/99_privileges/zz.sql",
)


@pytest.fixture(scope="module", params=RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def dump(release: str) -> str:
    return lzma.decompress((FOLDER / f"{release}.sql.xz").read_bytes()).decode()


@pytest.fixture(scope="module")
def recorded(release: str) -> Any:
    return json.loads((FOLDER / f"{release}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def roles(server: embedded.Server, dump: str) -> Iterator[list[str]]:
    """Create the roles that the dump names; yield the owners."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
        yield create_roles(admin, dump)
        finish_drops()
        for role in LOGINS:
            admin.execute(sql.SQL("drop role {}").format(sql.Identifier(role)))


def create_roles(admin: Connection, dump: str) -> list[str]:
    """Create the missing roles of the dump; return the owners."""
    owners = sorted(set(re.findall(r"\bbraid_(?:owner|definer)_\w+", dump)))
    shared = sorted(set(re.findall(r"\bbraid_(?:reader|writer|admin|gateway|service)\b(?=;| WITH)", dump)))
    for role in (*owners, *shared, *LOGINS):
        if not one(admin, "select count(*) from pg_roles where rolname = %s", role):
            options = sql.SQL("login in role braid_writer" if role in LOGINS else "")
            admin.execute(sql.SQL("create role {} ").format(sql.Identifier(role)) + options)
    return owners


@contextmanager
def empty_database(server: embedded.Server, owner: str = "postgres") -> Iterator[str]:
    """Create a database, yield its name and drop it at the end."""
    name = f"release_{uuid.uuid4().hex[:8]}"
    create = sql.SQL("create database {} owner {} template template0")
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
        admin.execute(create.format(sql.Identifier(name), sql.Identifier(owner)))
        try:
            yield name
        finally:
            admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def restore(dsn: str, dump: str, version: int, *, stop: bool = True) -> str:
    """Restore a dump with psql and return psql's complaints."""
    command = [str(installed_programs(version) / "psql"), "--quiet", "--no-psqlrc", "--output", "/dev/null", dsn]
    if stop:
        command[1:1] = ["--set", "ON_ERROR_STOP=1"]
    ran = subprocess.run(command, input=dump, text=True, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


@pytest.fixture(scope="module")
def restored(server: embedded.Server, template: Any, dump: str, roles: list[str], pg_version: int) -> Iterator[str]:
    """Yield the name of a template database in the state that the release left."""
    with empty_database(server) as name:
        restore(server.dsn_for(name), dump, pg_version)
        yield name


@pytest.fixture(scope="module")
def upgraded(server: embedded.Server, restored: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the name of a template database that was upgraded."""
    with clone(server, restored) as name:
        with later.later_release(tmp_path_factory.mktemp("later")):
            report = install(server.dsn_for(name))
        assert report.migrations[-len(later.MIGRATIONS) :] == later.MIGRATIONS
        yield name


@pytest.fixture(scope="module")
def fresh(server: embedded.Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the DSN of a new database of the later release, without its new part."""
    with empty_database(server) as name:
        with later.later_release(tmp_path_factory.mktemp("fresh")):
            install(server.dsn_for(name), without=["pages"])
        yield server.dsn_for(name)


@pytest.fixture
def old_dsn(server: embedded.Server, upgraded: str) -> Iterator[str]:
    with clone(server, upgraded) as name:
        yield server.dsn_for(name)


@pytest.fixture
def old(old_dsn: str) -> Iterator[Connection]:
    """Yield a superuser's connection to the upgraded database."""
    with psycopg.connect(old_dsn, autocommit=True) as connection:
        yield connection


def assert_answers(db: Connection, recorded: Any) -> None:
    found = answers(db)
    for tenant in TENANTS:
        for name, expected in recorded[tenant].items():
            if isinstance(expected, list):
                assert [row[:3] for row in found[tenant][name]] == [row[:3] for row in expected], (tenant, name)
                scores = [row[3] for row in expected]
                assert [row[3] for row in found[tenant][name]] == pytest.approx(scores, rel=1e-6), (tenant, name)
            else:
                assert found[tenant][name] == expected, (tenant, name)


def test_there_is_a_release() -> None:
    assert RELEASES


def test_its_migrations_are_frozen(server: embedded.Server, restored: str) -> None:
    """Each migration of the release is still in frozen.sha256, with the hash that the database recorded."""
    frozen = (resources.ROOT / "migrations" / "frozen.sha256").read_text().split()
    hashes = {Path(name).stem: digest for digest, name in zip(frozen[::2], frozen[1::2], strict=True)}
    with psycopg.connect(server.dsn_for(restored)) as db:
        applied = one(db, "select migrations from braid_store.installation")
        names = db.execute("select migration_id from braid_store._yoyo_migration").fetchall()
        assert {name for (name,) in names} == applied.keys()
    assert applied and {name: hashes.get(name) for name in applied} == applied


def test_commands_say_that_it_is_to_be_upgraded(
    server: embedded.Server,
    restored: str,
    package: Package,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    package.change(later.files(package), later.VERSION)
    monkeypatch.setenv("PGBRAID_DSN", server.dsn_for(restored))
    pending = ", ".join(map(re.escape, later.MIGRATIONS))
    for command, code, said in (
        ("status", 0, rf"^functions   not .*\nmigrations  pending: (\S+, )*{pending}$.*^run: pgbraid upgrade$"),
        ("export-tenant articles", 2, r"^pgbraid: the database.*pgbraid upgrade$"),
    ):
        monkeypatch.setattr(sys, "argv", ["pgbraid", *command.split()])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        assert caught.value.code == code, err
        assert re.search(said, out or err, re.MULTILINE | re.DOTALL), out + err


def test_it_equals_a_fresh_install(old_dsn: str, old: Connection, fresh: str) -> None:
    # Each trusted role has grants of its own.
    for kind, role in TRUSTED.items():
        assert one(old, "select braid.remove_trusted_role(%s, %s)", role, kind)

    def definitions(dsn: str) -> dict[tuple[str, str], str]:
        return {key: text for key, text in snapshot.definitions(dsn).items() if not GROWN.search(key[1])}

    expected, found = definitions(fresh), definitions(old_dsn)
    assert found.keys() == expected.keys()
    assert {key: text for key, text in found.items() if text != expected[key]} == {}


def test_migrations_change_what_is_stored(old: Connection, recorded: Any) -> None:
    assert one(old, "select version from braid.version()") == later.VERSION
    assert one(old, "select count(*) from braid_store.documents where page_count = 1") > 100
    assert one(old, "select array_agg(priority) from braid_store.synced_tables") == [1]
    assert one(old, "select count(*) from braid_store.moods where mood = 'calm'") > 3


def test_it_answers_as_it_did(old: Connection, recorded: Any) -> None:
    assert problems(old) == []
    assert_answers(old, recorded)
    assert all(rows for tenant in TENANTS for rows in recorded[tenant].values() if isinstance(rows, list))


def test_tenants_see_only_their_own(old_dsn: str, recorded: Any) -> None:
    def connect(login: str, tenant: str | None = None) -> Connection:
        db = psycopg.connect(make_conninfo(old_dsn, user=login), autocommit=True)
        if tenant is not None:
            set_tenant(db, tenant)
        return db

    def seen(db: Connection) -> tuple[set[str], int]:
        found = {tenant for tenant in TENANTS if full_text(db, f"{tenant}only", collection="articles")}
        counted = "select sum((c ->> 'documents')::int) from jsonb_array_elements(braid.status() -> 'collections') c"
        return found, one(db, counted)

    def stored(tenant: str) -> int:
        return int(sum(recorded[tenant][f"counts of {name}"]["documents"] for name in ("articles", "moving")))

    for tenant, login in MEMBERS.items():
        for asked in (None, *TENANTS):
            with connect(login, asked) as db:
                if asked in (None, tenant):
                    names, count = seen(db)
                    assert names == {tenant} and count >= stored(tenant)
                else:
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        seen(db)
        with connect(TRUSTED["service"], tenant) as db:
            assert seen(db)[0] == {tenant}


def test_upkeep_goes_on(old: Connection, recorded: Any) -> None:
    dropped = "select count(*) from braid_store.chunks c where c.tenant_id not in (select id from braid_store.tenants)"
    dropped += " or c.collection_id not in (select id from braid_store.collections)"
    assert one(old, dropped) > 0
    maintain(old)
    assert one(old, dropped) == 0
    assert problems(old) == []
    assert_answers(old, recorded)
    # The search uses the shard, and finds the results of an exact scan.
    set_tenant(old, "acme")
    question = {"query_embedding": embed("a question"), "match_count": 10, "collection": "articles"}
    row = old.execute(
        "select braid.search_json(query_embedding => %(query_embedding)s::vector, match_count => 10,"
        " collection => 'articles', options => '{\"ef_search\": 100}')",
        question,
    ).fetchone()
    assert row is not None
    assert row[0]["stats"]["semantic_mode"] == "hnsw"
    nearest = {chunk_id for _, chunk_id, *_ in recorded["acme"]["semantic"][:10]}
    assert len(nearest & {hit["chunk_id"] for hit in row[0]["results"]}) >= 9


def test_the_model_change_is_finished(old: Connection, recorded: Any) -> None:
    maintain(old)
    pending = 0
    for tenant in TENANTS:
        pending += work(old, "moving", tenant, "second-model")
        assert work(old, "moving", tenant, "second-model") == 0
    total = sum(recorded[tenant]["counts of moving"]["chunks"] for tenant in TENANTS)
    assert 0 < pending < total
    old.execute("select braid.cut_over_model_change('moving')")
    for tenant in TENANTS:
        set_tenant(old, tenant)
        found = semantic(old, json.loads(embed("a question", "second-model")), collection="moving")
        assert len(found) == recorded[tenant]["counts of moving"]["chunks"]
    old.execute("select braid.finish_model_change('moving')")
    maintain(old)
    assert one(old, "select dimensions from braid.collections where name = 'moving'") == DIMENSIONS["second-model"]


def test_jobs_are_claimed(old: Connection) -> None:
    pending = "select (braid.status('articles') #>> '{collections,0,pending_embeddings}')::int"
    for tenant in TENANTS:
        set_tenant(old, tenant)
        waiting = one(old, pending)
        # Failed jobs, and jobs that a worker of the release had claimed, are due by now.
        assert one(old, "select (braid.status('articles') #>> '{collections,0,failed_embeddings}')::int") == 4
        assert work(old, "articles", tenant) == waiting > 8
        assert one(old, pending) == 0


def test_documents_are_written_and_deleted(old: Connection) -> None:
    set_tenant(old, "acme")
    highest = one(old, "select max(id) from braid_store.chunks")
    assert upsert(old, [{"external_id": "d001", "content": "zebrafish"}], "articles") == {"d001": "replaced"}
    assert upsert(old, [{"external_id": "new", "content": "a zebrafish"}], "articles") == {"new": "inserted"}
    assert {name for name, *_ in full_text(old, "zebrafish", collection="articles")} == {"d001", "new"}
    assert one(old, "select min(id) from braid_store.chunks where content like '%%zebrafish'") > highest
    assert one(old, "select braid.delete_documents('{new,d001,d002}', 'articles')") == 3
    assert full_text(old, "zebrafish", collection="articles") == []
    assert problems(old) == []


def test_chunks_get_token_vectors(old: Connection) -> None:
    set_tenant(old, "acme")
    old.execute("select braid.set_token_vectors('articles', 'colbert', 2, 3)")
    chunk_ids = "(select array_agg(chunk_id) from braid.missing_token_vectors(20, 0, 'articles'))"
    vectors = "array_fill('[1,2,3]'::halfvec, array[20]), array_fill(1, array[20])"
    assert one(old, f"select braid.store_token_vectors({chunk_ids}, {vectors}, 'articles')") == 20
    option = '{"late_interaction": {"vectors": [[1, 2, 3]], "candidates": 1000}}'
    search = "braid.full_text_search('price', 10000, collection => 'articles', options => %s)"
    found = one(old, f"select array_agg(distinct (boosts #>> '{{0,value}}')::float8) from {search}", option)
    assert found == [pytest.approx(1, abs=1e-3), None]


def test_a_tenant_is_exported_and_imported(old: Connection, fresh: str) -> None:
    set_tenant(old, "acme")
    records = [record for (record,) in old.execute("select braid.export_tenant('articles')::text").fetchall()]
    query = "price objection review"
    expected = full_text(old, query, collection="articles")
    with psycopg.connect(fresh, autocommit=True) as db:
        db.execute("select braid.import_tenant(%s)", (f"[{','.join(records)}]",))
        found = full_text(db, query, collection="articles")
        assert db.execute("select * from braid.check_index('articles')").fetchall() == []
    assert len(expected) > 50
    assert [row[:2] for row in sorted(found)] == [row[:2] for row in sorted(expected)]
    assert [row[2] for row in sorted(found)] == pytest.approx([row[2] for row in sorted(expected)], rel=1e-9)


def test_an_owner_without_superuser_restores_and_upgrades(
    server: embedded.Server,
    make_login: Callable[..., str],
    template: Any,
    roles: list[str],
    dump: str,
    recorded: Any,
    pg_version: int,
) -> None:
    owner = make_login("owner", options="createrole")
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
        for role in (*roles, "braid_reader", "braid_writer"):
            grant = sql.SQL("grant {} to {} with admin option")
            admin.execute(grant.format(sql.Identifier(role), sql.Identifier(owner)))
    with empty_database(server, owner) as name:
        dsn = server.dsn_for(name)
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute("create extension vector")
        complaints = restore(make_conninfo(dsn, user=owner), dump, pg_version, stop=False)
        # Only a superuser owns these objects or can grant them; the installer replaces them.
        for line in re.findall(r"ERROR:  .*", complaints):
            assert re.search(DENIED, line), line
        assert install(make_conninfo(dsn, user=owner)).functions_applied
        with psycopg.connect(dsn, autocommit=True) as db:
            assert problems(db) == []
            assert_answers(db, recorded)


@pytest.mark.any_version
def test_a_server_that_is_killed_at_any_stage_comes_back_as_it_was(
    dump: str, package: Package, recorded: Any, pg_version: int
) -> None:
    with durable_server(pg_version) as server, ThreadPoolExecutor(1) as pool:
        with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as admin:
            create_roles(admin, dump)
            admin.execute("create database release template template0")
        dsn = server.dsn_for("release")
        restore(dsn, dump, pg_version)
        before = snapshot.rows(dsn)
        for stage in STAGES:
            files = later.files(package)
            package.change({**files, stage: f"{files.get(stage, '')}\nselect pg_sleep(600);\n"}, later.VERSION)
            upgrade = pool.submit(install, dsn)
            kill_sleeping(dsn)
            with pytest.raises((PgbraidError, psycopg.OperationalError)):
                upgrade.result(PATIENCE)
            package.restore()
            assert snapshot.rows(dsn) == before, stage
        package.change(later.files(package), later.VERSION)
        assert install(dsn).migrations[-len(later.MIGRATIONS) :] == later.MIGRATIONS
        with psycopg.connect(dsn, autocommit=True) as db:
            assert problems(db) == []
            assert_answers(db, recorded)
