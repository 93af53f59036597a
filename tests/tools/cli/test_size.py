"""Test pgbraid size and compare its model with real tables."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, Literal

import psycopg
import pytest

from benchmarks.size import measure
from pgbraid_tools.sizing import bytes_of_chunks

pytestmark = pytest.mark.any_version

Connection = psycopg.Connection[Any]
Run = Callable[..., Any]


CHUNKS, WORDS, INDEXED_FROM = 1500, 60, 200


@pytest.mark.parametrize(
    ("dimensions", "storage", "is_indexed"),
    [(256, "halfvec", True), (64, "vector", False), (768, "halfvec", False), (1536, "vector", False)],
)
def test_bytes_are_those_of_the_tables(
    db: Connection, dsn: str, dimensions: int, storage: Literal["halfvec", "vector"], is_indexed: bool
) -> None:
    """The model's bytes match the tables of a tenant with a vector index and of tenants without one."""
    indexed_from = INDEXED_FROM if is_indexed else 100 * CHUNKS
    db.execute("update braid_store.vector_settings set exact_rows = %s", (indexed_from,))
    measured = measure(dsn, CHUNKS, dimensions, storage, WORDS, is_searched=False)
    modelled = bytes_of_chunks(CHUNKS, dimensions, storage, WORDS, measured.text_bytes, indexed_from)
    assert ("vectors" in modelled) == is_indexed
    for name, expected in modelled.items():
        found = measured.bytes_by_table.get(name, 0)
        if name == "postings":
            # There are at most eight segments of a size; their number depends on the last merge.
            assert 0.4 * expected < found < 1.1 * expected
        elif expected > 300:
            # In small tables and their indexes, a large share of the pages is free.
            assert found == pytest.approx(expected, rel=0.12 if "vectors" in name else 0.3), name
    # The model knows every table that holds data.
    others = sum(modelled.values()) - modelled["postings"]
    assert measured.total - measured.bytes_by_table["postings"] == pytest.approx(others, rel=0.2)


def estimated(run: Run, *arguments: object) -> dict[str, Any]:
    done = run("size", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    return dict(json.loads(done.out))


def test_what_is_printed(run: Run) -> None:
    done = run("size", "--chunks", 10**8, "--tenants", 1000, "--dimensions", 768, "--qps", 100, "--writes", 50)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "100,000,000 chunks of 150 words, vectors of 768 dimensions as vector; tenants: 1,000, the largest of 100,000"
    )
    for part in (
        "vectors: indexes",
        "a sixth of it",
        "in memory",
        "a search",
        "write-ahead log",
        "databases",
        "note: ",
    ):
        assert part in done.out


def test_nodes_follow_from_the_demand(run: Run) -> None:
    small = estimated(run, "--chunks", 100_000)
    assert (small["primaries"], small["standbys"], small["warnings"]) == (1, 0, [])
    assert small["bytes_a_chunk_in_all"] == pytest.approx(sum(small["bytes_a_chunk"].values()), abs=10)
    # Searches need processors, which standbys add; bytes need further primaries.
    busy = estimated(run, "--chunks", 100_000, "--qps", 1000)
    assert busy["primaries"] == 1 and busy["standbys"] == busy["nodes_by"]["processors"] - 1 > 0
    large = estimated(run, "--chunks", 10**10, "--tenants", 10**6, "--qps", 100)
    assert large["primaries"] == large["nodes_by"]["memory"] > large["nodes_by"]["disk"] > 1
    assert large["standbys"] == 0 and "divided among" in large["warnings"][0]
    more = estimated(run, "--chunks", 10**10, "--tenants", 10**6, "--memory", "1TB")
    assert more["primaries"] < large["primaries"]
    # A warning tells of a tenant that is too large for a node.
    alone = estimated(run, "--chunks", 5 * 10**8)
    assert alone["primaries"] == 1 < alone["nodes_by"]["memory"]
    fits, extrapolated = alone["warnings"]
    assert "never divided" in fits and "hours" in extrapolated
    many = estimated(run, "--chunks", 10**8, "--tenants", 5000, "--memory", "1TB")
    assert many["vector_shards"] == 5000 and "5,000 tenants of a database" in many["warnings"][0]


def test_a_tenant_is_whole_on_a_node(run: Run) -> None:
    """Two of three tenants of 27 GB in memory each do not share a node with 48 GB."""
    three = estimated(run, "--chunks", 24_000_000, "--tenants", 3)
    assert (three["primaries"], three["nodes_by"]["memory"]) == (3, 3)
    assert estimated(run, "--chunks", 24_000_000, "--tenants", 24)["primaries"] == 2
    assert estimated(run, "--chunks", 24_000_000, "--tenants", 3, "--memory", "128GB")["primaries"] == 1
    # Small tenants fit beside a large one.
    assert estimated(run, "--chunks", 7_000_000, "--tenants", 100, "--largest", 6_666_667)["primaries"] == 1


