"""Run one engine in a process of its own: read requests, one JSON object a line, and answer each with one line."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from benchmarks.peers.corpora import MIDDLE, Stored
from benchmarks.peers.engine import Engine, Place, Where

if TYPE_CHECKING:
    from benchmarks.peers.engines.pgbraid_search import Pgbraid

# Each engine's module and class, by name. The engines that are not OURS need packages of requirements.txt.
ENGINES = {
    "pgbraid": ("pgbraid_search", "Pgbraid"),
    # This is the code of another checkout, with a database of its own.
    "before": ("pgbraid_search", "Pgbraid"),
    "postgres": ("postgres", "Postgres"),
    "lancedb": ("lance", "Lance"),
    "textsearch": ("textsearch", "Textsearch"),
    "bare": ("bare", "Bare"),
    "langchain": ("langchain", "Langchain"),
    "sqlite": ("sqlite", "Sqlite"),
    "tantivy": ("tantivy_index", "Tantivy"),
    "bm25s": ("bm25s_arrays", "Bm25s"),
}
OURS = ("pgbraid", "before", "postgres", "textsearch", "bare")


def main() -> None:
    name, corpus, folder, dsn = sys.argv[1:]
    # Libraries print to standard output, which must carry only answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        module, class_name = ENGINES[name]
        kind = getattr(importlib.import_module(f"benchmarks.peers.engines.{module}"), class_name)
    except ImportError as error:
        say(answers, {"missing": str(error)})
        return
    engine: Engine = kind(Stored(Path(corpus)), Place(Path(folder), dsn))
    say(answers, {
        "ways": {mode: list(ways) for mode, ways in engine.ways.items()},
        "filtered": list(engine.filtered),
        "formula": engine.formula,
        "fusion": engine.fusion,
    })  # fmt: skip
    for line in sys.stdin:
        request = json.loads(line)
        say(answers, globals()[f"do_{request.pop('do')}"](engine, **request))


def say(answers: TextIO, answer: Any) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def do_load(engine: Engine) -> dict[str, float] | None:
    """Load the corpus; return seconds by step, or None if it was loaded before."""
    if engine.is_loaded():
        return None
    engine.place.folder.mkdir(parents=True, exist_ok=True)
    engine.load()
    return engine.seconds


def do_open(engine: Engine) -> str:
    return engine.open()


def do_ask(
    engine: Engine, mode: str, way: str, where: list[Any] | None, length: int, first: int, last: int, seconds: float
) -> dict[str, Any]:
    """Run at least three of the queries, and stop once their total time exceeds `seconds`. Return the milliseconds of
    each query, by the clock and of CPU, and the ids found."""
    restriction = Where(*where) if where else None
    milliseconds, cpu, found = [], [], []
    for query in engine.corpus.queries[length][first:last]:
        answer = engine.answer(mode, way, query, restriction)
        spent, started = engine.cpu_seconds(), time.perf_counter()
        ids = answer()
        milliseconds.append((time.perf_counter() - started) * 1000)
        cpu.append((engine.cpu_seconds() - spent) * 1000)
        found.append(ids)
        if len(found) >= 3 and sum(milliseconds) > seconds * 1000:
            break
    return {"milliseconds": milliseconds, "cpu": cpu, "found": found}


def do_run(engine: Engine, mode: str, way: str, first: int, seconds: float) -> dict[str, float]:
    """Run queries of all lengths, from the first on, for some seconds. Return how many, with their CPU in seconds."""
    queries = [query for of_length in zip(*engine.corpus.queries.values(), strict=True) for query in of_length]
    answers = [engine.answer(mode, way, query, None) for query in queries[first:] + queries[:first]]
    count, spent, started = 0, engine.cpu_seconds(), time.perf_counter()
    while (taken := time.perf_counter() - started) < seconds:
        answers[count % len(answers)]()
        count += 1
    return {"count": count, "seconds": taken, "cpu": engine.cpu_seconds() - spent}


def do_first(engine: Pgbraid, place: int) -> float:
    """Return the CPU milliseconds of a new session with one hybrid search."""
    queries = engine.corpus.queries[MIDDLE]
    return engine.first_search(queries[place % len(queries)])


def do_write(engine: Pgbraid, batch: int, first: int, count: int) -> dict[str, float]:
    """Write documents in batches to a collection of their own. Return the milliseconds of a document, by the clock and
    of the server's CPU."""
    return engine.write(batch, first, count)


def do_exact(
    engine: Engine, mode: str, way: str, where: list[Any] | None, length: int, first: int, last: int
) -> list[list[int] | None]:
    restriction = Where(*where) if where else None
    return [engine.exact(mode, way, query, restriction) for query in engine.corpus.queries[length][first:last]]


def do_size(engine: Engine) -> dict[str, int]:
    """Return the bytes on disk and in resident memory, which includes the shared buffers that a backend has touched."""
    status = Path(f"/proc/{engine.process_id() or os.getpid()}/status")
    resident = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
    return {"disk": engine.bytes_on_disk(), "memory": int(resident[0]) * 1024}


if __name__ == "__main__":
    main()
