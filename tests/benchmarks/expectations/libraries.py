"""Ask LanceDB, Tantivy and DuckDB, in this process. They come from an environment that PYTHONPATH adds."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import duckdb
import lancedb
import tantivy
from lancedb.query import BooleanQuery, MatchQuery, Occur

SIMPLE = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase())
STEMS = SIMPLE.filter(tantivy.Filter.stemmer("english")).build()
SCHEMA = tantivy.SchemaBuilder().add_text_field("id", stored=True, tokenizer_name="raw")
SCHEMA = SCHEMA.add_text_field("content", tokenizer_name="en_stem").add_text_field("words").build()


class Libraries:
    """Hold the same texts in each library."""

    def __init__(self, folder: Path, texts: dict[str, str]) -> None:
        folder.mkdir()
        rows = [{"id": key, "content": text} for key, text in texts.items()]
        self._lance = lancedb.connect(folder / "lance").create_table("texts", rows)
        self._lance.create_fts_index("content")
        self._lance.optimize()
        index = tantivy.Index(SCHEMA)
        writer = index.writer(256_000_000)
        for key, text in texts.items():
            writer.add_document(tantivy.Document(id=key, content=text, words=text))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()
        self.duckdb = duckdb.connect()

    @property
    def cpu(self) -> float:
        return time.process_time()

    def again(self) -> Libraries:
        return self

    def is_known(self, word: str) -> bool:
        return bool(self._searcher.doc_freq("content", STEMS.analyze(word)[0]))

    def lance(self, query: str, edits: int) -> list[str]:
        """Search with fuzziness for the words that no text has. LanceDB would take it for all words, or for none."""
        given = [(word, edits if edits and not self.is_known(word) else 0) for word in query.split()]
        clauses = [(Occur.SHOULD, MatchQuery(word, "content", fuzziness=n)) for word, n in given]
        words: Any = BooleanQuery(clauses) if edits else query
        found = self._lance.search(words, query_type="fts").limit(10).select(["id", "_score"]).to_arrow()
        ids: list[str] = found["id"].to_pylist()
        return ids

    def tantivy(self, query: str, edits: int) -> list[str]:
        """Search with fuzzy terms for the words that no text has."""
        clauses = []
        for word in re.findall(r"[^\W_]+", query.lower()):
            given = (SCHEMA, "content", STEMS.analyze(word)[0])
            fuzzy = edits and not self.is_known(word)
            make = tantivy.Query.fuzzy_term_query if fuzzy else tantivy.Query.term_query
            clauses.append((tantivy.Occur.Should, make(*given, edits) if fuzzy else make(*given)))
        hits = self._searcher.search(tantivy.Query.boolean_query(clauses), 10).hits
        return [self._searcher.doc(address)["id"][0] for _, address in hits]

    def complete(self, prefix: str) -> list[str]:
        return [word for word, _ in self._searcher.terms_with_prefix("words", prefix, limit=10)]

    def duck(self, statement: str) -> list[Any]:
        found: list[Any] = self.duckdb.execute(statement).fetchall()
        return found
