"""Hold a database with two tenants whose documents have the same ids, and logins of every kind."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from support.api import tables
from support.calls import one
from support.parts import chosen, is_installed

Connection = psycopg.Connection[Any]

SHARED = "Price objections came up in the quarterly review; the customer asked for a discount."
# Tenant alpha may never see any of these.
PRIVATE = ("zebrafish", "Zoltan", "beta-only", "betakey", "projectbeta")

ALPHA: list[dict[str, Any]] = [
    {"external_id": "doc1", "content": SHARED, "title": "Review", "speaker": "Ana", "embedding": [1, 0, 0]},
    {
        "external_id": "doc2",
        "content": "A discount was given to keep the customer.",
        "embedding": [0, 1, 0],
        "token_vectors": [[0, 1, 0]],
    },
    {"external_id": "doc3", "content": "Roadmap: nothing about prices here.", "metadata": {"year": 2024}},
]
BETA: list[dict[str, Any]] = [
    {
        "external_id": "doc1",
        "content": SHARED + " The zebrafish contract is signed. " * 3,
        "title": "Review of projectbeta",
        "speaker": "Zoltan",
        "source_uri": "https://beta-only.example/doc1",
        "metadata": {"betakey": "beta-only", "year": 2024},
        "embedding": [1, 0, 0],
        "token_vectors": [[1, 0, 0], [0, 0.6, 0.8]],
    },
    {
        "external_id": "doc2",
        "content": "A discount for the zebrafish customer.",
        "embedding": [0, 1, 0.1],
        "sparse": {"discount": 2, "zebrafish": 1},
    },
    {"external_id": "beta-only", "content": "Prices of zebrafish, discount and customer lists."},
]

# Upkeep changes these tables of a tenant: the index, and the list of due work.
KEPT_UP = {
    "centroids", "changed_metadata", "due_parts", "forward_rows", "metadata_lists", "postings_a", "postings_b",
    "search_hours", "segment_chunks", "segments", "tenants", "tombstones", "unindexed_sparse_rows", "vector_shards",
}  # fmt: skip
ROWS = "(select string_agg(r::text, ',' order by r::text) from braid_store.{} r where r.tenant_id = %(id)s)"
FINGERPRINT = f"select md5(concat({', '.join(map(ROWS.format, sorted(tables(None) - KEPT_UP)))}))"


class World:
    """Create logins and connections, and drop them with the database on close."""

    def __init__(self, admin_dsn: str, template: str) -> None:
        name = f"world_{uuid.uuid4().hex[:8]}"
        self.server = psycopg.connect(admin_dsn, autocommit=True)
        self.server.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template))
        )
        self.name = name
        self.roles: list[str] = []
        self.opened: list[Connection] = []
        self.dsn = make_conninfo(admin_dsn, dbname=name)
        # On a cluster, this is another node than the tenants' node.
        self.admin = self.definitions = self.superuser(self.dsn)
        self.define()

    def superuser(self, dsn: str) -> Connection:
        connection = psycopg.connect(dsn, autocommit=True)
        self.opened.append(connection)
        connection.execute("set statement_timeout = '3min'")  # this stops a test that waits for itself
        return connection

    def define(self) -> None:
        self.definitions.execute(
            "select braid.create_collection('small', dimensions => 3, embedding_model => 'test',"
            ' indexed_attributes => \'{"year": "number", "betakey": "text"}\')'
        )
        for setting in (
            "select braid.set_token_vectors('small', 'test', 4)",
            "select braid.set_query_embeddings('small', 10)",
            "select braid.set_search_log('small')",
        ):
            if is_installed(setting):
                self.definitions.execute(setting)
        self.tenant_ids: dict[str, int] = {}
        for tenant in ("alpha", "beta"):
            self.tenant_ids[tenant] = one(self.definitions, "select braid.create_tenant(%s)", tenant)

    def close(self) -> None:
        for connection in self.opened:
            connection.close()
        self.server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(self.name)))
        for role in reversed(self.roles):
            self.server.execute(sql.SQL("drop role {}").format(sql.Identifier(role)))
        self.server.close()

    def ingest(self, tenant: str, documents: Sequence[dict[str, Any]], collection: str = "small") -> None:
        without = set() if "reranking" in chosen() else {"token_vectors"}
        given = [{key: document[key] for key in document.keys() - without} for document in documents]
        self.call(tenant, "select braid.upsert_documents(%s, %s)", json.dumps(given), collection)

    def call(self, tenant: str, statement: str, *values: Any) -> Any:
        """Run a call for a tenant, unless it needs a part that is not installed, and return its first value."""
        if not is_installed(statement):
            return None
        with self.admin.transaction():
            self.admin.execute("select set_config('braid.tenant', %s, true)", (tenant,))
            return one(self.admin, statement, *values)

    def like(self, tenant: str, word: str) -> None:
        """Give the tenant a profile; profiles of all tenants have the same name."""
        attributes = json.dumps({"speaker": {word: 1}})
        self.call(tenant, "select braid.set_profile('ana', '[0,1,0]', %s, 'small')", attributes)

    def asked(self, tenant: str, text: str) -> None:
        """Store the vector of a query for the tenant."""
        self.call(tenant, "select braid.store_query_embedding(%s, '[0,1,0.1]', 'small')", text)

    def stand(self, tenant: str, text: str) -> None:
        """Give the tenant a standing query; standing queries of all tenants have the same name."""
        self.call(
            tenant,
            "select braid.create_standing_query('stood', %s, '[1,0,0]', collection => 'small', match => 'any',"
            " semantic_min_score => 0.5)",
            text,
        )

    def search(self, tenant: str, text: str) -> None:
        """Log a search of the tenant, with feedback."""
        found = self.call(tenant, "select braid.logged_search(%s, collection => 'small') #>> '{stats,search_id}'", text)
        self.call(tenant, "select braid.record_feedback(%s, 'doc2', 'click')", found)

    def judge(self, tenant: str, word: str) -> None:
        """Give the tenant judged queries; query sets of all tenants have the same name."""
        queries = [
            {"query_id": "1", "text": f"{word} customer", "embedding": [1, 0, 0]},
            {"query_id": "2", "text": word, "embedding": [0, 1, 0]},
        ]
        judgments = [
            {"query_id": "1", "external_id": "doc1", "grade": 2, "judge": word},
            {"query_id": "2", "external_id": "doc2", "grade": 1, "judge": word},
            {"query_id": "1", "external_id": "doc1", "grade": 1, "judge": "second"},
        ]
        # Tuning needs 20 queries.
        tuning = [{"query_id": f"{n}", "text": f"{word} {'customer ' * (n % 3)}"} for n in range(20)]
        tuned = [{"query_id": f"{n}", "external_id": f"doc{n % 2 + 1}", "grade": 1} for n in range(20)]
        for name, asked, judged in (("asked", queries, judgments), ("tuned", tuning, tuned)):
            self.call(tenant, "select braid.create_query_set(%s)", name)
            self.call(tenant, "select braid.store_queries(%s, %s, 'small')", name, json.dumps(asked))
            self.call(tenant, "select braid.store_judgments(%s, %s)", name, json.dumps(judged))

    def learn(self, tenant: str, weight: float) -> None:
        """Give the tenant a ranking model; ranking models of all tenants have the same name."""
        model = {"version": 1, "mode": "hybrid", "features": ["score", "importance"], "weights": [1, weight]}
        self.call(tenant, "select braid.store_ranking_model('learned', %s)", json.dumps(model))

    def clear(self, tenant: str) -> None:
        self.call(tenant, "select braid.clear_collection('small')")

    def fingerprint(self, tenant: str) -> str:
        """Return a hash of everything that the tenant stored, which does not change when its index is merged."""
        row = self.admin.execute(FINGERPRINT, {"id": self.tenant_ids[tenant]}).fetchone()
        assert row is not None
        return str(row[0])

    def chunk_ids(self, tenant: str) -> list[int]:
        rows = self.admin.execute(
            "select id from braid_store.chunks where tenant_id = %s order by id", (self.tenant_ids[tenant],)
        )
        return [row[0] for row in rows]

    def role(self, name: str, *memberships: str, options: str = "login") -> str:
        """Create a role with a unique name. A membership may carry options, as in "braid_reader with inherit true",
        or name the role's trust: "gateway"."""
        role = f"{name}_{uuid.uuid4().hex[:8]}"
        self.definitions.execute(sql.SQL("create role {} " + options).format(sql.Identifier(role)))
        self.roles.append(role)
        for membership in memberships:
            if membership in ("gateway", "service", "administrator", "monitor"):
                self.definitions.execute("select braid.add_trusted_role(%s, %s)", (role, membership))
                continue
            granted, _, more = membership.partition(" ")
            grant = sql.SQL("grant {} to {} " + more)
            self.definitions.execute(grant.format(sql.Identifier(granted), sql.Identifier(role)))
        return role

    def member(self, tenant: str, role: str) -> None:
        self.definitions.execute("select braid.add_tenant_member(%s, %s)", (tenant, role))

    def connect(self, login: str, **settings: str) -> Connection:
        """Connect as a login. `settings` are session settings, with __ for the dot: braid__tenant="alpha"."""
        connection = psycopg.connect(make_conninfo(self.dsn, user=login), autocommit=True)
        self.opened.append(connection)
        for name, value in settings.items():
            connection.execute("select set_config(%s, %s, false)", (name.replace("__", "."), value))
        return connection


