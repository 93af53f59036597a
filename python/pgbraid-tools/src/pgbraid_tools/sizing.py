"""What so many chunks take: bytes by table, CPU by search and write, and the nodes for that.

`python -m benchmarks.size` in tests/ measures the constants, tests/tools/cli/test_size.py checks them, and
docs/guide/scale.md says how far they carry."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from pgbraid.errors import InvalidArgumentError

__all__ = ["MOST_DIMENSIONS", "Demand", "Node", "bytes_of_chunks", "estimate", "search_ms", "write_ms"]

PAGE, PAGE_HEADER, ITEM = 8192, 24, 4
# Bytes of a vector's numbers as a table stores them, and how many an index can take, by vector_storage.
HEAD, NUMBER = 8, {"vector": 4.0, "halfvec": 2.0, "binary": 4.0}
# What its index has of them.
INDEXED_NUMBER = {"vector": 2.0, "halfvec": 2.0, "binary": 1 / 8}
MOST_DIMENSIONS = {"vector": 2000, "halfvec": 4000, "binary": 16000}
# pgvector: an element of the index, with the places of ten rows; its neighbours, twice hnsw_m, and some more above.
ELEMENT, NEIGHBOURS = 72, 4 + 6 * 2 * 16 + 6
# From so many bytes on a vector lies out of line, in pieces with a head each; a row of 8,160 bytes stays whole.
OUT_OF_LINE, PIECE, PIECE_HEAD = 8000, 1996, 50
# A tenant's vectors get an index from so many on, if they have so many dimensions; fewer if they have more.
INDEXED_FROM, INDEXED_AT, INDEXED_BASE = 8000, 384, 200
# Bytes of a row with its keys, besides what the text and the vector take.
DOCUMENT, CHUNK, SEGMENT_CHUNK, VECTOR_KEYS, SHARD_VECTOR, SHARD_KEYS = 250, 225, 240, 60, 49, 105
FORWARD, FORWARD_WORD = 214, 5.5
# Bytes of a posting, and of a row of postings: one for each lexeme of each segment. Eight of a size are merged.
POSTING, LEXEME, SEGMENTS = 5.0, 150, 8
# How many different words there are among so many: in a chunk, and in a segment (Heaps' law; Manning, Raghavan &
# Schütze 2008, Introduction to Information Retrieval, 5.1.1).
CHUNK_EXPONENT, HEAPS_FACTOR, HEAPS_EXPONENT = 0.886, 44.0, 0.49
WORD_BYTES = 6.0
# Dead rows and pages that are not full, in tables that are written to.
FREE_SHARE = 0.2
# CPU of a hybrid search of a tenant of so many chunks, in milliseconds, and how it grows; and by what share with each
# dimension beyond 768: one measurement, at 1,536.
SEARCH_MS, SEARCH_CHUNKS, SEARCH_EXPONENT = 14.5, 5000, 0.215
SEARCH_DIMENSIONS, SEARCH_A_DIMENSION = 768, 0.29 / 768
# How far a node is filled: of its disk, of its memory by what searches read, of its processors.
DISK_SHARE, MEMORY_SHARE, CPU_SHARE = 0.7, 0.75, 0.6
# The largest tenant, and the most dimensions, that hybrid searches were measured with.
MEASURED_CHUNKS, MEASURED_DIMENSIONS = 1_000_000, 1536
LARGE_CHUNKS = 10_000_000
# Tables of vectors in a database, more than which were never measured.
MOST_SHARDS = 1_000


@dataclass(frozen=True)
class Demand:
    """What there is to be: `chunks` of all tenants, `largest` of one of them; `writes` are chunks a second."""

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
    """A machine: processors, and bytes of memory and disk."""

    cpus: int = 16
    memory: int = 64 << 30
    disk: int = 2000 << 30


def storage_of(demand: Demand) -> str:
    """As a collection's: as exact as an index allows, unless chosen. Raises InvalidArgumentError."""
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
    """Of a tenant of so many chunks, the bytes that each takes, by table, once `maintain` has nothing left to do.

    `text_bytes` are those of a chunk's text, and `indexed_from` the server's setting exact_rows, if they are known."""
    text = words * WORD_BYTES if text_bytes is None else text_bytes
    segment_words = HEAPS_FACTOR * (chunks / SEGMENTS * words) ** HEAPS_EXPONENT
    lexemes = min(SEGMENTS * segment_words, chunks * words**CHUNK_EXPONENT)
    sizes = {
        "documents": float(DOCUMENT),
        "chunks": CHUNK + text,
        "forward_rows": FORWARD + FORWARD_WORD * words,
        "segment_chunks": float(SEGMENT_CHUNK),
        "postings": POSTING * words**CHUNK_EXPONENT + LEXEME * lexemes / chunks,
    }
    if chunks < indexed_from * (INDEXED_AT + INDEXED_BASE) / (dimensions + INDEXED_BASE):
        # It holds every number in four bytes. 48: the head of the row and its keys.
        return {**sizes, "chunk_vectors": VECTOR_KEYS + _stored(48, HEAD + NUMBER["vector"] * dimensions)}
    return {
        **sizes,
        "chunk_vectors": float(SHARD_VECTOR),
        # 49: the head of the row, tenant_id, chunk_id, embedding_hash, is_duplicate.
        "vectors": _stored(49, HEAD + NUMBER[storage] * dimensions),
        "vectors: indexes": SHARD_KEYS + _in_pages(ELEMENT + HEAD + INDEXED_NUMBER[storage] * dimensions, NEIGHBOURS),
    }


