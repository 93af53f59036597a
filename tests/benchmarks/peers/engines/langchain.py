"""Run langchain-postgres over the PostgreSQL engine's table: its hybrid search with its own fusion."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar

from langchain_core.embeddings import Embeddings
from langchain_postgres import PGEngine, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion
from langchain_postgres.v2.indexes import HNSWQueryOptions
from psycopg.conninfo import conninfo_to_dict

from benchmarks.peers.corpora import Query
from benchmarks.peers.engine import HYBRID, TOP, Answer, Engine, Ways, Where
from benchmarks.peers.engines.postgres import database_name

WAY = "langchain-postgres, all words"
DEPTH, WIDTH = 20, 100


class NoEmbeddings(Embeddings):
    """Refuse to embed, because all vectors are given."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError


class Langchain(Engine):
    ways: ClassVar[Ways] = {HYBRID: (WAY,)}

    def is_loaded(self) -> bool:
        return True

    def load(self) -> None:
        raise NotImplementedError("it is loaded with the table")

    def open(self) -> str:
        server = conninfo_to_dict(self.place.dsn)
        database = database_name(self.corpus.name)
        url = f"postgresql+psycopg://{server['user']}@/{database}?host={server['host']}&port={server['port']}"
        self._store = PGVectorStore.create_sync(
            PGEngine.from_connection_string(url),
            NoEmbeddings(),
            "documents",
            id_column="id",
            content_column="content",
            embedding_column="embedding",
            metadata_columns=["third"],
            metadata_json_column=None,
            index_query_options=HNSWQueryOptions(ef_search=WIDTH),
        )
        return f"langchain-postgres {version('langchain-postgres')}, hnsw.ef_search {WIDTH}"

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        vector = query.vector.tolist()
        config = HybridSearchConfig(
            tsv_column="fts",
            tsv_lang="pg_catalog.simple",
            fts_query=query.text,
            fusion_function=reciprocal_rank_fusion,
            primary_top_k=DEPTH,
            secondary_top_k=DEPTH,
        )

        def ask() -> list[int]:
            found: list[Any] = self._store.similarity_search_by_vector(vector, k=TOP, hybrid_search_config=config)
            return [int(document.id) for document in found]

        return ask

    def bytes_on_disk(self) -> int:
        return 0
