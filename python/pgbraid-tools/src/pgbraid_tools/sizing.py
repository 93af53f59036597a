"""Estimate the resources for a number of chunks: bytes per table, CPU per search and write, and nodes.

`python -m benchmarks.size` in tests/ measures the constants, tests/tools/cli/test_size.py checks them, and
docs/guide/scale.md says how far the estimate holds.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from pgbraid.errors import InvalidArgumentError

__all__ = ["MOST_DIMENSIONS", "Demand", "Node", "bytes_of_chunks", "estimate", "search_ms", "write_ms"]

PAGE, PAGE_HEADER, ITEM = 8192, 24, 4
# A vector takes HEAD bytes, and NUMBER bytes for each dimension in a table, by vector_storage.
HEAD, NUMBER = 8, {"vector": 4.0, "halfvec": 2.0, "binary": 4.0}
# Bytes of each dimension in an index, and the most dimensions that an index allows.
INDEXED_NUMBER = {"vector": 2.0, "halfvec": 2.0, "binary": 1 / 8}
MOST_DIMENSIONS = {"vector": 2000, "halfvec": 4000, "binary": 16000}
# Bytes in a pgvector index: an element with ten heap pointers; its neighbour list with twice hnsw_m entries, plus some
# for upper levels.
ELEMENT, NEIGHBOURS = 72, 4 + 6 * 2 * 16 + 6
# A larger vector is stored out of line (TOAST), in pieces with a header each; a row of 8,160 bytes stays whole.
OUT_OF_LINE, PIECE, PIECE_HEAD = 8000, 1996, 50
# A tenant's vectors get an index from INDEXED_FROM chunks at INDEXED_AT dimensions; more dimensions lower the
# threshold.
INDEXED_FROM, INDEXED_AT, INDEXED_BASE = 8000, 384, 200
# Bytes of a row with its index entries, without its text and vector.
DOCUMENT, CHUNK, SEGMENT_CHUNK, VECTOR_KEYS, SHARD_KEYS = 250, 225, 240, 60, 105
# A forward row has its words' positions, and 8 bytes for the frequency of each distinct word.
FORWARD, FORWARD_WORD, FORWARD_LEXEME = 214, 5.5, 10.0
# Bytes of a posting, and of a row of postings, which exists for each lexeme of each segment. Eight segments of a size
# are merged.
POSTING, LEXEME, SEGMENTS = 5.0, 150, 8
# Heaps' law estimates the distinct words of a chunk and of a segment (Manning, Raghavan & Schütze 2008, Introduction to
# Information Retrieval, 5.1.1).
CHUNK_EXPONENT, HEAPS_FACTOR, HEAPS_EXPONENT = 0.886, 44.0, 0.49
WORD_BYTES = 6.0
# The share of dead rows and free space in tables that are written to.
FREE_SHARE = 0.2
# CPU of a hybrid search in milliseconds for a tenant of SEARCH_CHUNKS chunks, and the exponent by which it grows with
# the chunks. Each dimension beyond 768 adds a share, from one measurement at 1,536.
SEARCH_MS, SEARCH_CHUNKS, SEARCH_EXPONENT = 14.5, 5000, 0.215
SEARCH_DIMENSIONS, SEARCH_A_DIMENSION = 768, 0.29 / 768
# The share of a node's disk, memory and processors that may be used; memory counts only the data that searches read.
DISK_SHARE, MEMORY_SHARE, CPU_SHARE = 0.7, 0.75, 0.6
# The largest tenant and the most dimensions for which hybrid searches were measured.
MEASURED_CHUNKS, MEASURED_DIMENSIONS = 1_000_000, 1536
LARGE_CHUNKS = 10_000_000
# The most tables of vectors in one database that were measured.
MOST_SHARDS = 1_000


@dataclass(frozen=True)
class Demand:
    """Describe the load: `chunks` of all tenants, `largest` of the largest tenant, `writes` in chunks a second."""

    chunks: int
    dimensions: int = 384
    storage: str | None = None
    words: int = 150
    tenants: int = 1
    largest: int | None = None
    qps: float = 1.0
    writes: float = 0.0


@dataclass(frozen=True)
class Node:
    """Describe a machine: processors, and bytes of memory and disk."""

    cpus: int = 16
    memory: int = 64 << 30
    disk: int = 2000 << 30


def storage_of(demand: Demand) -> str:
    """Return the demanded vector_storage, or by default the most exact one that an index allows. Raise
    InvalidArgumentError if it has too many dimensions for an index."""
    if demand.storage is None:
        return next((name for name, most in MOST_DIMENSIONS.items() if demand.dimensions <= most), "binary")
    most = MOST_DIMENSIONS.get(demand.storage, 0)
    if demand.dimensions > most:
        raise InvalidArgumentError(
            f"an index of {demand.storage} has at most {most:,} dimensions, not {demand.dimensions:,}",
            hint="choose " + " or ".join(name for name, limit in MOST_DIMENSIONS.items() if limit >= demand.dimensions),
            sqlstate="22023",
        )
    return demand.storage


def bytes_of_chunks(
    chunks: float,
    dimensions: int,
    storage: str,
    words: int,
    text_bytes: float | None = None,
    indexed_from: int = INDEXED_FROM,
) -> dict[str, float]:
    """Return the bytes per chunk of a tenant with `chunks` chunks, by table, once `maintain` has nothing left to do.

    `text_bytes` is the size of a chunk's text, and `indexed_from` the server's setting exact_rows, if known.
    """
    text = words * WORD_BYTES if text_bytes is None else text_bytes
    segment_words = HEAPS_FACTOR * (chunks / SEGMENTS * words) ** HEAPS_EXPONENT
    lexemes = min(SEGMENTS * segment_words, chunks * words**CHUNK_EXPONENT)
    sizes = {
        "documents": float(DOCUMENT),
        "chunks": CHUNK + text,
        "forward_rows": FORWARD + FORWARD_WORD * words + FORWARD_LEXEME * words**CHUNK_EXPONENT,
        "segment_chunks": float(SEGMENT_CHUNK),
        "postings": POSTING * words**CHUNK_EXPONENT + LEXEME * lexemes / chunks,
    }
    if chunks < indexed_from * (INDEXED_AT + INDEXED_BASE) / (dimensions + INDEXED_BASE):
        # chunk_vectors stores every dimension in four bytes. 48 bytes are the row's header and keys.
        return {**sizes, "chunk_vectors": VECTOR_KEYS + _stored(48, HEAD + NUMBER["vector"] * dimensions)}
    return {
        **sizes,
        # 49 bytes are the row's header, tenant_id, chunk_id, embedding_hash and is_duplicate.
        "vectors": _stored(49, HEAD + NUMBER[storage] * dimensions),
        "vectors: indexes": SHARD_KEYS + _in_pages(ELEMENT + HEAD + INDEXED_NUMBER[storage] * dimensions, NEIGHBOURS),
    }


def _in_pages(*rows: float) -> float:
    """Return the bytes that rows take together; a page holds them whole and may leave space free."""
    taken = sum(math.ceil(row / 8) * 8 + ITEM for row in rows)
    fitting = (PAGE - PAGE_HEADER) // taken
    return PAGE / fitting if fitting else PAGE * math.ceil(taken / PAGE)


def _stored(row: float, vector: float) -> float:
    """Return the bytes of a vector in a table, with its row."""
    if vector <= OUT_OF_LINE:
        return _in_pages(row + vector)
    return 80 + vector + PIECE_HEAD * math.ceil(vector / PIECE)


def search_ms(chunks: float, dimensions: int) -> float:
    """Return the CPU of a hybrid search, in milliseconds, for a tenant of `chunks` chunks."""
    longer = 1 + SEARCH_A_DIMENSION * max(0, dimensions - SEARCH_DIMENSIONS)
    return SEARCH_MS * math.pow(max(chunks, 1000) / SEARCH_CHUNKS, SEARCH_EXPONENT) * longer


def write_ms(chunks: float, dimensions: int, words: int) -> dict[str, float]:
    """Return the CPU to write a chunk, and to maintain it afterwards, in milliseconds."""
    index = 0.3 * math.log10(max(chunks, 10)) * (0.6 + 0.4 * dimensions / 384)
    return {"write": 0.15 + 0.0035 * words, "maintain": index}


def estimate(demand: Demand, node: Node) -> dict[str, Any]:
    """Return everything that `pgbraid size` prints. Raise InvalidArgumentError for impossible figures."""
    storage = storage_of(demand)
    if demand.tenants > demand.chunks:
        raise InvalidArgumentError(
            f"{demand.tenants:,} tenants cannot share {demand.chunks:,} chunks",
            hint="give fewer tenants, or more chunks",
            sqlstate="22023",
        )
    mean = demand.chunks / demand.tenants
    largest = demand.largest or math.ceil(mean)
    if not mean <= largest <= demand.chunks - (demand.tenants - 1):
        raise InvalidArgumentError(
            f"the largest of {demand.tenants:,} tenants cannot have {largest:,} of {demand.chunks:,} chunks",
            hint=f"it has {math.ceil(mean):,} to {demand.chunks - demand.tenants + 1:,}"
            if demand.tenants > 1
            else "give --tenants as well: a single tenant has all chunks",
            sqlstate="22023",
        )
    tenant = _tenant(demand, storage, largest)
    others = demand.tenants - 1
    # All other tenants are assumed to be of equal size; a single tenant has none beside it.
    other = _tenant(demand, storage, (demand.chunks - largest) / others) if others else tenant
    room = {
        "disk": node.disk * DISK_SHARE,
        "memory": node.memory * MEMORY_SHARE,
        "writes": node.cpus * CPU_SHARE,
    }
    primaries = _databases(tenant.needs, other.needs, others, room)
    in_all = {name: tenant.needs[name] + others * other.needs[name] for name in room}
    write_cpus = in_all["writes"]
    search_cpus = demand.qps * search_ms(largest, demand.dimensions) / 1000
    by = {
        # For a tenant that is too large for a node, the count assumes that it could be divided.
        name: max(math.ceil(in_all[name] / most), _databases(tenant.needs, other.needs, others, {name: most}))
        for name, most in room.items()
    }
    by["processors"] = max(1, math.ceil((search_cpus + write_cpus) / room["writes"]))
    # A standby serves searches of one database and takes no writes; the primary's writes reduce its room for searches.
    free = max(0.0, room["writes"] - write_cpus / primaries)
    standbys = primaries * math.ceil(max(0.0, search_cpus / primaries - free) / room["writes"])
    # Each tenant with an index has its own table of vectors.
    indexed = tenant.is_indexed + others * other.is_indexed
    shards = math.ceil(indexed / primaries)
    a_chunk = {
        name: (largest * tenant.sizes.get(name, 0) + others * other.chunks * other.sizes.get(name, 0)) / demand.chunks
        for name in (tenant.sizes if tenant.is_indexed else other.sizes)
    }
    milliseconds = {
        "search": search_ms(largest, demand.dimensions),
        **write_ms(largest, demand.dimensions, demand.words),
    }
    return {
        "demand": {**asdict(demand), "storage": storage, "largest": largest},
        "node": asdict(node),
        "bytes_a_chunk": {name: round(size) for name, size in a_chunk.items()},
        "bytes_a_chunk_in_all": round(sum(a_chunk.values())),
        "bytes_on_disk": round(in_all["disk"]),
        "bytes_searches_read": round(in_all["memory"]),
        "cpu_ms": {name: round(value, 2) for name, value in milliseconds.items()},
        "wal_bytes_a_chunk": round(2 * sum(a_chunk.values())),
        "cpus": round(search_cpus + write_cpus, 2),
        "nodes_by": by,
        "primaries": primaries,
        "vector_shards": shards,
        "standbys": standbys,
        "warnings": _warnings(demand, node, tenant, room, primaries, shards),
    }


@dataclass(frozen=True)
class _Tenant:
    """Hold a tenant's figures. `sizes` are bytes per chunk, by table; `needs` are bytes on disk and in memory, and
    processors for writes."""

    chunks: float
    sizes: dict[str, float]
    needs: dict[str, float]

    @property
    def is_indexed(self) -> bool:
        return "vectors" in self.sizes


def _tenant(demand: Demand, storage: str, chunks: float) -> _Tenant:
    sizes = bytes_of_chunks(chunks, demand.dimensions, storage, demand.words)
    read = ("forward_rows", "segment_chunks", "postings", "chunk_vectors", "vectors: indexes")
    milliseconds = sum(write_ms(chunks, demand.dimensions, demand.words).values())
    needs = {
        "disk": chunks * sum(sizes.values()) * (1 + FREE_SHARE),
        "memory": chunks * sum(size for name, size in sizes.items() if name in read),
        # Writes are assumed proportional to a tenant's chunks.
        "writes": demand.writes * chunks / demand.chunks * milliseconds / 1000,
    }
    return _Tenant(chunks, sizes, needs)


def _databases(largest: dict[str, float], other: dict[str, float], others: int, room: dict[str, float]) -> int:
    """Return how many nodes with this room hold the largest tenant and the others, without dividing a tenant."""

    def fitting(beside: float) -> int:
        counts = [(most - beside * largest[name]) // other[name] for name, most in room.items() if other[name]]
        return min(others, *(max(0, int(count)) for count in counts)) if counts else others

    left = others - fitting(1)
    return 1 + math.ceil(left / max(1, fitting(0)))


def _warnings(
    demand: Demand, node: Node, largest: _Tenant, room: dict[str, float], primaries: int, shards: int
) -> list[str]:
    needs, warnings = largest.needs, []
    if needs["memory"] > room["memory"] or needs["disk"] > room["disk"]:
        warnings.append(
            f"a tenant is never divided: the largest needs a node with {needs['memory'] / MEMORY_SHARE / 2**30:,.0f} GB"
            f" of memory and {needs['disk'] / DISK_SHARE / 2**30:,.0f} GB of disk"
        )
    if needs["writes"] > room["writes"]:
        warnings.append(
            "standbys take no writes, and a tenant has one primary: the writes of the largest need a node with"
            f" {math.ceil(needs['writes'] / CPU_SHARE):,} processors, not {node.cpus:,}"
        )
    if primaries > 1:
        warnings.append(
            f"tenants are divided among {primaries:,} databases, by hand or by pgbraid distribute: docs/guide/scale.md"
        )
    if shards > MOST_SHARDS:
        warnings.append(
            f"{shards:,} tenants of a database have a table of vectors each: hardly more than {MOST_SHARDS:,} were"
            " measured; divide the tenants among more databases"
        )
    if largest.chunks >= LARGE_CHUNKS:
        hours = largest.chunks * write_ms(largest.chunks, demand.dimensions, demand.words)["maintain"] / 3.6e6
        warnings.append(
            f"the vector index of the largest tenant takes {hours:,.0f} hours of one processor to build, and"
            f" {largest.chunks * largest.sizes['vectors: indexes'] / 2**30:,.0f} GB of maintenance_work_mem: no tenant"
            f" of {LARGE_CHUNKS:,} chunks was ever tried"
        )
    elif largest.chunks > MEASURED_CHUNKS:
        warnings.append(
            f"hybrid searches were measured up to {MEASURED_CHUNKS:,} chunks a tenant; what they take here is"
            " extrapolated"
        )
    if demand.dimensions > MEASURED_DIMENSIONS:
        warnings.append(
            f"hybrid searches were measured up to {MEASURED_DIMENSIONS:,} dimensions; what they take here is"
            " extrapolated"
        )
    return warnings
