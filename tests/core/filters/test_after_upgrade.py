"""What the index and the lists lack of lists of objects, as they were written before, is found by looking at the chunks
and made anew by maintenance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from support.calls import one, upsert
from support.nearest import maintain

Connection = psycopg.Connection[Any]
MIGRATION = Path(__file__).parents[3] / "migrations" / "0042.filters_in_lists.sql"


def test_what_was_written_before_is_found(db: Connection) -> None:
    db.execute("select braid.create_collection('m', 'simple', 3)")
    db.execute("select braid.set_indexed_attributes(%s, 'm')", (Jsonb({"items.sku": "text", "n": "number"}),))
    metadata = [{"items": [{"sku": "x"}, {"sku": str(number)}], "n": number} for number in range(1100)]
    upsert(db, [{"external_id": str(m["n"]), "content": "word", "metadata": m} for m in metadata], "m")
    db.execute("select braid.rebuild_index('m')")
    maintain(db)
    # As it was: nothing of the objects.
    db.execute(
        "delete from braid_store.chunk_attributes a where a.attribute_id = "
        "(select id from braid_store.indexed_attributes where name = 'items.sku')"
    )
    db.execute("delete from braid_store.metadata_lists where key = 'items.sku'")

    def found() -> int:
        query = "select count(*) from braid.full_text_search('word', 5000, %s, 'm')"
        return int(one(db, query, Jsonb({"items.sku": "x"})))

    assert found() == 0
    db.execute("drop index braid_store.chunks_speakers_idx")
    db.execute(MIGRATION.read_bytes())
    assert found() == 1100
    maintain(db)
    assert found() == 1100
    for table in ("metadata_lists where key", "indexed_attributes where removed_at is null and name"):
        assert one(db, f"select count(*) from braid_store.{table} = 'items.sku'") > 0
    rows = """select i.removed_at is null, count(*) from braid_store.chunk_attributes
              join braid_store.indexed_attributes i on i.id = attribute_id where name = 'items.sku' group by 1"""
    assert db.execute(rows).fetchall() == [(True, 2200)]
