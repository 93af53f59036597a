"""DOCX: headings, lists and tables of Word, by way of HTML."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from pgbraid.files.archives import check_archive
from pgbraid.files.chunks import Block, drafts_of_blocks
from pgbraid.files.dates import date_in_name
from pgbraid.files.drafts import Draft, Input
from pgbraid.files.html import blocks_of_html
from pgbraid.files.library import library

__all__ = ["docx_drafts"]

# The library makes a tree of all of it, some twenty times as large.
MOST_XML_BYTES = 20_000_000


def docx_drafts(file: Input) -> Iterator[Draft]:
    mammoth = library("mammoth", "DOCX")
    library("selectolax.lexbor", "DOCX")
    check_archive(file)
    title, author = _properties(file)
    values: dict[str, Any] = {"title": title or file.title}
    if author:
        values["metadata"] = {"author": author}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    try:
        with file.path.open("rb") as source:
            html = mammoth.convert_to_html(
                source, convert_image=mammoth.images.img_element(lambda _: {"src": ""}), external_file_access=False
            ).value
    # Whatever a library finds wrong with a file is the file's fault, and never stops the others.
    except Exception as error:
        raise file.error(f"damaged, or no DOCX: {error}", hint="open and save it again") from error
    blocks = (Block(b.text, b.headings, b.is_heading, b.metadata, file.size) for b in blocks_of_html(html))
    yield from drafts_of_blocks(file, blocks, values)


def _properties(file: Input) -> tuple[str | None, str | None]:
    with zipfile.ZipFile(file.path) as archive:
        names = {member.filename: member.file_size for member in archive.infolist()}
        if "word/document.xml" not in names:
            raise file.error("damaged, or no DOCX: it has no word/document.xml", hint="open and save it again")
        if names["word/document.xml"] > MOST_XML_BYTES:
            raise file.error(f"its text has more than {MOST_XML_BYTES} bytes", hint="divide it into several")
        if "docProps/core.xml" not in names or names["docProps/core.xml"] > 1_000_000:
            return None, None
        data = archive.read("docProps/core.xml")
    try:
        core = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return None, None
    found = [core.find(f"{{*}}{name}") for name in ("title", "creator")]
    title, author = ((node.text or "").strip() or None if node is not None else None for node in found)
    return title, author
