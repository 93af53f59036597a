"""Run the same queries on all engines, in turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from benchmarks.full_text.report import number, p50, p95, say, table
from benchmarks.peers.corpora import IDENTIFIERS, LENGTHS, MIDDLE, SHARES, Stored
from benchmarks.peers.engine import FULL_TEXT, HYBRID, VECTOR, Where
from benchmarks.peers.processes import Process
from benchmarks.peers.reference import Reference

# Each engine answers this number of queries in a row, with its data in the processor's caches, as in continuous use.
ROUND = 20
# A slow engine gets the queries of this number of seconds for each cell, once untimed and once timed.
SECONDS = 4.0
# The number of answers that are compared with exact answers of the same engine.
COMPARED = 20
FILTERS = {"third": "1/3 pass", "percent": "1 % pass", "rare": "0.05 % pass"}
BM25 = "lucene, alphanumeric"


@dataclass
class Row:
    """Hold the figures of one way to search: milliseconds by number of words, by the clock and of CPU, and recalls."""

    engine: str
    label: str
    times: dict[int, list[float]] = field(default_factory=dict)
    cpu: dict[int, list[float]] = field(default_factory=dict)
    recalls: list[float] = field(default_factory=list)
    # Recall is measured against BM25 although the engine ranks by another formula.
    is_foreign: bool = False

    def cells(self) -> list[str]:
        times = [f"{number(p50(of))} / {number(p95(of))}" for of in self.times.values()]
        return [*times, " / ".join(number(fmean(of)) for of in self.cpu.values()), self.recall()]

    def recall(self) -> str:
        if not self.recalls:
            return "–"
        mean = f"{fmean(self.recalls):.3f}"
        return f"({mean})" if self.is_foreign else mean


@dataclass
class Group:
    """Hold one table of figures."""

    title: str
    mode: str
    where: Where | None
    lengths: Sequence[int]
    rows: list[Row]

    @property
    def columns(self) -> list[str]:
        first, *others = self.lengths
        if self.mode == VECTOR:
            return ["ms", "CPU, ms", "recall"]
        return [f"{first} words", *(str(length) for length in others), "CPU, ms", "recall"]


def groups(
    corpus: Stored, processes: list[Process], query_count: int, filtered: Sequence[str] = (HYBRID, FULL_TEXT, VECTOR)
) -> Iterator[Group]:
    """Yield the tables of a corpus: all modes without a filter, and the modes `filtered` with each filter."""
    reference = Reference(corpus)
    wheres: list[Where | None] = [None, *(Where(key, declared) for key in SHARES for declared in (False, True))]
    if not corpus.has_vectors:
        wheres = [None]
    # The first round is discarded: the server's buffers are full of recently loaded data, which is partly still
    # unwritten.
    asked = [(process, way) for process in processes for way in process.ways.get(HYBRID, ()) if corpus.has_vectors]
    unused = Group("", HYBRID, None, LENGTHS, [Row(process.name, _label(process, way)) for process, way in asked])
    _ask(unused, asked, None, LENGTHS[0], query_count, reference, corpus)
    for where in wheres:
        for mode in (HYBRID, FULL_TEXT, VECTOR) if corpus.has_vectors else (FULL_TEXT,):
            if where and mode not in filtered:
                continue
            asked = [(process, way) for process in processes for way in process.ways.get(mode, ())]
            if where:
                asked = [(process, way) for process, way in asked if mode in process.filtered and "guide" not in way]
            # Vectors do not depend on the number of words.
            lengths = LENGTHS if where is None and mode != VECTOR else (MIDDLE,)
            rows = [Row(process.name, _label(process, way)) for process, way in asked]
            group = Group(_title(mode, where), mode, where, lengths, rows)
            for length in lengths:
                _ask(group, asked, where, length, query_count, reference, corpus)
            table(group.title, group.columns, [(row.label, row.cells()) for row in group.rows])
            yield group


def _label(process: Process, way: str) -> str:
    return f"{way} before" if process.name == "before" else way


def _title(mode: str, where: Where | None) -> str:
    if where is None:
        return mode
    return f"{mode}, {FILTERS[where.key]}, {'indexed' if where.declared else 'not indexed'}"


def _ask(
    group: Group,
    asked: list[tuple[Process, str]],
    where: Where | None,
    length: int,
    query_count: int,
    reference: Reference,
    corpus: Stored,
) -> None:
    mode = group.mode
    shared: dict[str, Any] = {"mode": mode, "where": where and list(where), "length": length}
    most = []
    for (process, way), row in zip(asked, group.rows, strict=True):
        untimed = process.do("ask", way=way, first=0, last=query_count, seconds=SECONDS, **shared)["found"]
        most.append(len(untimed))
        row.recalls += _recalls(process, way, shared, where, untimed, reference, corpus)
        row.is_foreign = mode == FULL_TEXT and process.formula is None
    for first in range(0, query_count, ROUND):
        for (process, way), row, count in zip(asked, group.rows, most, strict=True):
            last = min(first + ROUND, count)
            if first < last:
                answers = process.do("ask", way=way, first=first, last=last, seconds=1e9, **shared)
                row.times.setdefault(length, []).extend(answers["milliseconds"])
                row.cpu.setdefault(length, []).extend(answers["cpu"])


def _recalls(
    process: Process,
    way: str,
    shared: dict[str, Any],
    where: Where | None,
    found: list[list[int]],
    reference: Reference,
    corpus: Stored,
) -> list[float]:
    mode, length, formula = shared["mode"], shared["length"], process.formula
    if mode == VECTOR:
        return [reference.vectors(length, place, where, ids) for place, ids in enumerate(found)]
    if mode == FULL_TEXT:
        if process.name in ("pgbraid", "before") and corpus.name == IDENTIFIERS:
            # pgbraid counts a compound as itself and as its parts; tests/core/full_text compares these scores with a
            # model.
            return []
        return [reference.bm25(formula or BM25, length, place, where, ids) for place, ids in enumerate(found)]
    if process.fusion is not None and formula is not None:
        constant, depth = process.fusion
        return [
            reference.fused(formula, (constant, depth), length, place, where, ids) for place, ids in enumerate(found)
        ]
    compared = found[:COMPARED]
    exact = process.do("exact", way=way, first=0, last=len(compared), **shared)
    return [
        len(set(ids).intersection(best)) / len(best) if best else 1.0
        for ids, best in zip(compared, exact, strict=True)
        if best is not None
    ]


def load(processes: list[Process]) -> dict[str, dict[str, float]]:
    """Return seconds by engine and step for the engines that were not loaded before."""
    seconds = {}
    for process in processes:
        say(f"  loading {process.name}")
        taken = process.do("load")
        if taken is not None:
            seconds[process.name] = taken
    return seconds