class Gateway:
    """Hold PostgREST's login and roles, and make its requests."""

    def __init__(self, world: World) -> None:
        self.anon = world.role("anon", "braid_reader", options="nologin")
        self.authenticated = world.role("authenticated", "braid_writer", options="nologin")
        self.service_role = world.role("service_role", "braid_writer", options="nologin bypassrls")
        self.login = world.role(
            "authenticator",
            self.anon,
            self.authenticated,
            self.service_role,
            "gateway",
            options="login noinherit",
        )
        # As on Supabase, the verified claims name this role.
        world.definitions.execute("select braid.set_access(trusted_claim_roles => array[%s])", (self.service_role,))
        self.connection = world.connect(self.login)

    @contextmanager
    def request(
        self,
        role: str,
        claims: dict[str, Any] | str | None = None,
        headers: dict[str, str] | str | None = None,
        read_only: bool = True,
    ) -> Iterator[Connection]:
        """Open a transaction as PostgREST 12 to 14 does. Claims given as a dict get the role, as PostgREST's claims
        do."""
        if not isinstance(claims, str):
            claims = json.dumps({"role": role, **(claims or {})})
        if not isinstance(headers, str):
            headers = json.dumps(headers or {})
        with self.connection.transaction():
            self.connection.execute(
                f"set transaction isolation level read committed read {'only' if read_only else 'write'}"
            )
            self.connection.execute(
                'select set_config(\'search_path\', \'"braid", "public", "extensions"\', true),'
                " set_config('role', %s, true), set_config('request.jwt.claims', %s, true),"
                " set_config('request.method', 'POST', true), set_config('request.path', '/rpc/x', true),"
                " set_config('request.headers', %s, true), set_config('request.cookies', '{}', true)",
                (role, claims, headers),
            )
            yield self.connection


def tenant_claims(tenant: str) -> dict[str, Any]:
    return {"sub": "5b1d", "app_metadata": {"tenant_id": tenant}, "user_metadata": {"tenant_id": "beta"}}
