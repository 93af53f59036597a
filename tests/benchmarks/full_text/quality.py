"""Measure nDCG@10 of full text on judged collections."""

from __future__ import annotations

from pathlib import Path

from benchmarks.full_text.database import WRITER, Bench, ingest
from benchmarks.full_text.report import table
from benchmarks.search import SETS
from support.calls import full_text
from support.judged import load_judged, mean_ndcg
from support.loading import PLAIN_TEXT


def quality(bench: Bench, data: Path) -> None:
    rows = []
    with bench.connect(WRITER) as db:
        for name in SETS:
            judged = load_judged(data / name)
            bench.create_collection(name, "english")
            documents = [
                {
                    "external_id": document["external_id"],
                    "title": document["title"],
                    "chunks": [{"content": document["content"]}],
                }
                for document in judged.documents()
            ]
            for start in range(0, len(documents), 1000):
                ingest(db, documents[start : start + 1000], name)
            rankings = [
                [hit[0] for hit in full_text(db, query, match_count=10, collection=name, options=PLAIN_TEXT)]
                for query in judged.queries
            ]
            rows.append((f"{name} ({len(documents):,} documents)", [f"{mean_ndcg(rankings, judged):.4f}"]))
    table("nDCG@10", ["full text"], rows)
