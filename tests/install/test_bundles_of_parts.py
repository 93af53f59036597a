"""Test SQL bundles of the core alone, of some parts, and of a part that is added later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo

from pgbraid import __version__, embedded
from pgbraid.cli import cli
from pgbraid.errors import InvalidArgumentError
from pgbraid.install import install, uninstall_parts
from pgbraid.install.choice import choose
from pgbraid.install.resources import resources
from pgbraid_tools.bundles.bundle import bundle, bundle_parts, part_bundles
from support import clone, snapshot
from support.package import Package
from support.roles import definer_role, owner_role

Connection = psycopg.Connection[Any]
PARTS = [name for name in resources().parts if name != "core"]
# Supabase's SQL editor takes at most about this size.
MOST_BYTES = 980_000


@contextmanager
def empty(server: embedded.Server) -> Iterator[str]:
    with clone(server, "template1") as name:
        yield server.dsn_for(name)


def paste(dsn: str, text: str) -> list[str]:
    """Run the text as one query, as the SQL editor does. Return the messages of its last statement."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        cursor = connection.execute(text.encode(), prepare=False)
        while cursor.nextset():
            pass
        return [said for (said,) in cursor.fetchall()] if cursor.description else []


def refusal(dsn: str, text: str) -> psycopg.Error:
    """Return the error of the text, which has changed nothing."""
    before = snapshot.rows(dsn)
    with pytest.raises(psycopg.Error) as caught:
        paste(dsn, text)
    assert caught.value.diag.message_hint
    assert snapshot.rows(dsn) == before
    return caught.value


@pytest.mark.any_version
def test_each_file_is_small_enough() -> None:
    files = {**bundle_parts(choose(["core"], (), ())), **part_bundles(PARTS)}
    assert {name: len(text.encode()) for name, text in files.items() if len(text.encode()) > MOST_BYTES} == {}
    assert len(files) == 3 + len(PARTS) and all(text.isascii() for text in files.values())


def test_the_core_and_then_each_part_make_what_init_makes(server: embedded.Server) -> None:
    with empty(server) as pasted, empty(server) as installed:
        for text in bundle_parts(choose(["core"], (), ())).values():
            paste(pasted, text)
        install(installed, only=["core"])
        assert snapshot.definitions(pasted) == snapshot.definitions(installed)
        # The order differs from init's order, and one part comes twice.
        first = ["sync", "memory"]
        for name in [*first, "sync", *(name for name in PARTS if name not in first)]:
            assert name in paste(pasted, part_bundles([name])[name])[0].split(", ")
        install(installed, with_parts=PARTS)
        assert snapshot.definitions(pasted) == snapshot.definitions(installed)
        assert recorded(pasted) == recorded(installed)
        assert not install(pasted).changed


def recorded(dsn: str) -> list[Any]:
    with psycopg.connect(dsn) as connection:
        return [
            connection.execute(query.encode()).fetchall()
            for query in (
                "select version, migrations, extension_hashes from braid_store.installation",
                "select name, place, manifest, content_hash from braid_store.parts order by 2",
                "select migration_id, migration_hash from braid_store._yoyo_migration order by 1",
            )
        ]


def test_a_bundle_has_the_parts_that_are_chosen(server: embedded.Server) -> None:
    with empty(server) as pasted:
        paste(pasted, bundle(choose(["sync"], ["memory"], ())))
        assert install(pasted).parts == ("core", "memory", "sync")
        *first, last = bundle_parts(choose(["sync"], (), ())).values()
        for text in (bundle(choose(["sync"], (), ())), last):
            for before in first if text is last else []:
                paste(pasted, before)
            told = refusal(pasted, text)
            assert "memory" in str(told)
            # psql shows the context last: it must not push message and hint off the screen.
            assert len(str(told.diag.context)) < 1_000
        paste(pasted, bundle(choose(["sync", "memory"], ["transfer"], ())))
        assert install(pasted).parts == ("core", "memory", "sync", "transfer")


def test_a_part_goes_only_onto_the_core_of_its_version(
    server: embedded.Server, dsn: str, db: Connection, package: Package
) -> None:
    install(dsn)
    uninstall_parts(dsn, ["learning", "reranking", "sync"])
    text = part_bundles(["sync", "learning"])
    with empty(server) as nothing:
        told = refusal(nothing, text["sync"])
        assert "has no pgbraid" in str(told) and "pgbraid bundle --only core" in str(told.diag.message_hint)
    told = refusal(dsn, text["learning"])
    assert "needs reranking" in str(told) and "pgbraid bundle --part reranking" in str(told.diag.message_hint)
    version = "sql/core/95_upkeep/7_status/version.sql"
    package.change({version: package.text(version) + "\n"})
    assert "has another core" in str(refusal(dsn, part_bundles(["sync"])["sync"]))
    package.restore()
    db.execute("update braid_store.installation set version = '0.0.9'")
    assert "has 0.0.9" in str(refusal(dsn, text["sync"]))
    db.execute("update braid_store.installation set version = %s", (__version__,))
    db.execute("create schema braid_shards")
    for each in (text["sync"], bundle()):
        assert "--gather" in str(refusal(dsn, each).diag.message_hint)
    db.execute("drop schema braid_shards")
    paste(dsn, text["sync"])
    assert not install(dsn).changed


def test_a_read_only_session_adds_no_part(dsn: str) -> None:
    error = refusal(
        make_conninfo(dsn, options="-c default_transaction_read_only=on"), part_bundles(["memory"])["memory"]
    )
    assert error.sqlstate == "25006" and "default_transaction_read_only = off" in str(error.diag.message_hint)


def test_a_copy_of_a_database_is_upgraded_first(dsn: str) -> None:
    """A copied database still uses the roles of the original, so it is upgraded first."""
    assert "is a copy" in str(refusal(dsn, part_bundles(["sync"])["sync"]))


def test_only_who_may_change_the_installation_adds_a_part(dsn: str, db: Connection, make_login: Any) -> None:
    install(dsn)
    uninstall_parts(dsn, ["sync"])
    other = make_conninfo(dsn, user=make_login("other", "braid_writer"))
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
        paste(other, part_bundles(["sync"])["sync"])
    assert caught.value.diag.message_hint
    owner = make_login("owner")
    for role in (owner_role(db), definer_role(db)):
        db.execute(f"grant {role} to {owner} with inherit true, set true".encode())
    paste(make_conninfo(dsn, user=owner), part_bundles(["sync"])["sync"])
    assert not install(dsn).changed


def test_on_the_command_line(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(cli, ["bundle", *arguments])
        assert result.exit_code == 0, result.output
        return result.output

    run("--parts", str(tmp_path / "some"), "--part", "sync", "--part", "memory")
    assert {file.name for file in (tmp_path / "some").iterdir()} == {
        f"pgbraid-{__version__}-memory.sql",
        f"pgbraid-{__version__}-sync.sql",
    }
    assert run("--part", "sync") == (tmp_path / "some" / f"pgbraid-{__version__}-sync.sql").read_text()
    assert run("--only", "core") == bundle(choose(["core"], (), ()))
    run("--migration", str(tmp_path / "migrations"), "--part", "sync")
    (file,) = (tmp_path / "migrations").iterdir()
    assert file.name.endswith("_sync.sql")
    assert CliRunner().invoke(cli, ["bundle", "--part", "sync", "--only", "core"]).exit_code == 2
    with pytest.raises(InvalidArgumentError, match="core"):
        part_bundles(["core"])
