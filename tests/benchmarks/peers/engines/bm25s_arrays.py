"""Run bm25s, which computes all scores in advance and keeps them in sparse matrices in memory."""

from __future__ import annotations

from typing import ClassVar

import bm25s

from benchmarks.peers.corpora import Query
from benchmarks.peers.engine import FULL_TEXT, TOP, Answer, Engine, Ways, Where, folder_size


class Bm25s(Engine):
    ways: ClassVar[Ways] = {FULL_TEXT: ("bm25s",)}
    formula = "lucene, words"

    def is_loaded(self) -> bool:
        return (self.place.folder / "loaded").exists()

    def load(self) -> None:
        with self.step("text index"):
            tokens = bm25s.tokenize(list(self.corpus.texts()), stopwords=None, show_progress=False)
            retriever = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
            retriever.index(tokens, show_progress=False)
            retriever.save(self.place.folder)
        (self.place.folder / "loaded").touch()

    def open(self) -> str:
        self._retriever = bm25s.BM25.load(self.place.folder)
        return f"bm25s {bm25s.__version__}"

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        def ask() -> list[int]:
            tokens = bm25s.tokenize(query.text, stopwords=None, show_progress=False, return_ids=False)
            ids, scores = self._retriever.retrieve(tokens, k=TOP, show_progress=False)
            return [int(number) for number, score in zip(ids[0], scores[0], strict=True) if score > 0]

        return ask

    def bytes_on_disk(self) -> int:
        return folder_size(self.place.folder)
