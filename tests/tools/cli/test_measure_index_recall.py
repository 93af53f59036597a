"""Test pgbraid measure-index-recall."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import psycopg
import pytest

from support.nearest import maintain, set_threshold, store

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


@pytest.fixture
def indexed(db: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    db.execute("select braid.create_collection('c', dimensions => 6, embedding_model => 'test', distance => 'l2')")
    set_threshold(db, 200, 6)
    rows = np.random.default_rng(0).standard_normal((300, 6), np.float32)
    store(db, {f"v{number}": row for number, row in enumerate(rows)}, "c")
    maintain(db)
    return db


def test_it_shows_all_widths_and_what_to_do(indexed: psycopg.Connection[Any], run: Run) -> None:
    done = run("measure-index-recall", "--collection", "c", "--queries", "20")
    assert (done.code, done.err) == (0, "")
    first, heading, *_, last = done.out.splitlines()
    assert first.endswith("test, 300 vectors; asked: 0 stored queries, 0 of query sets, 20 made of stored vectors")
    assert heading.split() == ["ef_search", "index", "recall@10", "index", "recall@100"]
    # The suggested width differs between builds, because a graph's links are made at random.
    assert 64 <= suggested_width(last) <= 160
    indexed.execute("update braid_store.vector_shards set ef_search = 77")
    done = run("measure-index-recall", "--collection", "c", "--queries", "20")
    assert re.search(r"^ *77  +[01]\.[0-9]{4} .*<- ef_search$", done.out, re.MULTILINE)
    assert done.out.endswith("; --set makes it so\n")
    done = run("measure-index-recall", "--collection", "c", "--queries", "30", "--set")
    last = done.out.splitlines()[-1]
    assert last.endswith("; set")
    assert indexed.execute("select ef_search from braid_store.vector_shards").fetchone() == (suggested_width(last),)


def suggested_width(line: str) -> int:
    found = re.match(r"suggested: ef_search (\d+) for the 10 nearest, ", line)
    assert found, line
    return int(found[1])


def test_json_and_what_has_no_index(indexed: psycopg.Connection[Any], run: Run) -> None:
    (index,) = json.loads(run("measure-index-recall", "--collection", "c", "--json").out)["indexes"]
    assert index["queries"]["sample"] == 100
    assert (
        run("measure-index-recall").out
        == "default: no vector index: all vectors are compared, and searches are exact\n"
    )
    indexed.execute("drop index braid_store.vectors_1_hnsw")
    assert "the index is missing" in run("measure-index-recall", "--collection", "c").out


@pytest.mark.parametrize(
    "arguments",
    [("--queries", "9"), ("--queries", "many"), ("--queries", "29", "--set"), ("--collection", "nothing")],
)
def test_bad_input(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("measure-index-recall", *arguments)
    assert done.code == 2 and len(done.err.splitlines()) == 2 and done.out == ""
