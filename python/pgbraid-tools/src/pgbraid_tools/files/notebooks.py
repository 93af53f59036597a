"""Read Jupyter notebooks: their text and code, without the output of the code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pgbraid_tools.files.chunks import drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import Draft, Input, NoText
from pgbraid_tools.files.markdown import blocks_of_lines, first_heading
from pgbraid_tools.files.text import decode

__all__ = ["notebook_drafts"]

# Most bytes of a large notebook are pictures, which are dropped.
MOST_NOTEBOOK_BYTES = 100_000_000


def notebook_drafts(file: Input) -> Iterator[Draft]:
    """Yield the document of a notebook, read as Markdown with the code in fences."""
    content = decode(file, MOST_NOTEBOOK_BYTES, "clear the outputs of the notebook")
    if not content.strip():
        raise NoText("no text")
    try:
        book = json.loads(content)
        # Before version 4 of the format, cells were grouped in worksheets.
        sheets = book.get("worksheets", [book])
        texts = [text for sheet in sheets for cell in sheet["cells"] if (text := _text(cell))]
        about = book.get("metadata", {})
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise file.error("damaged, or no notebook", hint="open the file in its program, and save it again") from error
    values: dict[str, Any] = {}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    given = about.get("title") if isinstance(about, Mapping) else None
    lines = "\n\n".join(texts).replace("\0", "").encode("utf-8", "replace").decode().splitlines(keepends=True)
    heading, blocks = first_heading(blocks_of_lines((line, file.size) for line in lines))
    title = given if isinstance(given, str) and given else heading
    yield from drafts_of_blocks(file, blocks, {**values, "title": title or file.title})


def _text(cell: Mapping[str, Any]) -> str:
    source = cell.get("source", cell.get("input", ""))
    text = source if isinstance(source, str) else "".join(source)
    if not text.strip():
        return ""
    if cell["cell_type"] == "code":
        return f"```\n{text.rstrip()}\n```"
    return f"{'#' * min(int(cell.get('level', 1)), 6)} {text}" if cell["cell_type"] == "heading" else text