def test_standbys_take_no_writes(run: Run) -> None:
    written = estimated(run, "--chunks", 10**6, "--writes", 100_000, "--qps", 0)
    assert (written["primaries"], written["standbys"]) == (1, 0)
    assert written["nodes_by"]["writes"] > 20
    assert "standbys take no writes" in written["warnings"][0]
    assert f"{math.ceil(written['cpus'] / 0.6):,} processors, not 16" in written["warnings"][0]
    # Tenants share the writes, on databases of their own.
    shared = estimated(run, "--chunks", 10**6, "--tenants", 1000, "--writes", 100_000, "--qps", 0)
    assert shared["primaries"] == shared["nodes_by"]["writes"] > 10 and shared["standbys"] == 0
    assert not any("standbys take no writes" in warning for warning in shared["warnings"])
    # Searches use the processor time of the primary that writes leave, before a standby is added.
    room, write, search = 16 * 0.6, 0.00218, 0.0276
    for writes, qps in ((0, 340), (4000, 30), (4000, 60), (2000, 1000)):
        found = estimated(run, "--chunks", 100_000, "--writes", writes, "--qps", qps)
        assert found["standbys"] == math.ceil(max(0.0, qps * search - (room - writes * write)) / room), (writes, qps)


def test_a_standby_has_one_database(run: Run) -> None:
    found = estimated(run, "--chunks", 10**8, "--tenants", 1000, "--qps", 4000)
    assert (found["primaries"], found["nodes_by"]["processors"]) == (9, 12)
    assert found["standbys"] == 9
    assert estimated(run, "--chunks", 10**8, "--tenants", 1000, "--qps", 2700)["standbys"] == 0


def test_the_largest_tenant_has_sizes_of_its_own(run: Run) -> None:
    """Half of the chunks belong to one tenant with a vector index, the others to tenants without one."""
    arguments = ("--chunks", 10**8, "--tenants", 50_000)
    half = 5 * 10**7
    found = estimated(run, *arguments, "--largest", half)
    largest = bytes_of_chunks(half, 384, "vector", 150)
    other = bytes_of_chunks(half / 49_999, 384, "vector", 150)
    assert "vectors" in largest and "vectors" not in other
    for name, size in found["bytes_a_chunk"].items():
        assert size == pytest.approx((largest.get(name, 0) + other.get(name, 0)) / 2, abs=1), name
    assert 45 < half * largest["vectors: indexes"] / 2**30 < 70
    assert any(f"{half * largest['vectors: indexes'] / 2**30:,.0f} GB of main" in text for text in found["warnings"])
    assert found["vector_shards"] == 1
    assert estimated(run, *arguments)["vector_shards"] == 0


def test_more_dimensions_take_longer(run: Run) -> None:
    def found(dimensions: int) -> dict[str, Any]:
        return estimated(run, "--chunks", 10_000, "--dimensions", dimensions, "--storage", "halfvec")

    assert found(384)["cpu_ms"]["search"] == found(768)["cpu_ms"]["search"] == pytest.approx(16.8, abs=0.1)
    # The figure was measured.
    assert found(1536)["cpu_ms"]["search"] == pytest.approx(21.7, abs=0.1)
    assert found(1536)["warnings"] == [] and "1,536 dimensions" in found(1537)["warnings"][0]


@pytest.mark.parametrize(
    ("dimensions", "storage"), [(384, "vector"), (2000, "vector"), (2001, "halfvec"), (4001, "binary")]
)
def test_the_storage_is_what_an_index_can_take(run: Run, dimensions: int, storage: str) -> None:
    assert estimated(run, "--chunks", 10**6, "--dimensions", dimensions)["demand"]["storage"] == storage


@pytest.mark.parametrize("storage", ["vector", "halfvec", "binary"])
def test_more_takes_more(storage: str) -> None:
    def total(chunks: int, dimensions: int, words: int) -> float:
        return chunks * sum(bytes_of_chunks(chunks, dimensions, storage, words).values())

    for chunks in (1, 100, 7999, 8000, 10**6, 10**10):
        for dimensions in (1, 384, 2000):
            assert 0 < total(chunks, dimensions, 100) < total(chunks, dimensions, 200)
            assert total(chunks, dimensions, 100) <= total(chunks, dimensions + 500, 100)
            assert total(chunks, dimensions, 100) < total(chunks * 2, dimensions, 100)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--chunks"),
        (["--chunks", 0], "0 is not in the range"),
        (["--chunks", "many"], "'many' is not a valid integer."),
        (["--chunks", 10, "--dimensions", 16_001], "16001 is not in the range"),
        (["--chunks", 10, "--dimensions", 3000, "--storage", "vector"], "at most 2,000 dimensions, not 3,000"),
        (["--chunks", 10, "--dimensions", 4001, "--storage", "halfvec"], "at most 4,000 dimensions"),
        (["--chunks", 10, "--storage", "float"], "'float' is not one of"),
        (["--chunks", 10, "--tenants", 11], "11 tenants cannot share 10 chunks"),
        (["--chunks", 100, "--tenants", 10, "--largest", 5], "cannot have 5 of 100"),
        (["--chunks", 100, "--tenants", 10, "--largest", 92], "cannot have 92 of 100"),
        (["--chunks", 10, "--qps", -1], "-1.0 is not in the range"),
        (["--chunks", 10, "--qps", "nan"], "nan"),
        (["--chunks", 10, "--memory", "64"], "'64' is no size"),
        (["--chunks", 10, "--memory", "64XB"], "'64XB' is no size"),
        (["--chunks", 10, "--disk", "-1GB"], "'-1GB' is not between"),
        (["--chunks", 10, "--disk", "nanGB"], "'nanGB' is not between"),
    ],
)
def test_bad_input(run: Run, arguments: list[object], said: str) -> None:
    done = run("size", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err and "Traceback" not in done.err
    assert done.err.startswith("pgbraid: ") and "\nhint: " in done.err
