"""Measure how much of a query comes back when a compound was written as its parts, or a part as a compound: `python -m
benchmarks.compounds` in tests/. All words stand in the collection, and the
changes have a fixed seed."""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import table
from benchmarks.quality.measures import ndcg_at_10, randomisation_p
from benchmarks.search import fresh_database
from pgbraid import embedded
from support.calls import upsert
from support.judged import read_lines, read_relevance

Connection = psycopg.Connection[Any]
REPOSITORY_DATA = Path(__file__).parents[3] / "shared" / "data"
LINKS = ("", "s", "n", "e", "es", "en", "er")
LEAST = 4
WORD = re.compile(r"[^\W\d_]+")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compounds", description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--language", default="de", choices=("de",))
    arguments = parser.parse_args()
    with fresh_database(arguments.postgres_version, ["decompounding"]) as db:
        measure(db, arguments.language)


def measure(db: Connection, language: str, options: dict[str, Any] | None = None) -> None:
    folder = REPOSITORY_DATA / "xquad"
    documents = [line for line in read_lines(folder / "corpus.jsonl.gz") if line["metadata"]["lang"] == language]
    queries = [line for line in read_lines(folder / "queries.jsonl.gz") if line["metadata"]["lang"] == language]
    relevance = read_relevance(folder, "test")
    db.execute("select braid.create_collection('compounds', text_config => 'german')")
    upsert(db, [{"external_id": line["_id"], "chunks": [{"content": line["text"]}]} for line in documents], "compounds")
    vocabulary = {word.lower() for line in documents for word in WORD.findall(line["text"]) if len(word) >= LEAST}
    splits = {word: parts for word in sorted(vocabulary) if (parts := split(word, vocabulary))}
    compounds = defaultdict(list)
    for word, parts in splits.items():
        for part in parts:
            compounds[part].append(word)
    random = Random(1)
    rows = []
    changes: dict[str, Callable[[str], str]] = {
        "clean": lambda word: word,
        "a compound as its parts": lambda word: " ".join(splits[word]) if word in splits else word,
        "a compound as its last part": lambda word: splits[word][-1] if word in splits else word,
        "a part as a compound": lambda word: random.choice(compounds[word]) if word in compounds else word,
    }
    for name, change in changes.items():
        clean, off, auto = [], [], []
        for line in queries:
            judged = relevance[line["_id"]]
            words = re.split(r"([^\W\d_]+)", line["text"].lower())
            changed = "".join(change(word) for word in words)
            if name != "clean" and changed == line["text"].lower():
                continue
            clean.append(ndcg(db, line["text"], judged, "off"))
            off.append(ndcg(db, changed, judged, "off"))
            auto.append(ndcg(db, changed, judged, "auto"))
        means = [float(np.mean(values)) for values in (clean, off, auto)]
        back = f"{(means[2] - means[1]) / (means[0] - means[1]):.0%}" if means[0] > means[1] else "–"
        p = f"{randomisation_p(np.array(auto), np.array(off)):.3f}"
        rows.append((name, [str(len(off)), *(f"{mean:.4f}" for mean in means), back, p]))
    table("nDCG@10", ["queries", "as asked, off", "changed, off", "changed, auto", "back", "p"], rows)


def split(word: str, vocabulary: set[str]) -> tuple[str, str] | None:
    """Return the two words of the vocabulary that make a word, with the longest last one."""
    for place in range(LEAST, len(word) - LEAST + 1):
        for link in LINKS:
            first, last = word[: place - len(link)], word[place:]
            if word[:place].endswith(link) and len(first) >= LEAST and {first, last} <= vocabulary:
                return first, last
    return None


def ndcg(db: Connection, query: str, judged: dict[str, int], decompounding: str) -> float:
    rows = db.execute(
        "select external_id from braid.full_text_search(%s, 10, collection => 'compounds', options => %s)",
        (query, Jsonb({"decompounding": decompounding, "operators": False})),
    )
    return ndcg_at_10([external_id for (external_id,) in rows], judged)


if __name__ == "__main__":
    main()
