"""Read EPUB: the chapters of a book in reading order."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree

from pgbraid_tools.files.archives import check_archive, read_member
from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name, iso_date
from pgbraid_tools.files.drafts import MOST_WHOLE_BYTES, Draft, Input
from pgbraid_tools.files.html import blocks_of_html

__all__ = ["epub_drafts"]

_EMPTY_ELEMENT = re.compile(r"<(?!br|hr|img|link|meta|input|col)([A-Za-z][\w:.-]*)((?:\s[^<>]*)?)/>")


def epub_drafts(file: Input) -> Iterator[Draft]:
    check_archive(file)
    with zipfile.ZipFile(file.path) as archive:
        container = _xml(file, read_member(file, archive, "META-INF/container.xml"))
        root = container.find(".//{*}rootfile")
        path = (root.get("full-path") if root is not None else None) or ""
        book = _xml(file, read_member(file, archive, path))
        creators = [(name.text or "").strip() for name in book.iterfind(".//{*}metadata/{*}creator")]
        metadata: dict[str, object] = {"author": creators} if any(creators) else {}
        if language := _text(book, "language"):
            metadata["language"] = language
        values: dict[str, object] = {"title": _text(book, "title") or file.title, "metadata": metadata}
        if day := iso_date(_text(book, "date")) or date_in_name(file.path.name):
            values["occurred_at"] = day
        yield from drafts_of_blocks(file, _chapters(file, archive, posixpath.dirname(path), book), values)


def _chapters(file: Input, archive: zipfile.ZipFile, folder: str, book: ElementTree.Element) -> Iterator[Block]:
    hrefs = {item.get("id"): item.get("href") or "" for item in book.iterfind(".//{*}manifest/{*}item")}
    chapters = [hrefs[name] for item in book.iterfind(".//{*}spine/{*}itemref") if (name := item.get("idref")) in hrefs]
    for number, href in enumerate(chapters, 1):
        data = read_member(file, archive, posixpath.normpath(posixpath.join(folder, unquote(href))))
        if len(data) > MOST_WHOLE_BYTES:
            raise file.error(f"chapter {href} has {len(data)} bytes, more than {MOST_WHOLE_BYTES}")
        text = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", data.decode("utf-8-sig", "replace").replace("\0", ""))
        for block in blocks_of_html(text):
            position = file.size * number // len(chapters)
            yield Block(block.text, block.headings, block.is_heading, {"chapter": number}, position)


def _xml(file: Input, data: bytes) -> ElementTree.Element:
    if b"<!ENTITY" in data:
        raise file.error(
            "its package declares entities",
            hint="convert the book again: declared entities may be made to fill the memory",
        )
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise file.error(f"its package is no XML: {error}", hint="convert the book again") from error


def _text(book: ElementTree.Element, name: str) -> str | None:
    found = book.find(f".//{{*}}metadata/{{*}}{name}")
    return found.text.strip() if found is not None and found.text and found.text.strip() else None
