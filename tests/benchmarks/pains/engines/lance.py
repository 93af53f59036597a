"""Run LanceDB, embedded, with its own BM25, HNSW and rank fusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.query import MatchQuery
from lancedb.rerankers import Reranker

from benchmarks.pains.engine import ANY_LANGUAGE, FULL_TEXT, INDEXED, RERANKED, VECTOR, Document, Engine, Hit, Query
from benchmarks.pains.place import Place

SCORES = ("_relevance_score", "_score", "_distance")


class Given(Reranker):  # type: ignore[misc]
    """Order by given scores, as the guide to rerankers of one's own does."""

    def __init__(self, scores: dict[str, float]) -> None:
        super().__init__()
        self._scores = scores

    def rerank_hybrid(self, query: str, vector_results: Any, fts_results: Any) -> Any:
        merged = self.merge_results(vector_results, fts_results)
        # Only the candidates that the caller saw have scores.
        scores = [self._scores.get(text, float("-inf")) for text in merged["content"].to_pylist()]
        return merged.append_column("_relevance_score", pa.array(scores, pa.float32())).sort_by(
            [("_relevance_score", "descending")]
        )


class Lance(Engine):
    def __init__(self, place: Place) -> None:
        self._db = lancedb.connect(place.folder)
        self._languages: dict[str, str] = {}
        self._change: tuple[str, list[Document]] = ("", [])

    def about(self) -> str:
        return f"LanceDB {lancedb.__version__}"

    def create(self, collection: str, dimensions: int, language: str) -> None:
        self._languages[collection] = language
        fields = [(name, pa.string()) for name in ("id", "document", "content", "kind", "tenant", "reader")]
        schema = pa.schema([*fields, ("vector", pa.list_(pa.float32(), dimensions))])
        self._db.create_table(collection, schema=schema, mode="overwrite")

    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        rows = [
            {"id": key, "document": document.id, "content": text, "kind": document.kind, "tenant": tenant or "",
             "reader": document.reader, "vector": vector}
            for document in documents for key, text, vector in document.rows()
        ]  # fmt: skip
        table = self._db.open_table(collection)
        table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(
            pa.Table.from_pylist(rows, schema=table.schema)
        )

    def settle(self, collection: str) -> None:
        table = self._db.open_table(collection)
        known = {column for index in table.list_indices() for column in index.columns}
        if "content" not in known:
            if self._languages[collection] == ANY_LANGUAGE:
                table.create_fts_index("content", base_tokenizer="icu/split", stem=False, remove_stop_words=False)
            else:
                table.create_fts_index("content")
        if "kind" not in known:
            table.create_scalar_index("kind")
            table.create_scalar_index("tenant")
            table.create_scalar_index("reader")
        if "vector" not in known and table.count_rows() >= INDEXED:
            table.create_index("cosine", vector_column_name="vector", index_type="IVF_HNSW_SQ")
        table.optimize()

    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        keys = ", ".join(f"'{key}'" for document in documents for key, _, _ in document.rows())
        self._db.open_table(collection).delete(f"id in ({keys})")

    def search(self, collection: str, query: Query) -> list[Hit]:
        if query.typos:
            # A word at one edit is nearer than a word at two.
            return self._search(collection, query, 1) or self._search(collection, query, 2)
        return self._search(collection, query, 0)

    def _search(self, collection: str, query: Query, edits: int) -> list[Hit]:
        table = self._db.open_table(collection)
        words: Any = MatchQuery(query.text, "content", fuzziness=edits) if edits else query.text
        if query.mode == FULL_TEXT:
            search = table.search(words, query_type="fts")
        elif query.mode == VECTOR:
            search = table.search(query.vector, vector_column_name="vector").distance_type("cosine")
        else:
            search = table.search(query_type="hybrid").vector(query.vector).text(words).distance_type("cosine")
        conditions = [f"kind = '{query.kind}'"] if query.kind else []
        if query.tenant is not None and not query.forgetful:
            conditions.append(f"tenant = '{query.tenant}'")
        if query.groups and not query.forgetful:
            groups = ", ".join(f"'{group}'" for group in query.groups)
            conditions.append(f"reader in ({groups})")
        if conditions:
            search = search.where(" and ".join(conditions))
        if query.reranked:
            search = search.rerank(Given(query.reranked))
        rows = search.limit(RERANKED if query.reranked else query.count).to_arrow()
        score = next((name for name in SCORES if name in rows.column_names), None)
        sign = -1 if score == "_distance" else 1
        scores = rows[score].to_pylist() if score else [0.0] * len(rows)
        found = zip(rows["document"].to_pylist(), rows["content"].to_pylist(), scores, strict=True)
        return [Hit(document, text, sign * value) for document, text, value in found][: query.count]

    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        self._change = (collection, list(documents))

    def continue_change(self, count: int) -> int:
        collection, left = self._change
        self.write(collection, left[:count], None)
        self._change = (collection, left[count:])
        return len(left[:count])

    def finish_change(self) -> None:
        pass
