"""Token vectors are exported and imported."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from parts.reranking.test_token_vectors import Connection, document, stored
from parts.reranking.test_token_vectors import db as db
from psycopg.types.json import Jsonb

from support.calls import one, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]


def test_an_export_brings_them_back_to_the_last_bit(db: Connection) -> None:
    upsert(db, [document("a", [[0.1, 0.7, 3]], None), document("b", [[1, 2, 3], [-1, 0.3, 0.2]])], "c")
    before = stored(db)
    records = one(db, "select jsonb_agg(e) from braid.export_tenant('c') e")
    (definition,) = [record["collection"] for record in records if "collection" in record]
    assert definition["token_vector_model"] == "colbert"
    db.execute("select braid.create_tenant('elsewhere')")
    db.execute("select braid.clear_collection('c')")
    db.execute("select braid.drop_collection('c')")
    db.execute("select braid.maintain()")
    db.execute("select braid.import_tenant(%s)", (Jsonb(records),))
    assert stored(db) == before
    # Vectors of another model are left out; a file without vectors gives none.
    db.execute("select braid.set_token_vectors('c', 'another', 3, 3)")
    db.execute("select braid.import_tenant(%s)", (Jsonb([r for r in records if "document" in r]),))
    assert one(db, "select count(*) from braid_store.token_vectors") == 0
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="token_vector_model"):
        db.execute("select braid.import_tenant(%s)", (Jsonb(records),))


def test_an_import_takes_what_fits_the_collection(db: Connection) -> None:
    upsert(db, [document(name, [[1, 0, 0], [0.6, 0.8, 0.1]]) for name in "abcd"], "c")
    before = stored(db)
    records = [
        json.loads(record)
        for (record,) in db.execute("select r::text from braid.export_tenant('c') r").fetchall()
        if "document" in json.loads(record)
    ]
    assert [record["document"]["external_id"] for record in records] == list("abcd")

    def load(*vectors: Any) -> None:
        for record, given in zip(records, vectors, strict=False):
            record["document"]["chunks"][0]["token_vectors"]["vectors"] = given
        db.execute("select braid.import_tenant(%s)", (Jsonb(records),))

    load()
    assert stored(db) == before
    # The records have other dimensions, more vectors than the collection allows, and lengths other than 1.
    load([[1, 0]], [[1, 0, 0]] * 4, [[0, 50, 0], [0, 0, 0.01]])
    assert stored(db) == {"c text 0": ["[0,1,0]", "[0,0,1]"], "d text 0": before["d text 0"]}
    with pytest.raises(psycopg.errors.InvalidParameterValue, match='token_vectors of document "a" is a zero vector'):
        load([[0, 0, 0]])
