"""Create pgbraid as an extension as the owner of a project, who is no superuser."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from docs.markdown import page
from integrations.supabase.test_bundle import request
from pgbraid import __version__
from pgbraid.install.choice import choose
from pgbraid_tools.bundles.extension import extension
from support import supabase
from support.calls import upsert
from support.extensions import ExtensibleServer, extensible_server

SCHEMA = "GRANT USAGE ON SCHEMA extensions TO authenticated"


@pytest.fixture
def hosted(pg_version: int) -> Iterator[ExtensibleServer]:
    with extensible_server(pg_version) as hosted:
        supabase.set_up(hosted.server)
        for name, text in extension(choose((), (), ())).items():
            if name.startswith("pgbraid"):
                (hosted.extensions / name).write_text(text)
        yield hosted


def test_the_owner_creates_it_and_grants_what_a_bundle_would(hosted: ExtensibleServer) -> None:
    dsn = hosted.server.dsn_for("project", supabase.OWNER)
    (grants,) = [block.code for block in page("docs/guide/extension.md").blocks if "authenticator" in block.code]
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute("create extension pgbraid")
        owner.execute(grants.encode())
        owner.execute("select braid.create_tenant('acme'), braid.create_collection('default')")
        owner.execute("set braid.tenant = 'acme'")
        upsert(owner, [{"external_id": "call-1", "content": "They object to the price per seat."}])
        assert owner.execute("select extversion from pg_extension where extname = 'pgbraid'").fetchone() == (
            __version__,
        )
    search = "select external_id from braid.hybrid_search('price objections')"
    assert request(dsn, "authenticated", search, "acme") == [("call-1",)]
    assert request(dsn, "service_role", "select braid.create_tenant('beta') > 0") == [(True,)]
    for role in ("anon", "authenticated"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            request(dsn, role, search)
    # A dump still has the grants on pgvector's schema, on which the script granted as well.
    assert SCHEMA in hosted.run("pg_dump", "--schema-only", hosted.server.dsn_for("project", supabase.ADMIN))
