"""Write the run's figures into docs/lab/measurements.md."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.full_text.report import number, p50, table
from benchmarks.pages import MEASUREMENTS, markdown_table, measured_on, write_section
from benchmarks.peers.corpora import IDENTIFIERS, LETTERS, MIDDLE
from benchmarks.peers.engine import FULL_TEXT, HYBRID, VECTOR
from benchmarks.peers.measure import Group

TITLES = {HYBRID: "Hybrid", FULL_TEXT: "Full text", VECTOR: "Vectors"}
STEPS = ("rows", "rows and text index", "text index", "vector index", "other indexes", "upkeep")


@dataclass
class Size:
    """Hold an engine's bytes, and its seconds by step of loading if they are known."""

    name: str
    about: str
    seconds: dict[str, float] | None
    disk: int
    memory: int

    def cells(self) -> list[str]:
        steps = "–"
        if self.seconds is not None:
            steps = ", ".join(f"{step} {number(self.seconds[step])}" for step in STEPS if step in self.seconds)
        total = "–" if self.seconds is None else number(sum(self.seconds.values()))
        return [total, steps, f"{self.disk / 1e6:,.0f}", f"{self.memory / 1e6:,.0f}"]


SIZE_COLUMNS = ["load, s", "of which", "on disk, MB", "memory, MB"]


@dataclass
class Results:
    version: int
    size: int
    size_of_identifiers: int
    query_count: int
    shared_buffers: str
    groups: dict[str, list[Group]] = field(default_factory=dict)
    sizes: dict[str, list[Size]] = field(default_factory=dict)


def print_sizes(corpus: str, sizes: list[Size]) -> None:
    table(f"{corpus}: load and size", SIZE_COLUMNS, [(size.name, size.cells()) for size in sizes])


def write_page(results: Results) -> None:
    write_section(MEASUREMENTS, f"peers-{results.version}", _section(results))


def _section(results: Results) -> str:
    abouts = dict.fromkeys(size.about.split(" (")[0] for sizes in results.sizes.values() for size in sizes)
    parts = [
        f"{measured_on()}. {results.size:,} documents, {results.query_count} queries of each length, `shared_buffers` "
        f"{results.shared_buffers}. {'. '.join(abouts)}."
    ]
    if LETTERS in results.groups:
        plain = [group for group in results.groups[LETTERS] if group.where is None]
        for group in plain:
            parts.append(f"**{TITLES[group.mode]}**, ms p50 / p95:" if group.mode != VECTOR else "**Vectors**, ms:")
            parts.append(markdown_table(["", *group.columns], [[row.label, *row.cells()] for row in group.rows]))
        for mode in (HYBRID, FULL_TEXT, VECTOR):
            parts += _filtered(mode, [group for group in results.groups[LETTERS] if group.where and group.mode == mode])
        parts += _sizes(results.sizes[LETTERS])
    for group in results.groups.get(IDENTIFIERS, []):
        parts.append(f"**Full text, {results.size_of_identifiers:,} texts with identifiers**, ms p50 / p95:")
        parts.append(markdown_table(["", *group.columns], [[row.label, *row.cells()] for row in group.rows]))
        parts += _sizes(results.sizes[IDENTIFIERS])
    return "\n\n".join(parts)


def _filtered(mode: str, groups: list[Group]) -> list[str]:
    if not groups:
        return []
    heading = ["", *(group.title.removeprefix(f"{mode}, ") for group in groups)]
    rows = [
        [row.label, *(f"{number(p50(group.rows[place].times[MIDDLE]))} ({group.rows[place].recall()})"
                      for group in groups)]
        for place, row in enumerate(groups[0].rows)
    ]  # fmt: skip
    words = "" if mode == VECTOR else f", {MIDDLE} words"
    return [f"**{TITLES[mode]} with a filter**, ms p50{words} (recall):", markdown_table(heading, rows)]


def _sizes(sizes: list[Size]) -> list[str]:
    return ["**Load and size**:", markdown_table(["", *SIZE_COLUMNS], [[size.name, *size.cells()] for size in sizes])]
