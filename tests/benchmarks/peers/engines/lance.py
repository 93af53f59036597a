"""Run LanceDB, embedded, with HNSW over vectors of bytes and its own BM25."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

import lancedb
import pyarrow as pa

from benchmarks.peers.corpora import SHARES, Query, attributes
from benchmarks.peers.engine import FULL_TEXT, HYBRID, TOP, VECTOR, Answer, Engine, Ways, Where, folder_size
from benchmarks.semantic.corpus import DIMENSIONS, Vectors

BATCH = 10_000
# The distances of REFINED times as many candidates are computed again from full vectors; `ef` is at least that number.
REFINED = 4
COLUMNS = [f"{key}{suffix}" for key in SHARES for suffix in ("", "_declared")]


class Lance(Engine):
    ways: ClassVar[Ways] = {HYBRID: ("LanceDB",), FULL_TEXT: ("LanceDB",), VECTOR: ("LanceDB",)}
    filtered = (HYBRID, FULL_TEXT, VECTOR)
    formula = "lucene, alphanumeric"
    fusion = (60, TOP)

    def is_loaded(self) -> bool:
        return (self.place.folder / "loaded").exists()

    def load(self) -> None:
        db = lancedb.connect(self.place.folder)
        with self.step("rows"):
            table = db.create_table("documents", self._batches(), schema=self._schema(), mode="overwrite")
        with self.step("text index"):
            table.create_fts_index(
                "text", base_tokenizer="simple", stem=False, remove_stop_words=False, with_position=False
            )
        if self.corpus.has_vectors:
            with self.step("vector index"):
                table.create_index("cosine", vector_column_name="vector", index_type="IVF_HNSW_SQ")
        with self.step("other indexes"):
            for key in SHARES:
                table.create_scalar_index(f"{key}_declared")
        with self.step("upkeep"):
            table.optimize()
        (self.place.folder / "loaded").touch()

    def _schema(self) -> pa.Schema:
        fields = [("id", pa.int64()), ("text", pa.string()), *((name, pa.int32()) for name in COLUMNS)]
        if self.corpus.has_vectors:
            fields.append(("vector", pa.list_(pa.float32(), DIMENSIONS)))
        return pa.schema(fields)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        texts = self.corpus.texts()
        vectors = self.corpus.vectors if self.corpus.has_vectors else None
        for first in range(0, self.corpus.size, BATCH):
            numbers = range(first, min(first + BATCH, self.corpus.size))
            rows = [attributes(number) for number in numbers]
            columns: list[Any] = [pa.array(numbers, pa.int64()), pa.array(list(islice(texts, len(numbers))))]
            columns += [pa.array([row[name] for row in rows], pa.int32()) for name in COLUMNS]
            if vectors is not None:
                flat = pa.array(vectors[numbers.start : numbers.stop].reshape(-1))
                columns.append(pa.FixedSizeListArray.from_arrays(flat, DIMENSIONS))
            yield pa.record_batch(columns, schema=self._schema())

    def open(self) -> str:
        self._table = lancedb.connect(self.place.folder).open_table("documents")
        about = f"LanceDB {lancedb.__version__}"
        if not self.corpus.has_vectors:
            return about
        self._width, recall = self.narrowest((40, 60, 80, 100, 150, 200, 300, 400), self._nearest)
        return f"{about}, IVF_HNSW_SQ, ef {self._width}, refine_factor {REFINED} (recall {recall:.3f})"

    def _nearest(self, width: int, vector: Vectors) -> list[int]:
        return _ids(self._table.search(vector).distance_type("cosine").ef(width).refine_factor(REFINED))

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        def ask() -> list[int]:
            # A search for a string ranks documents with any of its words.
            if mode == FULL_TEXT:
                search = self._table.search(query.text, query_type="fts")
            elif mode == VECTOR:
                search = self._table.search(query.vector)
            else:
                search = self._table.search(query_type="hybrid").vector(query.vector).text(query.text)
            if mode != FULL_TEXT:
                search = search.distance_type("cosine").ef(self._width).refine_factor(REFINED)
            if where:
                search = search.where(f"{where.column} = 0")
            return _ids(search)

        return ask

    def bytes_on_disk(self) -> int:
        return folder_size(self.place.folder)


def _ids(search: Any) -> list[int]:
    ids: list[int] = search.select(["id"]).limit(TOP).to_arrow()["id"].to_pylist()
    return ids
