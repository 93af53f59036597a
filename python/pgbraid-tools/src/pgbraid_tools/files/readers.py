"""Use other libraries to read some formats, chosen with --reader NAME."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pgbraid_tools.files.archives import check_archive
from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import MOST_WHOLE_BYTES, Draft, Input, NoText
from pgbraid_tools.files.html import html_facts, html_source
from pgbraid_tools.files.library import library
from pgbraid_tools.files.markdown import blocks_of_lines, first_heading

__all__ = ["docling_drafts", "trafilatura_drafts"]


def docling_drafts(file: Input) -> Iterator[Draft]:
    """Yield the documents of a file that docling reads: its models find tables and the order of columns, and read
    scanned text."""
    converter = _docling()
    if file.kind == "docx":
        check_archive(file)
    elif file.kind == "html" and file.size > MOST_WHOLE_BYTES:
        raise file.too_large(MOST_WHOLE_BYTES, "divide the page into several")
    try:
        result = converter.convert(file.path)
        text = result.document.export_to_markdown()
    # Any exception of the library counts as a fault of this file, and must not stop the other files.
    except Exception as error:
        raise file.error(
            f"docling cannot read it: {error}", hint="open the file in its program, and save it again"
        ) from error
    values: dict[str, Any] = {}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    title, blocks = first_heading(_blocks(text, file))
    yield from drafts_of_blocks(file, blocks, {**values, "title": title or file.title})
    if getattr(result.status, "value", result.status) == "partial_success":
        problems = "; ".join(str(getattr(error, "error_message", error)) for error in result.errors)
        yield Draft(error=file.error(f"docling read it only in part: {problems}"))


@cache
def _docling() -> Any:
    # The converter loads its models when it reads the first file.
    module = library("docling.document_converter", "--reader docling", hint="pip install 'pgbraid[docling]'")
    return module.DocumentConverter()


def trafilatura_drafts(file: Input) -> Iterator[Draft]:
    """Yield the document of a page by trafilatura, which finds the main text by the density of text and links."""
    trafilatura = library("trafilatura", "--reader trafilatura", hint="pip install 'pgbraid[trafilatura]'")
    source = html_source(file)
    try:
        text = trafilatura.extract(
            source, output_format="markdown", include_comments=False, include_tables=True, include_formatting=True
        )
    except Exception as error:
        raise file.error(f"trafilatura cannot read it: {error}") from error
    if not text:
        raise NoText("no text that trafilatura takes for the page's own")
    yield from drafts_of_blocks(file, _blocks(text, file), html_facts(file, source))


def _blocks(text: str, file: Input) -> Iterator[Block]:
    lines = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").splitlines(keepends=True)
    return blocks_of_lines((line, file.size) for line in lines)
