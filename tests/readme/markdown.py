"""Reading README.md: its fenced blocks, tables, links and inline code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text()
PROSE = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is where it opens."""

    language: str
    code: str
    line: int

    def __str__(self) -> str:
        return f"line {self.line}"


BLOCKS = tuple(
    Block(match[1], match[2], TEXT.count("\n", 0, match.start()) + 1)
    for match in re.finditer(r"^```(\S*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
)


def blocks(language: str) -> list[Block]:
    return [block for block in BLOCKS if block.language == language]


def section(title: str) -> str:
    """The text under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", PROSE, re.MULTILINE | re.DOTALL)
    assert found, f"README.md has no section {title!r}"
    return found[1]


def table(title: str) -> list[list[str]]:
    """The cells of a section's table, without its heading."""
    rows = [line.strip("|").split("|") for line in section(title).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def code(text: str) -> list[str]:
    """What stands between backquotes."""
    return re.findall(r"`([^`]+)`", text)


def inline(start: str) -> str:
    """The inline code that begins so."""
    (found,) = [text for text in code(PROSE.replace("\n", " ")) if text.startswith(start)]
    return found
