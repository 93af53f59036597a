"""Every call of the API shows and changes nothing of the documents that its session may not read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from core.isolation.test_calls import CALLS, run
from core.isolation.world import (
    ALPHA,
    BETA,
    PRIVATE,
    Connection,
    Gateway,
    World,
    tenant_claims,
)

from pgbraid import embedded
from support.api import ADMINISTRATIVE, API, LOGGED, READING, runs
from support.calls import one

# The same tenant has these documents, under other ids than its open ones.
HIDDEN = [
    {
        **document,
        "external_id": f"{document['external_id'].replace('doc', 'beta-only')}",
        "access": ["group:board"],
    }
    for document in BETA
    if document["external_id"] != "beta-only"
] + [{**BETA[2], "access": ["group:board"]}]
# They work on all documents, or would write one that is hidden.
REFUSED = {
    **dict.fromkeys(ADMINISTRATIVE, "42501"),
    **dict.fromkeys(
        (
            "arrange_context",
            "arrange_results",
            "explain_score",
            "highlight",
            "similar_chunks",
        ),
        "42704",
    ),
    **dict.fromkeys(("clear_collection", "rebuild_index", "check_index"), "42501"),
    # The log has what others have searched for and found.
    **dict.fromkeys(("judgments_from_clicks", "sample_queries"), "42501"),
    **dict.fromkeys(("upsert_documents", "upsert_embedded_documents"), "42501"),
}
# These answers repeat what the call names, or show a key that a shared collection declares.
ECHOED = {
    "explain_search": ["zebrafish", "beta-only", "betakey"],
    "export_tenant": ["betakey"],
    "learn_profile": ["beta-only"],
    "logged_multi_search": ["zebrafish"],
    "logged_search": ["zebrafish"],
    "multi_search": ["zebrafish"],
    "search_json": ["zebrafish"],
    "upsert_documents": ["beta-only"],
    "upsert_embedded_documents": ["beta-only"],
}
SESSIONS = ["analyst", "service", "gateway", "superuser"]


class Groups(World):
    def chunk_ids(self, tenant: str) -> list[int]:
        """Return the chunks of alpha's hidden documents in place of beta's."""
        rows = self.admin.execute("select id from braid_store.chunks where access_list_id is not null order by id")
        return [row[0] for row in rows]

    def hidden(self) -> str:
        """Return a hash of all that is stored of hidden documents."""
        return str(
            one(
                self.admin,
                "select md5(concat("
                " (select string_agg(d::text, ',' order by d.id) from braid_store.documents d"
                "  where access_list_id is not null),"
                " (select string_agg(c::text, ',' order by c.id) from braid_store.chunks c"
                "  where access_list_id is not null),"
                " (select string_agg(j::text, ',' order by j::text) from braid_store.embedding_jobs j"
                "  where chunk_id in (select id from braid_store.chunks where access_list_id is not null)),"
                " (select string_agg(s::text, ',' order by s::text) from braid_store.sparse_rows s"
                "  where chunk_id in (select id from braid_store.chunks where access_list_id is not null)),"
                " (select string_agg(v.chunk_id || v.embedding::text, ',' order by v.chunk_id)"
                "  from braid_store.chunk_vectors v"
                "  where chunk_id in (select id from braid_store.chunks where access_list_id is not null))))",
            )
        )


@pytest.fixture(scope="module")
def world(server: embedded.Server, template: str) -> Iterator[Groups]:
    created = Groups(server.dsn_for("postgres"), template)
    try:
        created.definitions.execute("select braid.set_permissions('small', true)")
        created.ingest("alpha", ALPHA)
        created.ingest("alpha", HIDDEN)
        created.like("alpha", "Ana")
        created.judge("alpha", "discount")
        created.search("alpha", "discount")
        created.admin.execute("select braid.maintain()")
        created.learn("alpha", 0.5)
        yield created
    finally:
        created.close()


@pytest.fixture(scope="module")
def gateway(world: Groups) -> Gateway:
    return Gateway(world)


@pytest.fixture(scope="module")
def connections(world: Groups) -> dict[str, Connection]:
    analyst = world.role("analyst", "braid_writer")
    world.member("alpha", analyst)
    limited = {"braid__tenant": "alpha", "braid__principals": '["group:sales"]'}
    return {
        "analyst": world.connect(analyst),
        "service": world.connect(world.role("service", "braid_writer", "service"), **limited),
        "superuser": world.connect("postgres", **limited),
    }


@contextmanager
def session(kind: str, connections: dict[str, Connection], gateway: Gateway) -> Iterator[Connection]:
    """Yield a session in a transaction for tenant alpha, which is rolled back."""
    if kind == "gateway":
        claims = {
            **tenant_claims("alpha"),
            "user_metadata": {"groups": ["board"]},
            "groups": ["board"],
        }
        opened = gateway.request(gateway.authenticated, claims, read_only=False)
    else:
        opened = connections[kind].transaction()  # type: ignore[assignment]
    with opened:
        yield gateway.connection if kind == "gateway" else connections[kind]
        raise psycopg.Rollback()


@pytest.mark.parametrize("kind", SESSIONS)
@pytest.mark.parametrize("function", CALLS)
def test_a_call_shows_and_changes_nothing_hidden(
    world: Groups,
    connections: dict[str, Connection],
    gateway: Gateway,
    function: str,
    kind: str,
) -> None:
    if (function in ADMINISTRATIVE and kind == "superuser") or (function in runs("service") and kind == "service"):
        pytest.skip("works on all documents")
    before = world.hidden()
    with session(kind, connections, gateway) as connection:
        for call in CALLS[function]:
            text, state = run(connection, world, call)
            shown = [word for word in PRIVATE if word in text and word not in ECHOED.get(function, ())]
            assert shown == [], f"{call}\n{text}"
            if function in READING | LOGGED or function in REFUSED:
                assert state == REFUSED.get(function, "00000"), f"{call}\n{text}"
    assert world.hidden() == before


def test_the_calls_would_show_it(world: Groups, connections: dict[str, Connection]) -> None:
    """The same calls of a session without limits show hidden words, so the tests above can fail."""
    connection = connections["superuser"]
    showing = set()
    with connection.transaction(force_rollback=True):
        connection.execute("set local braid.principals = ''")
        for function in sorted(API.keys() & READING):
            for call in CALLS[function]:
                text, _ = run(connection, world, call)
                if any(word in text for word in PRIVATE if word not in ECHOED.get(function, ())):
                    showing.add(function)
    assert {"full_text_search", "hybrid_search", "semantic_search", "facets", "grep", "list_values", "complete",
            "get_document", "list_documents", "export_tenant", "highlight", "search_json", "similar_documents",
            "recall", "conversation_timeline"} <= showing  # fmt: skip


# Scores and what they are made of, and the number of chunks that wait for their embedding.
COUNTED = re.compile(
    r"(?<![\w.-])-?\d+\.\d+(?:e-?\d+)?|\b\d+(?= chunks wait)"
    r"|(?<=document_frequency': )\d+|(?<=(?:_score|.score|.value|addend)': )-?\d+"
)
# Sums of segments are the tenant's; health and status are about them.
OF_THE_TENANT = {"health", "status"}


@pytest.mark.parametrize("scope", ["collection", "permitted"])
@pytest.mark.parametrize("kind", SESSIONS)
def test_results_are_those_of_a_tenant_without_hidden_documents(
    world: Groups, connections: dict[str, Connection], gateway: Gateway, kind: str, scope: str
) -> None:
    """Rows, counts, warnings and terms are the same."""
    compared = (READING | LOGGED) - REFUSED.keys() - OF_THE_TENANT - ADMINISTRATIVE
    reading = [call for function in sorted(compared) for call in CALLS[function]]

    def results() -> list[tuple[str, str, str]]:
        with session(kind, connections, gateway) as connection:
            found = [(call, *run(connection, world, call)) for call in reading]
        return [(call, COUNTED.sub("0", text), state) for call, text, state in found]

    world.definitions.execute("select braid.set_ranking('small', %s)", (json.dumps({"statistics_scope": scope}),))
    ids = [document["external_id"] for document in HIDDEN]
    with_hidden = results()
    assert "doc1" in str(with_hidden) and "doc2" in str(with_hidden)
    world.call("alpha", "select braid.delete_documents(%s, 'small')", ids)
    try:
        assert [pair for pair in zip(results(), with_hidden, strict=True) if pair[0] != pair[1]] == []
    finally:
        world.ingest("alpha", HIDDEN)
        world.definitions.execute("""select braid.set_ranking('small', '{"statistics_scope": "collection"}')""")


def test_claims_name_groups(world: Groups, gateway: Gateway) -> None:
    def found(role: str, claims: dict[str, object], headers: dict[str, str] | None = None) -> bool:
        with gateway.request(role, claims, headers) as connection:
            # PostgREST lets nobody set it, and it would not count.
            connection.execute("""select set_config('braid.principals', '["group:board"]', true)""")
            rows = connection.execute("select external_id from braid.list_documents('small')").fetchall()
        assert {"doc1", "doc2", "doc3"} <= {row[0] for row in rows}
        return "beta-only" in {row[0] for row in rows}

    ann = tenant_claims("alpha")
    board = {**ann, "app_metadata": {**ann["app_metadata"], "groups": ["sales", "board"]}}
    named = {**ann, "https://example.com/groups": ["board"]}
    user = gateway.authenticated
    assert (found(user, ann), found(user, board), found(user, named)) == (False, False, False)
    try:
        mapping = '{"sub": "user:", "app_metadata.groups": "group:", "https://example.com/groups": "group:"}'
        world.definitions.execute("select braid.set_principal_claims(%s)", (mapping,))
        assert (found(user, ann), found(user, board), found(user, named)) == (False, True, True)
        for group in ("Board", "board ", "", None, {"board": 1}, [["board"]], 7):
            assert not found(user, {**ann, "https://example.com/groups": group})
        assert found(user, {**ann, "https://example.com/groups": "board"})
        # The token names the user alone, and the database the groups.
        world.definitions.execute("select braid.add_principal_member('alpha', 'group:board', 'user:5b1d')")
        assert found(user, ann)
        world.definitions.execute("select braid.remove_principal_member('alpha', 'group:board', 'user:5b1d')")
        assert not found(user, ann)
        # Groups of another tenant do not count.
        world.definitions.execute("select braid.add_principal_member('beta', 'group:board', 'user:5b1d')")
        assert not found(user, ann)
        assert found(gateway.service_role, {}, {"x-braid-tenant": "alpha"})
    finally:
        world.definitions.execute("""select braid.set_principal_claims('{"sub": "user:"}')""")


VIEWS = "select relname from pg_class where relnamespace = 'braid'::regnamespace and relkind = 'v' order by relname"


@pytest.mark.parametrize("kind", SESSIONS[:3])
def test_no_view_shows_it(world: Groups, connections: dict[str, Connection], gateway: Gateway, kind: str) -> None:
    for (view,) in world.admin.execute(VIEWS).fetchall():
        with session(kind, connections, gateway) as connection:
            try:
                with connection.transaction():
                    text = repr(connection.execute(f"select * from braid.{view}").fetchall())
            except psycopg.errors.InsufficientPrivilege:
                continue
            assert [word for word in PRIVATE if word in text and word != "betakey"] == [], f"{view}\n{text}"


# Their candidates come from the index and from vectors, which have no lists.
SEARCHING = {"full_text_search", "hybrid_search", "semantic_search", "search_json", "recall", "multi_search", "facets"}
NO_FILTER = """
create or replace function braid_store.extend_filter(inout filter braid_store.filter, tenant_id int, collection_id int)
language plpgsql stable parallel safe security invoker set search_path = pg_catalog, pg_temp
as $$ begin null; end $$
"""


@pytest.mark.parametrize(
    ("broken", "functions"),
    [
        ("drop policy access on braid_store.chunks; drop policy access on braid_store.documents", SEARCHING),
        (NO_FILTER, API.keys() & READING),
    ],
)
def test_each_wall_alone_shows_nothing(
    world: Groups, connections: dict[str, Connection], broken: str, functions: set[str]
) -> None:
    connection = connections["superuser"]
    with connection.transaction(force_rollback=True):
        connection.execute(broken)
        for function in sorted(functions - ADMINISTRATIVE):
            for call in CALLS[function]:
                text, _ = run(connection, world, call)
                assert [word for word in PRIVATE if word in text and word not in ECHOED.get(function, ())] == [], call
