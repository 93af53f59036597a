"""Read judged test collections: documents, queries, relevance, and the measure of a ranking."""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Judged:
    """Hold a test collection with its judged queries."""

    document_ids: list[str]
    titles: list[str]
    contents: list[str]
    query_ids: list[str]
    queries: list[str]
    relevance: dict[str, dict[str, int]]

    @property
    def embedded_texts(self) -> list[str]:
        return [
            f"{title}\n{content}" if title else content
            for title, content in zip(self.titles, self.contents, strict=True)
        ]

    def documents(self) -> list[dict[str, object]]:
        return [
            {"external_id": external_id, "title": title, "content": content}
            for external_id, title, content in zip(self.document_ids, self.titles, self.contents, strict=True)
        ]

    def sample(self, query_count: int, every: int) -> Judged:
        """Return a smaller collection: the first queries, their judged documents and one in `every` documents."""
        chosen = self.query_ids[:query_count]
        judged = {document for query in chosen for document in self.relevance[query]}
        places = [n for n, document in enumerate(self.document_ids) if document in judged or n % every == 0]
        return Judged(
            document_ids=[self.document_ids[n] for n in places],
            titles=[self.titles[n] for n in places],
            contents=[self.contents[n] for n in places],
            query_ids=chosen,
            queries=self.queries[:query_count],
            relevance={query: self.relevance[query] for query in chosen},
        )


def load_judged(folder: Path) -> Judged:
    corpus = read_lines(folder / "corpus.jsonl.gz")
    relevance = read_relevance(folder, "test")
    queries = [query for query in read_lines(folder / "queries.jsonl.gz") if query["_id"] in relevance]
    return Judged(
        document_ids=[document["_id"] for document in corpus],
        titles=[document["title"] for document in corpus],
        contents=[document["text"] for document in corpus],
        query_ids=[query["_id"] for query in queries],
        queries=[query["text"] for query in queries],
        relevance=relevance,
    )


def read_lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_relevance(folder: Path, split: str) -> dict[str, dict[str, int]]:
    """Return the grades of documents, by query."""
    relevance: dict[str, dict[str, int]] = {}
    with gzip.open(folder / "qrels" / f"{split}.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            relevance.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    return relevance


def ndcg(ranking: Sequence[str], relevance: dict[str, int], depth: int = 10) -> float:
    """Return nDCG@depth with linear gains, as trec_eval and BEIR count it."""
    gain = sum(
        max(relevance.get(document, 0), 0) / math.log2(place + 2) for place, document in enumerate(ranking[:depth])
    )
    best = sum(
        grade / math.log2(place + 2)
        for place, grade in enumerate(sorted(relevance.values(), reverse=True)[:depth])
        if grade > 0
    )
    return gain / best if best else 0.0


def mean_ndcg(rankings: Sequence[Sequence[str]], judged: Judged) -> float:
    scores = [
        ndcg(ranking, judged.relevance[query_id]) for query_id, ranking in zip(judged.query_ids, rankings, strict=True)
    ]
    return sum(scores) / len(scores)
