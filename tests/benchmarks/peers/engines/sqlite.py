"""Run SQLite with FTS5 and sqlite-vec, which compares all vectors."""

from __future__ import annotations

from typing import ClassVar

import apsw
import sqlite_vec

from benchmarks.peers.corpora import Query, alphanumeric
from benchmarks.peers.engine import FULL_TEXT, HYBRID, TOP, VECTOR, Answer, Engine, Ways, Where
from benchmarks.semantic.corpus import DIMENSIONS

WAY = "SQLite: FTS5, sqlite-vec"
K, DEPTH = 60, 20
WORDS = "select rowid from words where words match ? order by rank limit ?"
NEAREST = "select rowid from vectors where embedding match ? and k = ?"


class Sqlite(Engine):
    ways: ClassVar[Ways] = {HYBRID: (WAY,), FULL_TEXT: ("SQLite: FTS5",), VECTOR: ("SQLite: sqlite-vec",)}
    formula = "sqlite, alphanumeric"
    fusion = (K, DEPTH)

    def _connect(self) -> apsw.Connection:
        self.place.folder.mkdir(parents=True, exist_ok=True)
        db = apsw.Connection(str(self.place.folder / "documents.db"))
        db.enable_load_extension(True)
        db.load_extension(sqlite_vec.loadable_path())
        db.execute("pragma journal_mode = wal; pragma cache_size = -512000; pragma mmap_size = 4000000000")
        return db

    def is_loaded(self) -> bool:
        return (self.place.folder / "loaded").exists()

    def load(self) -> None:
        db = self._connect()
        with self.step("rows"), db:
            db.execute("create table documents (id integer primary key, content text)")
            db.executemany("insert into documents values (?, ?)", enumerate(self.corpus.texts()))
        with self.step("text index"), db:
            db.execute("create virtual table words using fts5(content, content = documents, content_rowid = id)")
            db.execute("insert into words (words) values ('rebuild')")
            db.execute("insert into words (words) values ('optimize')")
        if self.corpus.has_vectors:
            with self.step("vector index"), db:
                db.execute(
                    f"create virtual table vectors using vec0(embedding float[{DIMENSIONS}] distance_metric=cosine)"
                )
                rows = ((number, vector.tobytes()) for number, vector in enumerate(self.corpus.vectors))
                db.executemany("insert into vectors (rowid, embedding) values (?, ?)", rows)
        db.execute("pragma wal_checkpoint(truncate)")
        db.close()
        (self.place.folder / "loaded").touch()

    def open(self) -> str:
        self._db = self._connect()
        return f"SQLite {apsw.sqlite_lib_version()}, sqlite-vec {sqlite_vec.__version__}"

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        def words(count: int) -> list[int]:
            any_word = " OR ".join(f'"{word}"' for word in alphanumeric(query.text))
            return [row[0] for row in self._db.execute(WORDS, (any_word, count))]

        def nearest(count: int) -> list[int]:
            return [row[0] for row in self._db.execute(NEAREST, (query.vector.tobytes(), count))]

        def both() -> list[int]:
            scores: dict[int, float] = {}
            for leg in (words(DEPTH), nearest(DEPTH)):
                for rank, number in enumerate(leg, 1):
                    scores[number] = scores.get(number, 0) + 1 / (K + rank)
            return sorted(scores, key=lambda number: -scores[number])[:TOP]

        return {HYBRID: both, FULL_TEXT: lambda: words(TOP), VECTOR: lambda: nearest(TOP)}[mode]

    def bytes_on_disk(self) -> int:
        return (self.place.folder / "documents.db").stat().st_blocks * 512
