"""Find the prose in a file: comments, docstrings, descriptions (`comment on`) and the paragraphs of pages."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pgbraid.install.headers import KEYS

# A block of whole-line comments; the first line begins with the marker.
BLOCK = r"(?:^[ \t]*{marker}(?!\w).*\n)+"
# A fact of a header, with the lines that continue it.
HEADER = re.compile(rf"^-- (?:{'|'.join(KEYS)}): .*\n(?:--   .*\n)*", re.MULTILINE)
DESCRIPTION = re.compile(r"comment on\s+(\w+)\s+([^;']*?)\s+is\s+(E?'(?:[^']|'')*'(?:\s*'(?:[^']|'')*')*)\s*;", re.S)
# Lines that tools read, not people.
TOOLING = re.compile(r"#\s*(?:noqa|type:|fmt:|ruff:|mypy:|pylint:|!|/|pragma|hadolint|syntax=)|// @ts-")
GENERATED = re.compile(r"Made (?:from|by) .*DO NOT CHANGE|Generated from|^# Made by .*DO NOT CHANGE", re.M)


@dataclass(frozen=True)
class Passage:
    """Hold one text for readers; `kind` is comment, docstring, description or page, `of` the object it describes."""

    path: str
    line: int
    kind: str
    of: str
    text: str
    # Start and end are character offsets of the text with its markers in the file.
    start: int
    end: int


def passages(path: Path, name: str) -> Iterator[Passage]:
    """Yield the passages of a file in no special order; nothing for generated files."""
    source = path.read_text(encoding="utf-8")
    if GENERATED.search(source[:400]):
        return
    if path.suffix == ".sql":
        yield from _of_sql(source, name)
    elif path.suffix in (".py", ".pyi"):
        yield from _of_python(source, name)
    elif path.suffix in (".ts", ".js"):
        yield from _of_blocks(source, name, "//")
        for found in re.finditer(r"/\*+(.*?)\*/", source, re.DOTALL):
            text = re.sub(r"^\s*\* ?", "", found[1], flags=re.MULTILINE).strip()
            yield Passage(name, _line(source, found.start()), "comment", "", text, found.start(), found.end())
    elif path.suffix in (".yaml", ".yml", ".sh", ".toml") or path.name in ("Makefile", "run", "Dockerfile"):
        yield from _of_blocks(source, name, "#")
    elif path.suffix == ".md":
        yield from _of_page(source, name)


def _line(source: str, offset: int) -> int:
    return source.count("\n", 0, offset) + 1


def _of_blocks(source: str, name: str, marker: str) -> Iterator[Passage]:
    for found in re.finditer(BLOCK.format(marker=marker), source, re.MULTILINE):
        block = re.sub(HEADER, "", found[0])
        lines = [line.strip() for line in block.splitlines()]
        text = "\n".join(line.removeprefix(marker).removeprefix(" ") for line in lines if not TOOLING.match(line))
        if text.strip():
            yield Passage(name, _line(source, found.start()), "comment", "", text, found.start(), found.end())


def _of_sql(source: str, name: str) -> Iterator[Passage]:
    yield from _of_blocks(source, name, "--")
    for found in re.finditer(r"^(?!\s*--)[^'\n]*?[^\s'][^'\n]*?[ \t](-- (?!>).*)$", source, re.MULTILINE):
        text = found[1].removeprefix("--").strip()
        yield Passage(name, _line(source, found.start(1)), "comment", "", text, found.start(1), found.end(1))
    for found in DESCRIPTION.finditer(source):
        pieces = re.findall(r"(E?)'((?:[^']|'')*)'", found[3])
        is_escaped = pieces[0][0] == "E"
        text = "".join(piece for _, piece in pieces).replace("''", "'")
        text = text.replace("\\n", "\n").replace("\\\\", "\\") if is_escaped else text
        of = f"{found[1]} {' '.join(found[2].split())}"
        yield Passage(name, _line(source, found.start()), "description", of, text, found.start(3), found.end(3))


def _of_python(source: str, name: str) -> Iterator[Passage]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.COMMENT
    ]
    places = {token.start[0] for token in comments}
    # A line of a string may begin with the marker, too.
    yield from (block for block in _of_blocks(source, name, "#") if block.line in places)
    for token in comments:
        if token.line[: token.start[1]].strip() and not TOOLING.match(token.string):
            start = starts[token.start[0] - 1] + token.start[1]
            text = token.string.removeprefix("#").strip()
            yield Passage(name, token.start[0], "comment", "", text, start, start + len(token.string))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring is not None:
                first = node.body[0]
                assert first.end_lineno is not None
                assert first.end_col_offset is not None
                of = "module" if isinstance(node, ast.Module) else f"{type(node).__name__} {node.name}"
                # Columns of the syntax tree count bytes.
                start = starts[first.lineno - 1] + len(
                    source[starts[first.lineno - 1] :].encode()[: first.col_offset].decode()
                )
                end_line = source[starts[first.end_lineno - 1] : starts[first.end_lineno]]
                end = starts[first.end_lineno - 1] + len(end_line.encode()[: first.end_col_offset].decode())
                yield Passage(name, first.lineno, "docstring", of, docstring, start, end)


def _of_page(source: str, name: str) -> Iterator[Passage]:
    bare = re.sub(
        r"^```.*?^```|<!--.*?-->|^ *\|[^\n]*|^#[^\n]*",
        lambda cut: re.sub(r"[^\n]", " ", cut[0]),
        source,
        flags=re.MULTILINE | re.DOTALL,
    )
    for found in re.finditer(r"(?:^[ \t]*\S.*\n?)+?(?=^\s*$|^[ \t]*(?:[-*]|\d+\.) |\Z)", bare, re.MULTILINE):
        text = re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", " ".join(found[0].split()))
        yield Passage(name, _line(source, found.start()), "page", "", text, found.start(), found.end())
