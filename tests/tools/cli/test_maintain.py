"""Check that pgbraid maintain reports the work that it had no time for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import psycopg
import pytest
from tools.cli.conftest import Run

from support.nearest import set_threshold, store
from support.upkeep import make_slow

pytestmark = pytest.mark.any_version


def test_it_says_what_an_index_needs(db: psycopg.Connection[Any], run: Run) -> None:
    set_threshold(db, 100, 3)
    db.execute("select braid.create_collection('c', dimensions => 3)")
    store(db, {str(n): np.random.default_rng(n).normal(size=3) for n in range(120)}, "c")
    make_slow(db, 100)
    ended = run("maintain", "--seconds", 2)
    needed = json.loads(ended.out)["seconds_needed"]
    assert ended.code == 0 and needed == 102
    assert f"needs {needed} seconds; run: pgbraid maintain --seconds {2 * needed}" in ended.err
    ended = run("maintain", "--seconds", 204)
    done = json.loads(ended.out)
    # One command does all: it copies the vectors, builds the index, and forgets what was copied.
    assert done["complete"] and "seconds_needed" not in done and ended.err == ""
    assert db.execute("select state from braid_store.vector_shards where state <> 'retired'").fetchall() == [
        ("serving",)
    ]
