"""Write Markdown: paragraphs, lists and tables, with names and JSON as code."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[4]
FOLDER = ROOT / "docs" / "reference"
WIDTH = 118
CELL = 150
# JSON objects and arrays, four levels deep, and names with an underscore.
BRACES = r"\{[^{}]*\}"
for _ in range(3):
    BRACES = rf"\{{(?:[^{{}}]|{BRACES})*\}}"
CODE = re.compile(
    rf"""\[(?:(?:{BRACES}|"[^"]*")(?:, )?)+\]|'{BRACES}'|{BRACES}|"[\w.]*"(?! \w+")|"""
    r"\$?\b[A-Z]+(?:_[A-Z]+)+\b|(?<![\w-])--[a-z][\w-]*|"
    r"\b(?:braid\.)?[a-z0-9]+(?:_[a-z0-9]+)+\b(?:\(\))?|\bbraid\.[a-z]+(?:\(\))?"
)
SPAN = re.compile(r"\[[^]]*\]\([^)\s]*\)|`[^`]*`")
PAGE = re.compile(r"\bdocs/([\w/-]+\.md)(#[\w-]+)?")
# At the start of a line, these would begin a list item, a heading or a quotation.
MARKER = re.compile(r" (?=(?:[-+*>#=|]+|\d+[.)])(?: |$))")


def coded(text: str, links: Mapping[str, str] | None = None) -> str:
    """Return prose of a comment as Markdown: JSON and names as code, the first mention of a known name as a link."""
    left = dict(links or {})

    def code(found: re.Match[str]) -> str:
        name = found[0].removesuffix("()")
        link = left.pop(name.removeprefix("braid."), left.pop(name, None))
        return f"[`{found[0]}`]({link})" if link else f"`{found[0]}`"

    def plain(part: str) -> str:
        pieces, place = [], 0
        for found in CODE.finditer(part):
            pieces += [escaped(part[place : found.start()]), code(found)]
            place = found.end()
        return "".join([*pieces, escaped(part[place:])])

    linked = PAGE.sub(lambda found: f"[{Path(found[1]).stem}](../{found[1]}{found[2] or ''})", text)
    pieces, place = [], 0
    for found in SPAN.finditer(linked):
        pieces += [plain(linked[place : found.start()]), found[0]]
        place = found.end()
    return "".join([*pieces, plain(linked[place:])])


def escaped(text: str) -> str:
    return re.sub(r"([*<\\])", r"\\\1", text)


def wrapped(text: str, first: str = "", later: str = "") -> list[str]:
    """Return the lines of a paragraph."""
    kept = MARKER.sub("\0", " ".join(text.split()))
    lines = textwrap.wrap(
        kept, WIDTH, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def item(text: str, level: int = 0) -> list[str]:
    """Return the lines of a list item."""
    indent = "  " * level
    return wrapped(text, f"{indent}- ", f"{indent}  ")


def brief(text: str) -> str:
    """Return text that fits a table cell: the first sentence, without its second half if it is long."""
    first = re.split(r"(?<=[.]) |\n", text)[0]
    if len(first) > CELL:
        first = re.split(r"[:;] ", first)[0]
        if first.count("(") > first.count(")"):
            first = first.rpartition(" (")[0]
        first = first.rstrip(".") + "."
    return first


def table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Return the lines of a table."""
    titles = list(heading)
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return [line(titles), "|" + "---|" * len(titles), *map(line, cells)]


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def block(code: str, language: str = "plpgsql") -> list[str]:
    """Return a code block that the tests of the pages do not run; other tests run the examples in headers."""
    return [f"```{language}", *code.splitlines(), "```"]


def document(*parts: Iterable[str]) -> str:
    """Return a page, with a blank line between parts."""
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def guide(page: str) -> str:
    """Return a link to a page of docs/, such as `reference/options.md`."""
    path, _, _ = page.partition("#")
    return f"[{Path(path).stem}](../{page})"
