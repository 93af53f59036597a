"""Test which parts an upgrade to a later release leaves, and which it finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from install.upgrade import later

from pgbraid.errors import VersionMismatchError
from pgbraid.install import install, resources
from support import snapshot
from support.calls import one
from support.package import Package

pytestmark = pytest.mark.any_version


def applied(dsn: str) -> set[str]:
    """Return the names of applied migrations; the installation's record and yoyo's record agree."""
    with psycopg.connect(dsn) as db:
        names: set[str] = one(db, "select array(select jsonb_object_keys(migrations) from braid_store.installation)")
        assert set(names) == set(one(db, "select array_agg(migration_id) from braid_store._yoyo_migration"))
        return set(names)


def be_later(package: Package, *, without: str | None = None) -> None:
    files = later.files(package)
    if without:
        files = {name: text for name, text in files.items() if f"/parts/{without}/" not in name}
        for folder in ("sql", "migrations"):
            for path in (resources.ROOT / folder / "parts" / without).rglob("*.*"):
                files[path.relative_to(resources.ROOT).as_posix()] = None
    package.change(files, later.VERSION)


def test_the_core_alone_stays_alone_and_gets_the_migrations_of_a_part_with_it(
    package: Package, bare_dsn: Callable[..., str]
) -> None:
    dsn, fresh = bare_dsn(), bare_dsn()
    assert install(dsn, only=["core"]).migrations == ("0001.baseline",)
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("select braid.upsert_document('a', 'the quick brown fox')")
    be_later(package)
    report = install(dsn)
    assert (report.migrations, report.parts) == ((Path(later.CORE).stem,), ("core",))
    assert applied(dsn) == {"0001.baseline", *report.migrations}
    report = install(dsn, with_parts=["sync"])
    assert report.migrations == ("sync.0001.baseline", Path(later.SYNC).stem)
    install(fresh, only=["sync"])
    assert snapshot.definitions(dsn) == snapshot.definitions(fresh)
    assert applied(dsn) == applied(fresh)
    with psycopg.connect(dsn) as db:
        assert one(db, "select external_id from braid.full_text_search('fox')") == "a"


def test_a_part_that_the_later_release_brings_is_absent_until_it_is_asked_for(
    package: Package, bare_dsn: Callable[..., str]
) -> None:
    dsn, fresh = bare_dsn(), bare_dsn()
    install(dsn, only=["core", "memory"])
    be_later(package)
    assert "pages" in resources.resources().parts
    assert install(dsn).parts == ("core", "memory")
    assert Path(later.PAGES).stem not in applied(dsn)
    report = install(dsn, with_parts=["pages"])
    assert (report.added_parts, report.migrations) == (("pages",), (Path(later.PAGES).stem,))
    install(fresh, only=["memory", "pages"])
    assert snapshot.definitions(dsn) == snapshot.definitions(fresh)


def test_a_part_that_the_later_release_lacks_is_named_and_nothing_changes(
    package: Package, bare_dsn: Callable[..., str]
) -> None:
    dsn = bare_dsn()
    install(dsn, only=["sync"])
    before = snapshot.rows(dsn)
    be_later(package, without="sync")
    assert "sync" not in resources.resources().parts
    with pytest.raises(VersionMismatchError, match=r"parts that are not in this pgbraid, 99\.0\.0: sync\n") as caught:
        install(dsn)
    assert caught.value.hint
    assert snapshot.rows(dsn) == before
