"""Write the figures as tables: the goals with their ratios, README.md's table, and docs/lab/measurements.md."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.full_text.report import number
from benchmarks.pages import MEASUREMENTS, README, markdown_table, write_section
from benchmarks.peers.corpora import LENGTHS, MIDDLE
from benchmarks.peers.engine import FULL_TEXT, HYBRID, VECTOR
from benchmarks.peers.engines.postgres import GUIDE_ANY

FILTERS = {"third": "1/3", "percent": "1 %", "rare": ".05 %"}
HEADING = ["", "before", "now", "beside it", "before, ratio", "now, ratio"]
LABELS = {
    "pgbraid": "pgbraid",
    "before": "pgbraid before",
    "lancedb": "LanceDB",
    "textsearch": "pg_textsearch + HNSW by hand",
    "postgres": "PostgreSQL",
}
TITLES = {HYBRID: "Hybrid", FULL_TEXT: "Full text", VECTOR: "Vectors"}
# The way that is shown of an engine with several ways, and whose throughput is measured.
SHOWN = {"postgres": GUIDE_ANY}
MAIN_VERSION = 18
Figures = Mapping[str, Any]
# A row's name, its figures before, now and beside it, as texts, and both ratios.
Goal = list[str]


def goals(figures: Figures) -> list[Goal]:
    """Return the table of goals; a figure that was not measured is a dash."""
    made = []
    lengths = [str(length) for length in LENGTHS]
    words = " / ".join(lengths)

    def beside(title: str, mode: str, peer: str, kind: str, keys: list[str], where: Any = None) -> None:
        before, now, other = (
            _row(figures, mode, engine, where).get(kind, {}) for engine in ("before", "pgbraid", peer)
        )
        made.append([title, *(_many(of, keys) for of in (before, now, other)), _ratios(before, other, keys),
                     _ratios(now, other, keys)])  # fmt: skip

    beside(f"hybrid, {words} words: CPU, ms; LanceDB", HYBRID, "lancedb", "cpu", lengths)
    beside(f"hybrid, {words} words: clock, ms; LanceDB", HYBRID, "lancedb", "ms", lengths)
    beside(f"hybrid, {words} words: clock, ms; pg_textsearch + HNSW", HYBRID, "textsearch", "ms", lengths)
    beside(f"hybrid, {words} words: CPU, ms; pg_textsearch + HNSW", HYBRID, "textsearch", "cpu", lengths)
    for mode in (HYBRID, FULL_TEXT):
        rates = {name: {"": of["rate"]} for name, of in figures.get("throughput", {}).get(mode, {}).items()}
        before, now, other = (rates.get(name, {}) for name in ("before", "pgbraid", "lancedb"))
        made.append([f"{mode}: searches a second, four clients; LanceDB",
                     *(_many(of, [""]) for of in (before, now, other)), _ratios(before, other, [""]),
                     _ratios(now, other, [""])])  # fmt: skip
    beside("semantic: CPU, ms; a bare index scan", VECTOR, "bare", "cpu", [str(MIDDLE)])
    beside("semantic: clock, ms; a bare index scan", VECTOR, "bare", "ms", [str(MIDDLE)])
    beside("semantic: clock, ms; LanceDB", VECTOR, "lancedb", "ms", [str(MIDDLE)])
    beside(f"full text, {words} words: clock, ms; pg_textsearch", FULL_TEXT, "textsearch", "ms", lengths)
    beside(f"full text, {words} words: CPU, ms; LanceDB", FULL_TEXT, "lancedb", "cpu", lengths)
    for key, share in FILTERS.items():
        for declared in (False, True):
            kind = "indexed" if declared else "not indexed"
            beside(f"hybrid, {share} pass, {kind}: clock, ms; LanceDB", HYBRID, "lancedb", "ms", [str(MIDDLE)],
                   (key, declared))  # fmt: skip
            beside(f"hybrid, {share} pass, {kind}: CPU, ms; LanceDB", HYBRID, "lancedb", "cpu", [str(MIDDLE)],
                   (key, declared))  # fmt: skip
    made.append(_alone("first hybrid of a session: CPU, ms", figures.get("sessions", {})))
    made.append(_alone("hybrid of 100 chunks: CPU, ms", figures.get("small", {})))
    for batch, of_batch in figures.get("writes", {}).items():
        for kind, title in (("cpu", "server's CPU"), ("clock", "clock")):
            told = {name: of[kind] for name, of in of_batch.items()}
            made.append(_alone(f"add_documents of {batch}: {title}, ms a document", told))
    disk = {name: {"": size / 1e6} for name, size in figures.get("disk", {}).items()}
    before, now, other = (disk.get(name, {}) for name in ("before", "pgbraid", "lancedb"))
    made.append(["on disk, MB; LanceDB", *(_many(of, [""]) for of in (before, now, other)),
                 _ratios(before, other, [""]), _ratios(now, other, [""])])  # fmt: skip
    return made


def _alone(title: str, told: Mapping[str, float]) -> Goal:
    before, now = ({"": told[name]} if name in told else {} for name in ("before", "pgbraid"))
    return [title, _many(before, [""]), _many(now, [""]), "", "", _ratios(now, before, [""])]


def _row(figures: Figures, mode: str, engine: str, where: tuple[str, bool] | None = None) -> Mapping[str, Any]:
    for group in figures.get("groups", []):
        if group["mode"] == mode and (group["filter"], group["declared"]) == (where or (None, None)):
            rows = [row for row in group["rows"] if row["engine"] == engine]
            shown = [row for row in rows if row["label"] == SHOWN.get(engine)] or rows
            return shown[0] if shown else {}
    return {}


def _many(values: Mapping[str, float], keys: list[str]) -> str:
    return " / ".join(number(values[key]) if key in values else "–" for key in keys)


def _ratios(values: Mapping[str, float], others: Mapping[str, float], keys: list[str]) -> str:
    both = (key in values and key in others for key in keys)
    return " / ".join(
        f"{values[key] / others[key]:.2f}" if is_known else "–" for key, is_known in zip(keys, both, strict=True)
    )


def lines(table: list[Goal]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in [HEADING, *table]) for place in range(len(HEADING))]
    for row in [HEADING, *table]:
        yield "  ".join(
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )


def write_pages(figures: Figures) -> None:
    abouts = ". ".join(
        f"{LABELS[name]}: {about}" for name, about in figures.get("abouts", {}).items() if name in LABELS
    )
    head = (
        f"{figures['machine']}. {figures['size']:,} documents, {figures['queries']} queries of each length, "
        f"`shared_buffers` {figures['shared_buffers']}. {abouts}."
    )
    parts = [head]
    for mode in (HYBRID, FULL_TEXT, VECTOR):
        if table := _searches(figures, mode):
            parts += [f"**{TITLES[mode]}**, ms p50:", table]
    parts += ["**Beside others, and before**:", markdown_table(HEADING, goals(figures))]
    write_section(MEASUREMENTS, f"goals-{figures['version']}", "\n\n".join(parts))
    if figures["version"] == MAIN_VERSION:
        write_section(README, "speed", _readme(figures))


def _searches(figures: Figures, mode: str) -> str:
    lengths = [str(MIDDLE)] if mode == VECTOR else [str(length) for length in LENGTHS]
    rows = []
    for group in figures.get("groups", []):
        if group["mode"] == mode and group["filter"] is None:
            for row in group["rows"]:
                rate = _rate(figures, mode, row) if mode != VECTOR else "–"
                recall = "–" if row["recall"] is None else f"{row['recall']:.3f}"
                rows.append([row["label"], *(number(row["ms"][length]) for length in lengths),
                             _many(row["cpu"], lengths), rate, recall])  # fmt: skip
    first = "ms" if mode == VECTOR else f"{lengths[0]} words"
    heading = ["", first, *lengths[1:], "CPU, ms", "searches a second, 4 clients", "recall"]
    return markdown_table(heading, rows) if rows else ""


def _rate(figures: Figures, mode: str, row: Mapping[str, Any]) -> str:
    """Return the throughput, if it was measured for this way."""
    if _row(figures, mode, row["engine"]).get("label") != row["label"]:
        return "–"
    rate = figures.get("throughput", {}).get(mode, {}).get(row["engine"], {}).get("rate")
    return "–" if rate is None else number(rate)


def _readme(figures: Figures) -> str:
    heading = [f"the best 10 of {figures['size']:,} texts on {os.cpu_count()} cores: ms; words in the query",
               *map(str, LENGTHS), "CPU, ms", "searches a second, 4 clients"]  # fmt: skip
    rows = []
    for mode in (HYBRID, FULL_TEXT):
        for name in ("pgbraid", "lancedb", "textsearch", "postgres"):
            if row := _row(figures, mode, name):
                rows.append([f"{mode}: {row['label']}", *(number(row["ms"][str(length)]) for length in LENGTHS),
                             number(row["cpu"][str(MIDDLE)]), _rate(figures, mode, row)])  # fmt: skip
    return markdown_table(heading, rows)
