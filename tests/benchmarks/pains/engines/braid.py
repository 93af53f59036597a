"""Run pgbraid, with a login that row-level security restricts to its tenants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from psycopg.conninfo import make_conninfo

import pgbraid
from benchmarks.pains.engine import FULL_TEXT, HYBRID, RERANKED, VECTOR, Document, Engine, Hit, Query
from benchmarks.pains.place import Place
from benchmarks.peers.engines.databases import connect, create_database, version
from pgbraid.install import install
from pgbraid.reranker import Scores

DATABASE, READER = "pains_pgbraid", "pains_pgbraid_reader"
MODES: dict[str, Literal["hybrid", "full_text", "semantic"]] = {
    HYBRID: "hybrid",
    FULL_TEXT: "full_text",
    VECTOR: "semantic",
}
# With the default of 8,000, the small collections here would be compared vector by vector. Their peers use an index.
EXACT_ROWS = 300


class Known:
    """Return the vectors that were given for texts, under the name of a model."""

    def __init__(self, model_name: str, vectors: dict[str, list[float]]) -> None:
        self.model_name = model_name
        self.dimensions = len(next(iter(vectors.values()), [0.0]))
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vectors[text]


class Given:
    """Return the reranker's scores that were given for texts."""

    model_name = "given"

    def __init__(self, scores: dict[str, float]) -> None:
        self._scores = scores

    def rerank(self, query: str, texts: list[str]) -> Scores:
        return np.array([self._scores[text] for text in texts], np.float64)

    def warm_up(self) -> None:
        pass


class Pgbraid(Engine):
    has_floor = True

    def __init__(self, place: Place, database: str = DATABASE) -> None:
        create_database(place.dsn, database)
        self._dsn = make_conninfo(place.dsn, dbname=database)
        install(self._dsn, with_parts=["decompounding", "permissions"])
        self._db = connect(self._dsn)
        self._db.execute("update braid_store.vector_settings set exact_rows = %s", (EXACT_ROWS,))
        self._db.execute(
            f"do $$ begin create role {READER} login; exception when duplicate_object then null; end $$".encode()
        )
        self._db.execute(f"grant braid_reader to {READER}".encode())
        self._admin = pgbraid.connect(self._dsn, embedder=None)
        self._readers: dict[str, pgbraid.Client] = {}
        self._groups: set[str] = set()
        self._change: tuple[str, pgbraid.Client] | None = None

    def about(self) -> str:
        return f"pgbraid {pgbraid.__version__}, {version(self._db)}"

    def create(self, collection: str, dimensions: int, language: str) -> None:
        if self._db.execute("select from braid.collections where name = %s", (collection,)).fetchone():
            self._admin.drop_collection(collection)
        self._admin.create_collection(
            collection,
            text_config=language,
            dimensions=dimensions,
            embedding_model="old",
            indexed_attributes={"kind": "text"},
        )

    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        is_restricted = any(document.reader for document in documents)
        if is_restricted:
            self._db.execute("select braid.set_permissions(%s, true)", (collection,))
        if tenant is not None or is_restricted:
            self._add_reader(tenant or "default")
        self._admin.tenant = tenant or "default"
        self._admin.add_documents(
            (
                {
                    "external_id": document.id,
                    "title": document.title or None,
                    "chunks": [{"content": chunk.text, "embedding": chunk.vector} for chunk in document.chunks],
                    "metadata": {"kind": document.kind},
                    **({"access": [document.reader]} if document.reader else {}),
                }
                for document in documents
            ),
            collection=collection,
        )
        self._admin.tenant = "default"

    def _add_reader(self, tenant: str) -> None:
        if tenant not in self._readers:
            if tenant != "default":
                self._db.execute("select braid.create_tenant(%s)", (tenant,))
            self._db.execute("select braid.add_tenant_member(%s, %s)", (tenant, READER))
            self._readers[tenant] = pgbraid.connect(make_conninfo(self._dsn, user=READER), tenant, embedder=None)

    def settle(self, collection: str) -> None:
        while not self._admin.maintain("1 hour")["complete"]:
            pass
        self._db.execute("analyze")

    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        self._admin.delete_documents([document.id for document in documents], collection)

    def search(self, collection: str, query: Query) -> list[Hit]:
        client = self._admin
        if query.tenant is not None or query.groups:
            client = self._readers[query.tenant or "default"]
        for group in set(query.groups) - self._groups:
            self._db.execute("select braid.add_principal_member('default', %s, %s)", (group, f"login:{READER}"))
            self._groups.add(group)
        options: dict[str, object] = {}
        if query.floor:
            options["min_relevance"] = "auto"
        if query.typos:
            options["typos"] = "auto"
        if query.compounds:
            options["decompounding"] = "auto"
        found = client.search(
            None if query.mode == VECTOR else query.text,
            query.count,
            MODES[query.mode],
            {"kind": query.kind} if query.kind else None,
            collection,
            embedding=None if query.mode == FULL_TEXT else query.vector,
            options=options,
            reranker=Given(query.reranked) if query.reranked else None,
            rerank_count=RERANKED,
        )
        return [
            Hit(row.external_id, f"{row.title}\n{row.content}" if row.title else row.content, row.score)
            for row in found
        ]

    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        new = Known("new", {chunk.text: chunk.vector for document in documents for chunk in document.chunks})
        self._admin.start_model_change(collection, new.model_name, new.dimensions)
        self._admin.maintain("1 hour")
        self._change = (collection, pgbraid.connect(self._dsn, embedder=[Known("old", {}), new]))

    def continue_change(self, count: int) -> int:
        assert self._change is not None
        collection, client = self._change
        return client.embed_pending(collection, limit=count)

    def finish_change(self) -> None:
        assert self._change is not None
        collection, client = self._change
        client.cut_over_model_change(collection)
        client.finish_model_change(collection)
        client.close()
        self.settle(collection)

    def close(self) -> None:
        for client in (self._admin, *self._readers.values()):
            client.close()
        self._db.close()
