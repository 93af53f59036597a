"""Check that README.md's figures are in docs/lab/measurements.md, and that measurements can write both pages."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from benchmarks.goals import page as goals_page
from benchmarks.memory import scores
from benchmarks.pages import MEASUREMENTS, markdown_table, write_section
from benchmarks.pages import README as README_PATH
from benchmarks.pains.page import PAGE as PAINS_PATH
from benchmarks.peers import page as peers_page
from benchmarks.peers.engine import FULL_TEXT, HYBRID, VECTOR, Where
from benchmarks.peers.measure import Group, Row
from benchmarks.peers.page import Results, Size, write_page
from docs.markdown import README, Table, page

pytestmark = pytest.mark.any_version
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
SECTIONS = {
    MEASUREMENTS: {
        "peers-18",
        "peers-16",
        "goals-18",
        "goals-16",
        "writing",
        "loading",
        "week",
        "quality",
        "throughput",
    },
    README_PATH: {"speed", "quality"},
    PAINS_PATH: {"pains"},
}


def figures(row: list[str]) -> list[str]:
    return [figure for cell in row[1:] for figure in FIGURE.findall(cell)]


def measured() -> list[Table]:
    start = README.text.index("## How fast")
    section = README.text[start : README.text.index("\n## ", start)]
    return [table for table in README.tables if f"| {' | '.join(table.rows[0])} |" in section]


def test_readme_has_no_figure_that_is_not_measured() -> None:
    tables = measured()
    assert len(tables) == 2, [table.heading for table in tables]
    rows = [row for table in page("docs/lab/measurements.md").tables for row in table.rows]
    for row in (row for table in tables for row in table.rows):
        # The prefix "full text: " names the table in which the row is.
        label = row[0].split(": ")[-1]
        known = [figures(measured_row) for measured_row in rows if measured_row[0].startswith(label)]
        assert figures(row), row
        assert any(set(figures(row)) <= set(there) for there in known), row


def test_the_sections_that_are_written_are_there() -> None:
    for path, names in SECTIONS.items():
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"<!-- ([\w-]+): written by make bench [^\n]*-->", text)) == names
        assert set(re.findall(r"<!-- end of ([\w-]+) -->", text)) == names


def test_measures_of_memory() -> None:
    """The measures are computed as docs/lab/memory-benchmark.md defines them."""
    found = scores([["a", "x", "y", "z", "w", "b"], ["x"]], [{"a": 1, "b": 1, "c": 1, "x": 0}, {"d": 1}])
    first = {name: values[0] for name, values in found.items()}
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert first.pop("nDCG@10") == pytest.approx((1 + 1 / math.log2(7)) / best)
    assert first == pytest.approx(
        {"any@5": 1, "all@5": 0, "recall@5": 1 / 3, "any@10": 1, "all@10": 0, "recall@10": 2 / 3}
    )
    assert all(values[1] == 0 for values in found.values())


def test_a_section_is_written_anew_and_nothing_else(tmp_path: Path) -> None:
    written = tmp_path / "page.md"
    written.write_text("before\n<!-- one: written by x -->\n\nold\n\n<!-- end of one -->\nafter\n")
    for text in ("first", markdown_table(["", "ms"], [["a\\b", "1.5"]])):
        write_section(written, "one", text)
        assert written.read_text() == (f"before\n<!-- one: written by x -->\n\n{text}\n\n<!-- end of one -->\nafter\n")
    with pytest.raises(LookupError, match="0 sections named two"):
        write_section(written, "two", "text")


def test_what_a_run_measured_is_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measurements = tmp_path / "measurements.md"
    measurements.write_text(MEASUREMENTS.read_text(encoding="utf-8"))
    monkeypatch.setattr(peers_page, "MEASUREMENTS", measurements)
    times = {2: [1.25] * 20, 4: [2.5] * 20, 8: [1300.0] * 20}
    cpu = {length: [value / 2 for value in values] for length, values in times.items()}
    four = {4: times[4]}, {4: cpu[4]}
    where = Where("percent", declared=True)
    rows = [Row("pgbraid", "pgbraid", times, cpu, [0.5, 1.0]), Row("another", "another", times, cpu)]
    foreign = Row("postgres", "ts_rank_cd over GIN", times, cpu, [0.25], is_foreign=True)
    groups = [
        Group("hybrid", HYBRID, None, (2, 4, 8), rows),
        Group("full text", FULL_TEXT, None, (2, 4, 8), [foreign]),
        Group("vector", VECTOR, None, (4,), [Row("pgbraid", "pgbraid", *four, [1.0])]),
        Group("hybrid, 1 % pass, indexed", HYBRID, where, (4,), [Row("pgbraid", "pgbraid", *four, [0.875])]),
    ]
    sizes = [Size("pgbraid", "pgbraid 9.9.9", {"rows": 1.5, "upkeep": 2.0}, 3_000_000, 4_000_000)]
    write_page(Results(18, 1000, 250, 20, "2GB", {"letters": groups}, {"letters": sizes}))

    page_text = measurements.read_text(encoding="utf-8")
    for line in (
        "| pgbraid | 1.25 / 1.25 | 2.50 / 2.50 | 1,300 / 1,300 | 0.62 / 1.25 / 650 | 0.750 |",
        "| another | 1.25 / 1.25 | 2.50 / 2.50 | 1,300 / 1,300 | 0.62 / 1.25 / 650 | – |",
        "| ts_rank_cd over GIN | 1.25 / 1.25 | 2.50 / 2.50 | 1,300 / 1,300 | 0.62 / 1.25 / 650 | (0.250) |",
        "| pgbraid | 2.50 / 2.50 | 1.25 | 1.000 |",
        "|  | 1 % pass, indexed |",
        "| pgbraid | 2.50 (0.875) |",
        "| pgbraid | 3.50 | rows 1.50, upkeep 2.00 | 3 | 4 |",
    ):
        assert line in page_text.splitlines()
    assert "1,000 documents" in page_text and "pgbraid 9.9.9" in page_text


def test_goals_are_ratios_of_what_one_run_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme, measurements = tmp_path / "README.md", tmp_path / "measurements.md"
    readme.write_text(README_PATH.read_text(encoding="utf-8"))
    measurements.write_text(MEASUREMENTS.read_text(encoding="utf-8"))
    monkeypatch.setattr(goals_page, "README", readme)
    monkeypatch.setattr(goals_page, "MEASUREMENTS", measurements)
    rows = [
        {"engine": engine, "label": label, "ms": {"2": ms, "4": ms * 2, "8": ms * 4}, "cpu": {"2": 1, "4": cpu, "8": 3},
         "recall": None}
        for engine, label, ms, cpu in (("pgbraid", "pgbraid", 10, 8), ("before", "pgbraid before", 20, 16),
                                       ("lancedb", "LanceDB", 5, 10))
    ]  # fmt: skip
    figures = {
        "size": 1000, "version": 18, "machine": "1 June", "queries": 20, "shared_buffers": "2GB", "abouts": {},
        "groups": [{"mode": HYBRID, "filter": None, "declared": None, "rows": rows}],
        "throughput": {HYBRID: {"pgbraid": {"rate": 90}, "before": {"rate": 45}, "lancedb": {"rate": 60}}},
        "sessions": {"pgbraid": 30, "before": 60}, "disk": {"pgbraid": 1_500_000, "lancedb": 500_000},
    }  # fmt: skip
    goals_page.write_pages(figures)
    lines = measurements.read_text(encoding="utf-8").splitlines()
    for line in (
        "| hybrid, 2 / 4 / 8 words: CPU, ms; LanceDB | 1.00 / 16.0 / 3.00 | 1.00 / 8.00 / 3.00 | 1.00 / 10.0 / 3.00 |"
        " 1.00 / 1.60 / 1.00 | 1.00 / 0.80 / 1.00 |",
        "| hybrid: searches a second, four clients; LanceDB | 45.0 | 90.0 | 60.0 | 0.75 | 1.50 |",
        "| first hybrid of a session: CPU, ms | 60.0 | 30.0 |  |  | 0.50 |",
        "| on disk, MB; LanceDB | – | 1.50 | 0.50 | – | 3.00 |",
    ):
        assert line in lines
    lines = readme.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith(("| hybrid:", "| full text:"))] == [
        "| hybrid: pgbraid | 10.0 | 20.0 | 40.0 | 8.00 | 90.0 |",
        "| hybrid: LanceDB | 5.00 | 10.0 | 20.0 | 10.0 | 60.0 |",
    ]
