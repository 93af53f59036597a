"""Measure how much of a query comes back when its rarest word is misspelt, with a fixed seed: `python -m
benchmarks.typos` in tests/."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from benchmarks.full_text.report import table
from benchmarks.quality.measures import ndcg_at_10, randomisation_p
from benchmarks.search import DATA, SETS, fresh_database
from pgbraid import embedded
from support.calls import upsert
from support.judged import load_judged, read_lines, read_relevance

Connection = psycopg.Connection[Any]
TYPOS = ("off", "auto")
WORD = re.compile("[a-z]{4,}")


class Query(NamedTuple):
    text: str
    misspelt: str
    judged: dict[str, int]
    word: str  # the word that is misspelt


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.typos", description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    parser.add_argument("--sets", default=",".join(SETS), help="some of: %(default)s")
    parser.add_argument("--seeds", type=int, default=2, help="how many times each query is misspelt (%(default)s)")
    arguments = parser.parse_args()
    with fresh_database(arguments.postgres_version) as db:
        for name in arguments.sets.split(","):
            measure(db, name, arguments.seeds)


def measure(db: Connection, name: str, seeds: int) -> None:
    """Print a row for each number of edits, and one for words that no text has. p compares auto with off."""
    texts, rows = load(db, name), []
    for label, edits, count in (("as meant", 0, 1), ("1 edit", 1, seeds), ("2 edits", 2, seeds), ("no text", 0, 1)):
        scores = []
        for query in (query for seed in range(count) for query in misspelt(name, texts, edits, seed)):
            meant = ndcg(db, name, query.text, query.judged, "off")
            with db.transaction(force_rollback=True):
                if label == "no text":
                    forget(db, query.word)
                scores.append([meant, *(ndcg(db, name, query.misspelt, query.judged, typos) for typos in TYPOS)])
        values = np.array(scores)
        meant, off, auto = map(float, values.mean(axis=0))
        back = f"{(auto - off) / (meant - off):.0%}" if edits else "–"
        p = f"{randomisation_p(values[:, 2], values[:, 1]):.3f}"
        rows.append((label, [str(len(scores)), *(f"{mean:.4f}" for mean in (meant, off, auto)), back, p]))
    table(f"{name}, nDCG@10", ["searches", "as meant, off", "misspelt, off", "auto", "back", "p"], rows)


def misspelt(name: str, texts: Sequence[str], edits: int, seed: int) -> Iterator[Query]:
    """Yield the judged queries of a collection, each with random edits behind the first letter of its rarest word. The
    word has four letters or more, and texts have it."""
    counts = Counter(word for text in texts for word in set(WORD.findall(text.lower())))
    random = Random(seed)
    splits = [split for split in ("test", "train") if (DATA / name / "qrels" / f"{split}.tsv.gz").is_file()]
    relevance = {query: judged for split in splits for query, judged in read_relevance(DATA / name, split).items()}
    for line in read_lines(DATA / name / "queries.jsonl.gz"):
        text = line["text"].lower()
        words = [word for word in WORD.findall(text) if counts[word]]
        if line["_id"] in relevance and words:
            word = changed = min(words, key=lambda word: (counts[word], word))
            while edits and changed == word:
                for _ in range(edits):
                    changed = edited(changed, random)
            yield Query(text, re.sub(rf"\b{word}\b", changed, text), relevance[line["_id"]], word)


def edited(word: str, random: Random) -> str:
    """Return a word with one letter behind the first left out, added, replaced, or exchanged with the next one."""
    place = random.randrange(1, len(word))
    letter = random.choice(ascii_lowercase)
    last = word[place:]
    return word[:place] + random.choice((last[1:], letter + last, letter + last[1:], last[1::-1] + last[2:]))


def load(db: Connection, name: str) -> list[str]:
    documents = [document for document in load_judged(DATA / name).documents() if document["content"]]
    db.execute("select braid.create_collection(%s)", (name,))
    for start in range(0, len(documents), 1000):
        upsert(db, documents[start : start + 1000], name)
    return [f"{document['title']} {document['content']}" for document in documents]


def forget(db: Connection, word: str) -> None:
    """Take a word out of the index, as if no text had it."""
    stem = "lexeme = coalesce((ts_lexize('english_stem', %(word)s))[1], %(word)s)"
    for relation in ("postings_a", "postings_b"):
        db.execute(f"delete from braid_store.{relation} where {stem}".encode(), {"word": word})


def ndcg(db: Connection, name: str, query: str, judged: dict[str, int], typos: str) -> float:
    rows = db.execute(
        "select external_id from braid.full_text_search(%s, 50, collection => %s, options => %s)",
        (query, name, Jsonb({"typos": typos, "operators": False})),
    )
    return ndcg_at_10(list(dict.fromkeys(external_id for (external_id,) in rows)), judged)


if __name__ == "__main__":
    main()
