"""A static embedder works with other parts: model changes, recalls, exports, stored vectors, synced tables."""

from __future__ import annotations

import psycopg
import pytest
from parts.static_embeddings.test_static_embedder import Connection, ports, store, tiny
from psycopg.types.json import Jsonb

from support.calls import hybrid, one, upsert
from support.nearest import maintain

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["ports", "tiny"]
HERE = {"collection": "ports"}


def test_a_collection_moves_to_a_static_embedder(tiny: Connection) -> None:
    tiny.execute("select braid.create_collection('docs', dimensions => 3, embedding_model => 'test')")
    upsert(tiny, [{"external_id": "old", "content": "the harbour", "embedding": [0, 1, 0]}], "docs")
    tiny.execute("select braid.start_model_change('docs', 'tiny', 3)")
    upsert(tiny, [{"external_id": "new", "content": "the ship"}], "docs")
    maintain(tiny)
    waiting = "select count(*) from braid.list_embedding_jobs(collection => 'docs', embedding_model => 'tiny')"
    assert one(tiny, waiting) == 0
    tiny.execute(
        "select braid.store_embeddings(array_agg(chunk_id), array_agg('[0,0,1]'::vector), 'docs', 'test')"
        " from braid.claim_embedding_jobs(64, '1 minute', 'docs', 'test')"
    )
    tiny.execute("select braid.cut_over_model_change('docs')")
    tiny.execute("select braid.set_ranking('docs', '{\"static_embedder\": \"tiny\"}')")
    assert [row[0] for row in hybrid(tiny, query_text="port", collection="docs")] == ["old", "new"]


def test_a_stored_vector_comes_before_the_static_vector(ports: Connection) -> None:
    upsert(ports, [{"external_id": "a", "content": "the harbour"}, {"external_id": "b", "content": "invoice"}], "ports")
    ports.execute("select braid.set_query_embeddings('ports', 3)")
    source = "select braid.search_json(%s, collection => 'ports') -> 'stats' ->> 'query_embedding'"
    page = "select braid.search_json('port', match_count => 1, collection => 'ports', options => %s)"
    first = one(ports, page, Jsonb({"cursor": ""}))
    assert ports.execute(source, ("port",)).fetchone() == ("static",)
    assert one(ports, "select braid.store_query_embedding('port', '[0,1,0]', 'ports')")
    assert one(ports, source, "port") == "stored"
    assert hybrid(ports, query_text="port", **HERE)[0][0] == "b"
    # The second page still searches as the first page did.
    second = one(ports, page, Jsonb({"cursor": first["stats"]["next_cursor"]}))
    assert second["stats"]["query_embedding"] == "static"
    assert [row["external_id"] for found in (first, second) for row in found["results"]] == ["a", "b"]


def test_a_recall_embeds_the_words_without_the_timeframe(ports: Connection) -> None:
    upsert(ports, [{"external_id": "a", "content": "the harbour", "occurred_at": "2026-11-20T10:00Z"}], "ports")
    call = "select braid.recall_json('port in November 2026', strategy => 'hybrid', collection => 'ports')"
    answer = one(ports, call)
    assert [row["external_id"] for row in answer["results"]] == ["a"]
    assert answer["stats"]["query_embedding"] == "static"


def test_an_export_has_the_name_of_the_embedder_alone(ports: Connection) -> None:
    upsert(ports, [{"external_id": "a", "content": "the harbour"}], "ports")
    before = hybrid(ports, query_text="port", **HERE)
    records = Jsonb([row[0] for row in ports.execute("select braid.export_tenant('ports')")])
    ports.execute("select braid.drop_collection('ports')")
    ports.execute("select braid.set_static_embedder('tiny', null, null)")
    with pytest.raises(psycopg.errors.UndefinedObject, match='static embedder "tiny"') as caught:
        ports.execute("select braid.import_tenant(%s)", (records,))
    assert "pgbraid static-embedder" in str(caught.value.diag.message_hint)
    store(ports)
    ports.execute("select braid.import_tenant(%s)", (records,))
    assert hybrid(ports, query_text="port", **HERE) == before != []


def test_a_synced_table_is_searched_by_meaning_at_once(ports: Connection) -> None:
    ports.execute("create table if not exists public.notes (id int primary key, body text not null)")
    tenant = one(ports, "select braid_calls.session_tenant_key()")
    ports.execute(
        "select braid.sync_table('public.notes', content => '{body}', tenant => %s, collection => 'ports')", (tenant,)
    )
    ports.execute("insert into public.notes values (1, 'the harbour')")
    ports.execute("select braid.apply_changes()")
    assert [row[0] for row in hybrid(ports, query_text="port", **HERE)] == ["1"]
    ports.execute("select braid.unsync_table('public.notes')")
    ports.execute("drop table public.notes")
