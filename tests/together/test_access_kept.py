"""Exports, imports and versions of documents keep who may read them."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from parts.permissions.test_access import ALL, DOCUMENTS, found, principals

from support.calls import one, upsert

Connection = psycopg.Connection[Any]


@pytest.fixture
def filled(db: Connection) -> Connection:
    db.execute("select braid.create_collection('docs', text_config => 'simple')")
    db.execute("select braid.set_permissions('docs', true)")
    upsert(db, DOCUMENTS, "docs")
    return db


def test_access_moves_with_an_export(filled: Connection) -> None:
    """The ids of lists mean nothing elsewhere; the principals do."""
    records = [row[0] for row in filled.execute("select braid.export_tenant('docs')").fetchall()]
    assert "access_list_id" not in json.dumps(records)
    with principals(filled, "group:board"):
        limited = [row[0] for row in filled.execute("select braid.export_tenant('docs')").fetchall()]
    ids = [record["document"]["external_id"] for record in limited if "document" in record]
    assert sorted(ids) == ["board", "open"]
    filled.execute("select braid.create_tenant('copy'), set_config('braid.tenant', 'copy', false)")
    filled.execute("select braid.import_tenant(%s)", (json.dumps(records),))
    assert found(filled) == ALL
    for names, expected in {
        (): ["open"],
        ("user:eva",): ["open", "sales"],
        ("group:board",): ["board", "open"],
    }.items():
        with principals(filled, *names):
            assert found(filled) == expected


def test_a_document_whose_list_is_gone_is_exported_as_hidden(filled: Connection) -> None:
    filled.execute("delete from braid_store.access_lists where principals = '{group:board}'")
    records = [row[0] for row in filled.execute("select braid.export_tenant()").fetchall()]
    filled.execute("select braid.create_tenant('copy'), set_config('braid.tenant', 'copy', false)")
    filled.execute("select braid.import_tenant(%s)", (json.dumps(records),))
    assert found(filled) == ALL
    with principals(filled, "group:board"):
        assert found(filled) == ["open"]


def test_permissions_move_to_a_database_without_the_collection(filled: Connection) -> None:
    """The collection keeps its setting, and users their groups."""
    filled.execute("select braid.add_principal_member('default', 'group:board', 'user:eva')")
    records = [row[0] for row in filled.execute("select braid.export_tenant()").fetchall()]
    filled.execute("select braid.drop_collection('docs'), braid.create_tenant('moved')")
    filled.execute("select set_config('braid.tenant', 'moved', false)")
    filled.execute("select braid.import_tenant(%s)", (json.dumps(records),))
    with principals(filled, "user:eva"):
        assert found(filled) == ["board", "open", "sales"]
        limited = [row[0] for row in filled.execute("select braid.export_tenant()").fetchall()]
    assert not any("principal_member" in record for record in limited)


def test_versions_keep_the_access_of_the_former_one(filled: Connection) -> None:
    filled.execute("select braid.set_validity('docs', true)")

    def supersede(**document: Any) -> None:
        filled.execute("select braid.supersede_documents(%s, 'docs')", (json.dumps([document]),))

    supersede(external_id="board", content="another discount")
    supersede(external_id="sales", content="another discount", access=["group:board"])
    ids = "select array_agg(split_part(external_id, '@', 1) order by 1) from braid.list_documents('docs')"
    for names, expected in {
        (): ["open"],
        ("group:board",): ["board", "open", "sales"],
        ("group:sales",): ["open"],
    }.items():
        with principals(filled, *names):
            assert one(filled, ids) == expected


def test_records_cannot_name_a_list(filled: Connection) -> None:
    (record,) = (
        row[0]
        for row in filled.execute("select braid.export_tenant('docs')").fetchall()
        if row[0].get("document", {}).get("external_id") == "open"
    )
    record["document"]["access_list_id"] = 1
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        filled.execute("select braid.import_tenant(%s)", (json.dumps([record]),))


def test_access_holds_beside_empty_keys_of_other_parts(filled: Connection) -> None:
    """`token_vectors` is a key of reranking, and may be null."""
    document = {"external_id": "secret", "content": "secret discount", "access": ["user:ana"], "token_vectors": None}
    upsert(filled, [document], "docs")
    upsert(filled, [{**DOCUMENTS[0], "access": ["user:ana"], "token_vectors": None}], "docs")
    for name in ("secret", "open"):
        assert one(filled, "select braid.document_access(%s, 'docs')", name) == ["user:ana"]
    with principals(filled, "user:eva"):
        assert found(filled) == ["sales"]


def test_permissions_stay_while_a_document_without_chunks_has_access(db: Connection) -> None:
    db.execute("select braid.create_collection('docs'), braid.set_permissions('docs', true)")
    upsert(db, [{"external_id": "empty", "chunks": [], "access": ["user:ana"]}], "docs")
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="has documents with access"):
        db.execute("select braid.set_permissions('docs', false)")
    upsert(db, [{"external_id": "empty", "chunks": [], "access": None}], "docs")
    db.execute("select braid.set_permissions('docs', false)")


def test_versions_do_not_write_over_documents_that_one_may_not_read(filled: Connection) -> None:
    filled.execute("select braid.set_validity('docs', true)")
    hidden = {"external_id": "open@", "content": "secret", "access": ["group:board"]}
    upsert(filled, [hidden], "docs")
    with principals(filled, "user:ana"), pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
        filled.execute("""select braid.supersede_documents('[{"external_id": "open", "content": "new"}]', 'docs')""")
    assert "open@" in str(caught.value) and caught.value.diag.message_hint
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught_again:
        filled.execute("""select braid.supersede_documents('[{"external_id": "open", "content": "new"}]', 'docs')""")
    assert "open@" in str(caught_again.value) and caught_again.value.diag.message_hint
    assert one(filled, "select braid.get_document('open', 'docs')")["chunks"][0]["content"] == "discount for everyone"
