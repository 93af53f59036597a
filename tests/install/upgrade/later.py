"""Define a release that comes after this one and changes at once all that an upgrade may change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.package import Package

VERSION = "99.0.0"
CORE = "migrations/core/0002.page_counts.sql"
SYNC = "migrations/parts/sync/sync.0002.priorities.sql"
MEMORY = "migrations/parts/memory/memory.0001.moods.sql"
PAGES = "migrations/parts/pages/pages.0001.pages.sql"
MIGRATIONS = tuple(Path(file).stem for file in (CORE, MEMORY, SYNC))


def files(package: Package) -> dict[str, str | None]:
    """Return the later release's changed files.

    Filled tables of the core and of a part get columns and are rewritten, and a part without tables gets one. A type
    changes with all functions that pass it, and so does a function's signature. The part "pages" is new.
    """
    version = "sql/core/95_upkeep/7_status/version.sql"
    shard = "sql/core/10_foundation/4_types/serving_shard.sql"
    serving = "sql/core/70_vectors/1_spaces/serving_shard.sql"
    memory = "sql/parts/memory/part.json"
    manifest = json.loads(package.text(memory))
    return {
        CORE: "-- depends: 0001.baseline\n"
        "alter table braid_store.documents add column page_count int not null default 1;\n"
        "alter table braid_store.chunks alter column importance type numeric;\n"
        "alter table braid_store.chunks alter column importance type float8;\n",
        SYNC: "-- depends: sync.0001.baseline\n"
        "alter table braid_store.synced_tables add column priority int;\n"
        "update braid_store.synced_tables s set priority = s.id where true;\n"
        "alter table braid_store.synced_tables alter column priority set not null;\n",
        MEMORY: "-- depends: 0001.baseline\n"
        "create table braid_store.moods (tenant_id int, collection_id int, mood text,\n"
        "  primary key (tenant_id, collection_id));\n"
        "comment on table braid_store.moods is 'The mood of a collection.';\n"
        "insert into braid_store.moods select distinct tenant_id, collection_id, 'calm' from braid_store.documents;\n",
        PAGES: "-- depends: 0001.baseline\n"
        "create table braid_store.pages (tenant_id int primary key);\n"
        "comment on table braid_store.pages is 'Pages.';\n",
        "sql/parts/pages/part.json": json.dumps(
            {"sentence": "Adds pages.", "needs": [], "since": VERSION, "is_stable": True, "tables": {"pages": {}}}
        ),
        memory: json.dumps({**manifest, "tables": {"moods": {"emptied": "clear"}}}),
        shard: package.text(shard).replace("has_written boolean", "has_written boolean,\n  page_count int"),
        serving: package.text(serving).replace("s.index_type, s.far", "1, s.index_type, s.far"),
        version: package.text(version).replace("returns text", "returns table (version text)"),
    }


@contextmanager
def later_release(folder: Path) -> Iterator[Package]:
    """Make the package the later release inside the block; yield the package."""
    with pytest.MonkeyPatch.context() as patch:
        package = Package(folder, patch)
        package.change(files(package), VERSION)
        yield package
