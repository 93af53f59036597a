"""On judged collections, the database's ranking has the nDCG@10 that the same tokens and vectors give offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from support.bm25_model import Tokenizer
from support.judged import load_judged, mean_ndcg
from support.loading import load, search_all
from support.offline import full_text_rankings, semantic_rankings
from support.vectors import cached_vectors

Connection = psycopg.Connection[Any]
TOLERANCE = 0.005


# These are the lowest acceptable values of nDCG@10: full text, semantic, hybrid. The test uses a part of each
# collection: on a machine without cached vectors, embedding all of SciFact takes ten minutes. The quality benchmark
# uses all.
@pytest.mark.any_version
@pytest.mark.parametrize(("name", "least"), [("cranfield", (0.528, 0.574, 0.617)), ("scifact", (0.917, 0.929, 0.929))])
def test_ranking_quality(
    db: Connection,
    shared_data: Path,
    name: str,
    least: tuple[float, float, float],
    capsys: pytest.CaptureFixture[str],
) -> None:
    judged = load_judged(shared_data / name).sample(query_count=40, every=40)
    documents, queries = cached_vectors(judged.embedded_texts), cached_vectors(judged.queries)
    load(db, judged, documents)
    offline = {
        "full_text": mean_ndcg(full_text_rankings(judged, Tokenizer(db)), judged),
        "semantic": mean_ndcg(semantic_rankings(judged, documents, queries), judged),
    }
    found = {
        mode: mean_ndcg(search_all(db, mode, judged.queries, queries)[0], judged)
        for mode in ("full_text", "semantic", "hybrid")
    }
    with capsys.disabled():
        print(f"\n{name}: nDCG@10", *(f"{mode} {value:.4f}" for mode, value in found.items()), end=" ")
        print("(offline", *(f"{mode} {value:.4f}" for mode, value in offline.items()), end=") ")
    for mode, value in offline.items():
        assert found[mode] == pytest.approx(value, abs=TOLERANCE)
    for value, lowest in zip(found.values(), least, strict=True):
        assert value >= lowest
