"""What README.md tells of speed and quality stands in docs/measurements.md; what measures can write both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.pages import MEASUREMENTS, markdown_table, write_section
from benchmarks.pages import README as README_PATH
from docs.markdown import README, Table, page

pytestmark = pytest.mark.any_version
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?|\.\d+")
SECTIONS = {MEASUREMENTS: {"peers-18", "peers-16", "writing", "quality"}, README_PATH: {"speed", "quality"}}


def figures(row: list[str]) -> list[str]:
    return [figure for cell in row[1:] for figure in FIGURE.findall(cell)]


def measured() -> list[Table]:
    start = README.text.index("## How fast")
    section = README.text[start : README.text.index("\n## ", start)]
    return [table for table in README.tables if f"| {' | '.join(table.rows[0])} |" in section]


def test_readme_has_no_figure_that_is_not_measured() -> None:
    tables = measured()
    assert len(tables) == 2, [table.heading for table in tables]
    rows = [row for table in page("docs/measurements.md").tables for row in table.rows]
    for row in (row for table in tables for row in table.rows):
        # "full text: pgbraid" is a row of pgbraid's in the table of full text.
        label = row[0].split(": ")[-1]
        known = [figures(measured_row) for measured_row in rows if measured_row[0].startswith(label)]
        assert figures(row), row
        assert any(set(figures(row)) <= set(there) for there in known), row


def test_the_sections_that_are_written_are_there() -> None:
    for path, names in SECTIONS.items():
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"<!-- ([\w-]+): written by make bench [^\n]*-->", text)) == names
        assert set(re.findall(r"<!-- end of ([\w-]+) -->", text)) == names


def test_a_section_is_written_anew_and_nothing_else(tmp_path: Path) -> None:
    written = tmp_path / "page.md"
    written.write_text("before\n<!-- one: written by x -->\n\nold\n\n<!-- end of one -->\nafter\n")
    for text in ("first", markdown_table(["", "ms"], [["a\\b", "1.5"]])):
        write_section(written, "one", text)
        assert written.read_text() == (
            f"before\n<!-- one: written by x -->\n\n{text}\n\n<!-- end of one -->\nafter\n"
        )
    with pytest.raises(LookupError, match="0 sections named two"):
        write_section(written, "two", "text")
