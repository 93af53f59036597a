"""A standby shows a limited session what the primary shows it, as soon as it has replayed who may read, and embeds
queries by the primary's table of token vectors."""

from __future__ import annotations

import psycopg
import pytest
from parts.permissions.test_access import ALL, DOCUMENTS, found, principals
from parts.static_embeddings.test_static_embedder import store

from pgbraid.install import install
from support import pglite
from support.calls import one, upsert
from support.replication import replicated


def test_a_limited_session_and_a_text_alone_on_a_standby(pg_version: int) -> None:
    if pg_version == pglite.VERSION:
        pytest.skip("PGlite has no standbys")
    with replicated(pg_version) as pair:
        install(pair.primary.dsn, with_parts=["permissions", "static_embeddings"])
        with (
            psycopg.connect(pair.primary.dsn, autocommit=True) as primary,
            psycopg.connect(pair.standby.dsn, autocommit=True) as standby,
        ):
            primary.execute("select braid.create_collection('docs', text_config => 'simple')")
            primary.execute("select braid.set_permissions('docs', true)")
            upsert(primary, DOCUMENTS, "docs")
            primary.execute("select braid.add_principal_member('default', 'group:sales', 'user:ana')")
            pair.caught_up()
            assert found(standby) == ALL
            with principals(standby, "user:ana"):
                assert found(standby) == ["open", "sales"]
            primary.execute("select braid.remove_principal_member('default', 'group:sales', 'user:ana')")
            pair.caught_up()
            with principals(standby, "user:ana"):
                assert found(standby) == ["open"]
            store(primary)
            primary.execute("select braid.create_collection('ports', embedding_model => 'tiny', dimensions => 3)")
            upsert(primary, [{"external_id": name, "content": name} for name in ("harbour", "invoice")], "ports")
            pair.caught_up()
            answer = one(standby, "select braid.search_json('port', collection => 'ports')")
            assert answer["stats"] | {"mode": "hybrid", "query_embedding": "static"} == answer["stats"]
            assert [row["external_id"] for row in answer["results"]] == ["harbour", "invoice"]
            nearest = (
                "select external_id from braid.semantic_search(braid.embed_text('port', 'tiny'), 1, null, 'ports')"
            )
            assert one(standby, nearest) == "harbour"