def _in_pages(*rows: float) -> float:
    """What some rows take of a page, which holds them whole."""
    taken = sum(math.ceil(row / 8) * 8 + ITEM for row in rows)
    fitting = (PAGE - PAGE_HEADER) // taken
    return PAGE / fitting if fitting else PAGE * math.ceil(taken / PAGE)


def _stored(row: float, vector: float) -> float:
    """What a vector takes in a table, with the row around it."""
    if vector <= OUT_OF_LINE:
        return _in_pages(row + vector)
    return 80 + vector + PIECE_HEAD * math.ceil(vector / PIECE)


def search_ms(chunks: float, dimensions: int) -> float:
    """CPU of a hybrid search of a tenant of so many chunks, in milliseconds."""
    longer = 1 + SEARCH_A_DIMENSION * max(0, dimensions - SEARCH_DIMENSIONS)
    return SEARCH_MS * math.pow(max(chunks, 1000) / SEARCH_CHUNKS, SEARCH_EXPONENT) * longer


def write_ms(chunks: float, dimensions: int, words: int) -> dict[str, float]:
    """CPU of a chunk that is written, and of what `maintain` does for it, in milliseconds."""
    index = 0.3 * math.log10(max(chunks, 10)) * (0.6 + 0.4 * dimensions / 384)
    return {"write": 0.15 + 0.0035 * words, "maintain": index}


def estimate(demand: Demand, node: Node) -> dict[str, Any]:
    """Everything that `pgbraid size` prints. Raises InvalidArgumentError."""
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
            else "give --tenants, too: one tenant has all",
            sqlstate="22023",
        )
    tenant = _tenant(demand, storage, largest)
    others = demand.tenants - 1
    # One of the others, which are alike; a tenant alone has none.
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
        # Of a tenant that is too large for a node, as if it could be divided.
        name: max(math.ceil(in_all[name] / most), _databases(tenant.needs, other.needs, others, {name: most}))
        for name, most in room.items()
    }
    by["processors"] = max(1, math.ceil((search_cpus + write_cpus) / room["writes"]))
    # A standby searches in one database and takes no writes, which leave the primary less for searches.
    free = max(0.0, room["writes"] - write_cpus / primaries)
    standbys = primaries * math.ceil(max(0.0, search_cpus / primaries - free) / room["writes"])
    # Each tenant with an index has a table of its own.
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
    """`sizes` are bytes a chunk, by table; `needs`: bytes on disk and in memory, and processors for its writes."""

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
        # Writes go to tenants by their chunks.
        "writes": demand.writes * chunks / demand.chunks * milliseconds / 1000,
    }
    return _Tenant(chunks, sizes, needs)


def _databases(largest: dict[str, float], other: dict[str, float], others: int, room: dict[str, float]) -> int:
    """How many nodes with so much room hold the largest tenant and the others: each tenant whole."""

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
