"""Test types that functions pass to each other: an installation replaces each type that differs from its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pgbraid.install import install
from support.calls import one
from support.package import Package

OPTIONS = "sql/core/10_foundation/4_types/search_options.sql"
DEFAULTS = "sql/core/80_search/50_request/default_options.sql"
ATTRIBUTES = """
    select array_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
    where a.attrelid = 'braid_store.search_options'::regclass and not a.attisdropped"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    return Package(tmp_path, monkeypatch)


def test_a_type_takes_the_order_of_its_file(db: Any, dsn: str, package: Package) -> None:
    db.execute('select braid.upsert_documents(\'[{"external_id": "a", "content": "the harbour of Bergen"}]\')')
    db.execute("create view public.found as select content from braid.full_text_search('harbour')")
    before = one(db, ATTRIBUTES)
    changed = package.text(OPTIONS).replace("as (\n", "as (\n  first_of_all text,\n")
    package.change(
        {OPTIONS: changed, DEFAULTS: package.text(DEFAULTS).replace("return row(\n", "return row(\n    null,\n")}
    )
    install(dsn)
    assert one(db, ATTRIBUTES) == ["first_of_all", *before]
    assert one(db, "select content from public.found") == "the harbour of Bergen"

    package.restore()
    install(dsn)
    assert one(db, ATTRIBUTES) == before
    assert one(db, "select content from public.found") == "the harbour of Bergen"


def test_types_that_are_as_their_files_stay(db: Any, dsn: str) -> None:
    kept = (
        "select array_agg(t.oid order by t.oid) from pg_catalog.pg_type t"
        " where t.typnamespace = 'braid_store'::regnamespace"
    )
    before = one(db, kept)
    install(dsn, repair=True)
    assert one(db, kept) == before


def test_the_owner_has_all_types(db: Any) -> None:
    assert (
        one(
            db,
            "select count(distinct t.typowner) from pg_catalog.pg_type t"
            " join pg_catalog.pg_class c on c.oid = t.typrelid"
            " where t.typnamespace = 'braid_store'::regnamespace and c.relkind = 'c'",
        )
        == 1
    )
