"""Read Markdown: front matter, headings, and blocks that stay whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Any

from pgbraid.long_numbers import fraction
from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name, iso_date
from pgbraid_tools.files.drafts import Draft, Input
from pgbraid_tools.files.library import has_library, library
from pgbraid_tools.files.text import read_lines

__all__ = ["blocks_of_lines", "first_heading", "markdown_drafts"]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_TABLE = re.compile(r" {0,3}\|")
_FRONT_MATTER = {"---": ("---", "..."), "+++": ("+++",)}
_YAML_KEY = re.compile(r"([^\s#:-][^:\n]*):(?=\s)[ \t]*")
_TOML_KEY = re.compile(r"([\w\"'.-]+)[ \t]*=[ \t]*|\[+[^\]\n]+\]+")
MOST_FRONT_MATTER_LINES = 500
MOST_FRONT_MATTER_VALUES = 1_000
# A longer block is cut, so that a file that is one long list is not held in memory as a whole.
MOST_BLOCK_CHARACTERS = 200_000


def markdown_drafts(file: Input) -> Iterator[Draft]:
    lines = read_lines(file)
    values, lines, note = _front_matter(file, lines)
    if note:
        yield note
    blocks = blocks_of_lines(lines)
    if "title" not in values:
        title, blocks = first_heading(blocks)
        values["title"] = title or file.title
    yield from drafts_of_blocks(file, blocks, values)


def blocks_of_lines(lines: Iterable[tuple[str, int]]) -> Iterator[Block]:
    """Yield blocks that, joined, are the text."""
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
            # After blank lines, a list continues with its next item or an indented line; other blocks end there.
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
    """Return the first heading among the first hundred blocks, and an iterator over all blocks."""
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
) -> tuple[dict[str, Any], Iterator[tuple[str, int]], Draft | None]:
    """Return the values of the front matter, the lines behind it, and a warning as a draft if a part could not be read.

    Front matter is YAML between two lines ---, or TOML between two lines +++.
    """
    day = date_in_name(file.path.name)
    values: dict[str, Any] = {"occurred_at": day} if day else {}
    seen: list[tuple[str, int]] = []
    for line, position in lines:
        seen.append((line, position))
        begin = seen[0][0].rstrip()
        if begin not in _FRONT_MATTER or len(seen) > MOST_FRONT_MATTER_LINES:
            break
        if len(seen) > 1 and line.rstrip() in _FRONT_MATTER[begin]:
            text = "".join(text for text, _ in seen[1:-1])
            if begin == "+++":
                if _toml() is None:
                    return values, chain(seen, lines), Draft(lacking="front matter is read as text")
                found, problem = _parse_toml(file, text)
            else:
                if not has_library("yaml"):
                    return values, chain(seen, lines), Draft(lacking="front matter is read as text")
                found, problem = _parse_yaml(file, text)
            if found is None:
                break
            return {**values, **_values(found)}, lines, Draft(warning=problem) if problem else None
    return values, chain(seen, lines), None


def _toml() -> Any:
    """Return the module that reads TOML; None on Python 3.10 without tomli."""
    for name in ("tomllib", "tomli"):
        if has_library(name):
            return library(name, "front matter")
    return None


def _load_toml(text: str) -> Any:
    return _toml().loads(text, parse_float=fraction)


def _parse_toml(file: Input, text: str) -> tuple[dict[str, Any] | None, str | None]:
    try:
        return _limited(file, _load_toml(text)), None
    except ValueError:
        return _salvaged(file, "TOML", text, _TOML_KEY, _load_toml)


def _parse_yaml(file: Input, text: str) -> tuple[dict[str, Any] | None, str | None]:
    """Parse YAML; return its keys and the problem found, if any. Return no keys if the text is prose between two
    rules."""
    yaml = library("yaml", "front matter")

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_number(self, node: Any) -> float | Decimal:
            try:
                return fraction(node.value.replace("_", ""))
            except ValueError:  # infinity, NaN, and numbers of base 60
                return float(self.construct_yaml_float(node))

    Loader.add_constructor("tag:yaml.org,2002:float", Loader.construct_number)

    def load(lines: str) -> Any:
        try:
            return yaml.load(lines, Loader=Loader)
        except (yaml.YAMLError, RecursionError) as error:
            raise ValueError(str(error)) from error

    try:
        loaded = load(text)
    except ValueError:
        return _salvaged(file, "YAML", text, _YAML_KEY, load)
    plain = _limited(file, loaded)
    return (plain if isinstance(plain, dict) else None), None


def _salvaged(
    file: Input, name: str, text: str, key: re.Pattern[str], load: Callable[[str], Any]
) -> tuple[dict[str, Any] | None, str | None]:
    """Read wrong front matter key by key, and return what parses; an unreadable value becomes the text of its line."""
    values: dict[str, Any] = {}
    wrong: list[int] = []
    held: list[str] = []
    # The lines of each key, and the line where they begin; the front matter begins in line 2.
    pieces: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.splitlines(keepends=True), 2):
        if key.match(line) or not pieces:
            held = [line]
            pieces.append((number, held))
        else:
            held.append(line)
    for number, piece in pieces:
        try:
            loaded = load("".join(piece))
            if isinstance(loaded, dict):
                values.update(loaded)
                continue
        except ValueError:
            pass
        if (found := key.match(piece[0])) and found[1]:
            values[found[1].strip("\"'")] = "".join(piece)[found.end() :].strip().strip("\"'")
        if "".join(piece).strip():
            wrong.append(number)
    plain = _limited(file, values)
    listed = ", ".join(map(str, wrong[:5])) + (", …" if len(wrong) > 5 else "")
    problem = f"the front matter is not all {name}: what is wrong is taken as text (line {listed})"
    return (plain, problem) if plain else (None, None)


def _limited(file: Input, loaded: Any) -> Any:
    try:
        return _plain(loaded, [0])
    except (RecursionError, ValueError) as error:
        hint = "shorten what is between the first two lines, or remove it"
        raise file.error(f"the front matter is too large: {error}", hint=hint) from error


def _values(plain: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    for key, value in plain.items():
        name = str(key).lower()
        if name in ("title", "speaker", "category", "language") and isinstance(value, (str, int, float, Decimal)):
            values[name] = str(value)
        elif name in ("author", "date", "created", "published", "tags", "keywords", "importance"):
            _take(name, value, values, metadata, str(key))
        else:
            metadata[str(key)] = value
    if values.get("language") and not re.fullmatch("[a-z_]{4,}", values["language"]):
        # A language code such as "en" is not the name of a text search configuration.
        metadata["language"] = values.pop("language")
    return {**values, **({"metadata": metadata} if metadata else {})}


def _take(name: str, value: Any, values: dict[str, Any], metadata: dict[str, Any], key: str) -> None:
    if name in ("date", "published", "created"):
        if (day := iso_date(value)) and (name == "date" or "occurred_at" not in values):
            values["occurred_at"] = day
        metadata[key] = value
    elif name in ("tags", "keywords") and isinstance(value, str):
        metadata[key] = [tag.strip() for tag in re.split(r"[,;]", value) if tag.strip()]
    elif name == "importance" and isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        values["importance"] = value
    else:
        metadata[key] = value


def _plain(value: Any, count: list[int]) -> Any:
    """Convert a YAML value to JSON types, up to a limit: aliases may expand a short text into a huge value."""
    count[0] += 1
    if count[0] > MOST_FRONT_MATTER_VALUES:
        raise ValueError(f"more than {MOST_FRONT_MATTER_VALUES} values")
    if isinstance(value, dict):
        return {str(key): _plain(inner, count) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(inner, count) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if value is None or isinstance(value, (str, int, float, bool, Decimal)):
        return value
    return iso_date(value) or str(value)
