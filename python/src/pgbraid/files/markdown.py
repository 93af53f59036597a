"""Markdown: front matter, headings, and blocks that stay whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from pgbraid.files.chunks import Block, drafts_of_blocks
from pgbraid.files.dates import date_in_name, iso_date
from pgbraid.files.drafts import Draft, Input
from pgbraid.files.library import has_library, library
from pgbraid.files.text import read_lines

__all__ = ["blocks_of_lines", "first_heading", "markdown_drafts"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_TABLE = re.compile(r" {0,3}\|")
MOST_FRONT_MATTER_LINES = 500
MOST_FRONT_MATTER_VALUES = 1_000
# A longer block is cut, so that a file of one list is not held as a whole.
MOST_BLOCK_CHARACTERS = 200_000


def markdown_drafts(file: Input) -> Iterator[Draft]:
    lines = read_lines(file)
    values, lines, is_understood = _front_matter(file, lines)
    if not is_understood:
        yield Draft(lacking="front matter is read as text")
    blocks = blocks_of_lines(lines)
    if "title" not in values:
        title, blocks = first_heading(blocks)
        values["title"] = title or file.title
    yield from drafts_of_blocks(file, blocks, values)


def blocks_of_lines(lines: Iterable[tuple[str, int]]) -> Iterator[Block]:
    """Blocks that put together are the text."""
    stack: list[tuple[int, str]] = []
    held: list[str] = []
    kind = ""
    size = position = 0
    fence = ""
    after_blank = False

    def block(is_heading: bool = False) -> Block:
        nonlocal held, size, kind
        made = Block("".join(held), tuple(name for _, name in stack), is_heading, position=position)
        held, size, kind = [], 0, ""
        return made

    for line, reached in lines:
        position = reached
        blank = not line.strip()
        if fence:
            held.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
                kind = "closed"
        elif found := _FENCE.match(line):
            if held:
                yield block()
            fence, kind = found[1], "fence"
            held.append(line)
        elif found := _HEADING.match(line):
            if held:
                yield block()
            level, name = len(found[1]), (found[2] or "").strip()
            while stack and stack[-1][0] >= level:
                stack.pop()
            held.append(line)
            yield block(is_heading=True)
            if name:
                stack.append((level, name))
        elif kind == "paragraph" and len(held) == 1 and not after_blank and (found := _UNDERLINE.match(line)):
            level, name = 1 if found[1][0] == "=" else 2, held[0].strip()
            while stack and stack[-1][0] >= level:
                stack.pop()
            held.append(line)
            yield block(is_heading=True)
            stack.append((level, name))
        elif blank:
            held.append(line)
        else:
            new = "table" if _TABLE.match(line) else "list" if _ITEM.match(line) else "paragraph"
            indented = line[:2].isspace()
            # A list goes on behind blank lines with its next item or an indented line, other blocks end there.
            goes_on = (
                (kind == "list" and (new == "list" or indented or not after_blank))
                or (kind == new and not after_blank)
                or (kind == "paragraph" and new == "list" and not after_blank)
            )
            if (held and kind and not goes_on) or kind == "closed":
                yield block()
            held.append(line)
            kind = kind if goes_on and kind else new
        after_blank = blank
        size += len(line)
        if size > MOST_BLOCK_CHARACTERS:
            kept = kind
            yield block()
            kind = kept
    if held:
        yield block()


def first_heading(blocks: Iterator[Block]) -> tuple[str | None, Iterator[Block]]:
    """The first heading of at most the first hundred blocks, and all blocks."""
    seen: list[Block] = []
    for block in blocks:
        seen.append(block)
        if block.is_heading:
            name = block.text.splitlines()[0].strip().lstrip("#").strip()
            name = re.sub(r"[ \t]+#+$", "", name).strip()
            if name:
                return name, chain(seen, blocks)
        if len(seen) == 100:
            break
    return None, chain(seen, blocks)


def _front_matter(
    file: Input, lines: Iterator[tuple[str, int]]
) -> tuple[dict[str, Any], Iterator[tuple[str, int]], bool]:
    """The values of the lines between --- at the start of a file, the lines behind them, and whether these lines could
    be read if there are any."""
    day = date_in_name(file.path.name)
    values: dict[str, Any] = {"occurred_at": day} if day else {}
    seen: list[tuple[str, int]] = []
    for line, position in lines:
        seen.append((line, position))
        if (len(seen) == 1 and line.rstrip() != "---") or len(seen) > MOST_FRONT_MATTER_LINES:
            break
        if len(seen) > 1 and line.rstrip() in ("---", "..."):
            if not has_library("yaml"):
                return values, chain(seen, lines), False
            found = _parse(file, "".join(text for text, _ in seen[1:-1]))
            if found is None:
                break
            return {**values, **found}, lines, True
    return values, chain(seen, lines), True


def _parse(file: Input, text: str) -> dict[str, Any] | None:
    """The keys of a document in YAML. None if it is no front matter, as a text between two lines."""
    yaml = library("yaml", "front matter")
    try:
        loaded = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        plain = _plain(loaded, [0])
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise file.error(
            f"the front matter is no YAML: {problem}",
            line=mark.line + 2 if mark else None,
            hint="correct what is between the lines ---, or remove them",
        ) from error
    if not isinstance(plain, dict):
        return None
    values: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    for key, value in plain.items():
        name = str(key).lower()
        if name in ("title", "speaker", "category", "language") and isinstance(value, (str, int, float)):
            values[name] = str(value)
        elif name in ("author", "date", "created", "published", "tags", "keywords", "importance"):
            _take(name, value, values, metadata, str(key))
        else:
            metadata[str(key)] = value
    if values.get("language") and not re.fullmatch("[a-z_]{4,}", values["language"]):
        # "en" is no text search configuration's name.
        metadata["language"] = values.pop("language")
    return {**values, **({"metadata": metadata} if metadata else {})}


def _take(name: str, value: Any, values: dict[str, Any], metadata: dict[str, Any], key: str) -> None:
    if name in ("date", "published", "created"):
        if (day := iso_date(value)) and (name == "date" or "occurred_at" not in values):
            values["occurred_at"] = day
        metadata[key] = value
    elif name in ("tags", "keywords") and isinstance(value, str):
        metadata[key] = [tag.strip() for tag in re.split(r"[,;]", value) if tag.strip()]
    elif name == "importance" and isinstance(value, (int, float)) and not isinstance(value, bool):
        values["importance"] = value
    else:
        metadata[key] = value


def _plain(value: Any, count: list[int]) -> Any:
    """As JSON has it. Aliases may make a short text into a huge value, so there is a limit."""
    count[0] += 1
    if count[0] > MOST_FRONT_MATTER_VALUES:
        raise ValueError(f"more than {MOST_FRONT_MATTER_VALUES} values")
    if isinstance(value, dict):
        return {str(key): _plain(inner, count) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(inner, count) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return iso_date(value) or str(value)
