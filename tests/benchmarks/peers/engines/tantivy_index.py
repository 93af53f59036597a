"""Run Tantivy, the library under ParadeDB and Quickwit."""

from __future__ import annotations

from importlib.metadata import version
from typing import ClassVar

import tantivy
from tantivy import Occur
from tantivy import Query as Clause

from benchmarks.peers.corpora import Query, alphanumeric
from benchmarks.peers.engine import FULL_TEXT, TOP, Answer, Engine, Ways, Where, folder_size

WRITER_BYTES = 256_000_000


class Tantivy(Engine):
    ways: ClassVar[Ways] = {FULL_TEXT: ("Tantivy",)}
    formula = "lucene, alphanumeric"

    def is_loaded(self) -> bool:
        return (self.place.folder / "loaded").exists()

    def _index(self) -> tantivy.Index:
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("id", stored=True)
        schema.add_text_field("text", index_option="freq")
        self._schema = schema.build()
        return tantivy.Index(self._schema, path=str(self.place.folder))

    def load(self) -> None:
        with self.step("text index"):
            index = self._index()
            writer = index.writer(WRITER_BYTES)
            for number, text in enumerate(self.corpus.texts()):
                writer.add_document(tantivy.Document(id=number, text=text))
            writer.commit()
            writer.wait_merging_threads()
        (self.place.folder / "loaded").touch()

    def open(self) -> str:
        index = self._index()
        index.reload()
        self._searcher = index.searcher()
        return f"Tantivy {version('tantivy')}, {self._searcher.num_segments} segments"

    def answer(self, mode: str, way: str, query: Query, where: Where | None) -> Answer:
        def ask() -> list[int]:
            words = alphanumeric(query.text)
            clauses = [(Occur.Should, Clause.term_query(self._schema, "text", word)) for word in words]
            hits = self._searcher.search(Clause.boolean_query(clauses), TOP).hits
            return [int(self._searcher.doc(address)["id"][0]) for _, address in hits]

        return ask

    def bytes_on_disk(self) -> int:
        return folder_size(self.place.folder)
