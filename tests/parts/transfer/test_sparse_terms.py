"""Sparse terms are exported and imported with their documents."""

from __future__ import annotations

import pytest
from core.sparse.test_sparse import Connection, documents, empty, found, search
from psycopg.types.json import Jsonb

from support.calls import set_tenant, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["empty"]


def test_terms_come_along(empty: Connection) -> None:
    made = documents(20)
    upsert(
        empty,
        [*made, {"external_id": "chunks", "chunks": [{"content": "x", "sparse": {"t1": 5}}, {"content": "y"}]}],
        "s",
    )
    query = {"t1": 1.0, "t5": 2.0}
    before = found(search(empty, query))
    records = [row[0] for row in empty.execute("select braid.export_tenant('s')")]
    empty.execute("select braid.create_tenant('copy')")
    set_tenant(empty, "copy")
    empty.execute("select braid.import_tenant(%s)", (Jsonb(records),))
    assert before and found(search(empty, query)) == before
    # Exports of earlier versions have no terms.
    for record in records[1:]:
        for chunk in record["document"]["chunks"]:
            del chunk["sparse"]
    empty.execute("select braid.create_tenant('older')")
    set_tenant(empty, "older")
    empty.execute("select braid.import_tenant(%s)", (Jsonb(records[1:]),))
    assert search(empty, query) == []
