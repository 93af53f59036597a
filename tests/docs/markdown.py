"""Read README.md and the pages of docs/: their fenced blocks, tables, links and inline code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
# The groups are the language, the code, and the block below it that shows the output.
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """Hold a fenced block; `line` is its first line, `output` the output that the page shows below it, or None."""

    page: str
    language: str
    code: str
    output: str | None
    line: int

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Table:
    """Hold a table; `heading` has the cells of its first line."""

    page: str
    heading: list[str]
    rows: list[list[str]]


class Page:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.relative_to(ROOT).as_posix()
        self.text = path.read_text()
        self.prose = re.sub(r"^```.*?^```$", "", self.text, flags=re.MULTILINE | re.DOTALL)

    def __str__(self) -> str:
        return self.name

    @cached_property
    def blocks(self) -> list[Block]:
        return [
            Block(self.name, match[1], match[2], match[3], self.text.count("\n", 0, match.start()) + 1)
            for match in FENCE.finditer(self.text)
        ]

    @cached_property
    def tables(self) -> list[Table]:
        found = re.findall(r"(?:^\|.*\n)+", self.prose + "\n", re.MULTILINE)
        parsed = [[cells(line) for line in lines.splitlines()] for lines in found]
        return [Table(self.name, rows[0], rows[2:]) for rows in parsed]

    @cached_property
    def links(self) -> list[str]:
        return re.findall(r"\]\(([^)\s]+)\)", self.prose)

    @cached_property
    def anchors(self) -> set[str]:
        """Return the anchors that GitHub makes from headings."""
        titles = re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE)
        return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


PAGES = [Page(path) for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]
README = PAGES[0]
CHANGELOG = Page(ROOT / "CHANGELOG.md")


def page(name: str) -> Page:
    (found,) = [page for page in PAGES if page.name == name]
    return found


def blocks(language: str) -> list[Block]:
    return [block for page in PAGES for block in page.blocks if block.language == language]


def tables(*heading: str) -> Iterator[Table]:
    """Yield the tables with a first line that begins with these cells."""
    for page in PAGES:
        for table in page.tables:
            if table.heading[: len(heading)] == list(heading):
                yield table


def code(text: str) -> list[str]:
    """Return the texts between backquotes."""
    return re.findall(r"`([^`]+)`", text)


def inline(start: str) -> str:
    """Return the inline code that begins with this text."""
    (found,) = {text for page in PAGES for text in code(page.prose.replace("\n", " ")) if text.startswith(start)}
    return found
