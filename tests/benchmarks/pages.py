"""Write a measurement's sections of README.md and docs/lab/measurements.md, each between two comments."""

from __future__ import annotations

import datetime
import os
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH = 118
README, MEASUREMENTS = ROOT / "README.md", ROOT / "docs" / "lab" / "measurements.md"


def write_section(page: Path, name: str, text: str) -> None:
    """Replace the text between `<!-- name: written by … -->` and `<!-- end of name -->`."""
    content = page.read_text(encoding="utf-8")
    text = "\n".join(_wrapped(line) for line in text.split("\n"))
    section = re.compile(rf"(<!-- {re.escape(name)}: [^\n]*-->\n).*?(<!-- end of {re.escape(name)} -->)", re.DOTALL)
    written, count = section.subn(lambda match: f"{match[1]}\n{text}\n\n{match[2]}", content)
    if count != 1:
        raise LookupError(f"{page.name} has {count} sections named {name}")
    page.write_text(written, encoding="utf-8")


def markdown_table(heading: list[str], rows: list[list[str]]) -> str:
    line = "|---|" + "---:|" * (len(heading) - 1)
    return "\n".join([_line(heading), line, *(_line(row) for row in rows)])


def _wrapped(line: str) -> str:
    """Wrap a line of prose; a row of a table stays as it is."""
    if line.startswith("|"):
        return line
    return textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def measured_on() -> str:
    """Return the day and the machine."""
    cpu = Path("/proc/cpuinfo")
    models = re.findall(r"model name\s*: (.+)", cpu.read_text()) if cpu.exists() else []
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = f" of {models[0]}" if models else ""
    return f"{datetime.date.today():%-d %B %Y}, {os.cpu_count()} cores{model}, {memory:.0f} GB"
