"""Run langchain-postgres' PGVectorStore: its hybrid search with its default fusion."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.engine import Column
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig
from langchain_postgres.v2.indexes import HNSWIndex
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from benchmarks.pains.engine import DEPTH, FULL_TEXT, INDEXED, VECTOR, Document, Engine, Hit, Query, UnsupportedError
from benchmarks.pains.place import Place
from benchmarks.peers.engines.databases import connect, create_database

DATABASE = "pains_langchain"


class NoEmbeddings(Embeddings):
    """Refuse to embed, because all vectors are given."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError


class Langchain(Engine):
    def __init__(self, place: Place) -> None:
        create_database(place.dsn, DATABASE)
        self._dsn = make_conninfo(place.dsn, dbname=DATABASE)
        server = conninfo_to_dict(place.dsn)
        url = f"postgresql+psycopg://{server['user']}@/{DATABASE}?host={server['host']}&port={server['port']}"
        self._engine = PGEngine.from_connection_string(url)
        self._stores: dict[str, Any] = {}
        self._languages: dict[str, str] = {}
        self._change: tuple[str, list[Document]] = ("", [])

    def about(self) -> str:
        return f"langchain-postgres {version('langchain-postgres')}"

    def _config(self, collection: str, words: str = "", depth: int = DEPTH) -> Any:
        return HybridSearchConfig(
            tsv_column="content_tsv",
            tsv_lang=f"pg_catalog.{self._languages[collection]}",
            fts_query=words,
            primary_top_k=depth,
            secondary_top_k=DEPTH,
            index_name=f"{collection}_text",
        )

    def create(self, collection: str, dimensions: int, language: str) -> None:
        self._languages[collection] = language
        columns = ["document", "kind", "tenant", "reader"]
        self._engine.init_vectorstore_table(
            collection,
            dimensions,
            id_column=Column("langchain_id", "TEXT", nullable=False),
            metadata_columns=[Column(name, "TEXT") for name in columns],
            hybrid_search_config=self._config(collection),
            overwrite_existing=True,
        )
        self._stores[collection] = PGVectorStore.create_sync(
            self._engine,
            NoEmbeddings(),
            collection,
            metadata_columns=columns,
            hybrid_search_config=self._config(collection),
        )

    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        rows = [(document, *row) for document in documents for row in document.rows()]
        self._stores[collection].add_embeddings(
            texts=[text for _, _, text, _ in rows],
            embeddings=[vector for *_, vector in rows],
            metadatas=[
                {"document": document.id, "kind": document.kind, "tenant": tenant or "", "reader": document.reader}
                for document, *_ in rows
            ],
            ids=[key for _, key, _, _ in rows],
        )

    def settle(self, collection: str) -> None:
        store = self._stores[collection]
        with connect(self._dsn) as db:
            names = {row[0] for row in db.execute("select indexname from pg_indexes")}
            counted = db.execute(f'select count(*) from "{collection}"'.encode()).fetchone()
            assert counted is not None
            if f"{collection}_text" not in names:
                store.apply_hybrid_search_index()
                if counted[0] >= INDEXED:
                    store.apply_vector_index(HNSWIndex(), name=f"{collection}_vector")
            db.execute(f'vacuum analyze "{collection}"'.encode())

    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        self._stores[collection].delete(ids=[key for document in documents for key, _, _ in document.rows()])

    def search(self, collection: str, query: Query) -> list[Hit]:
        if query.reranked:
            raise UnsupportedError
        conditions: dict[str, Any] = {"kind": query.kind} if query.kind else {}
        if query.tenant is not None and not query.forgetful:
            conditions["tenant"] = query.tenant
        if query.groups and not query.forgetful:
            conditions["reader"] = {"$in": query.groups}
        config = None
        if query.mode != VECTOR:
            config = self._config(collection, query.text, 0 if query.mode == FULL_TEXT else max(DEPTH, query.count))
        found = self._stores[collection].similarity_search_with_score_by_vector(
            query.vector, k=query.count, filter=conditions or None, hybrid_search_config=config
        )
        # Without full text, the score is a distance.
        sign = 1 if config else -1
        return [Hit(row.metadata["document"], row.page_content, sign * float(score)) for row, score in found]

    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        self._change = (collection, list(documents))

    def continue_change(self, count: int) -> int:
        collection, left = self._change
        self.write(collection, left[:count], None)
        self._change = (collection, left[count:])
        return len(left[:count])

    def finish_change(self) -> None:
        pass
