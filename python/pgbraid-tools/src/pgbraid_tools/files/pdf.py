"""Read PDF: the text of its pages, below the bookmarks that lead to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import Draft, Input, NoText
from pgbraid_tools.files.library import library

__all__ = ["pdf_drafts"]

# A word divided at a line's end, with either a hyphen or the character that PDFium writes instead of hyphen and line
# end.
_HYPHENATED = re.compile(r"([^\W_]+)(?:-\n|[\x02\ufffe]\n?)(?=([^\W_]+))")
_COMPOUND = re.compile(r"[^\W_]+-[^\W_]+")
_SOFT_HYPHEN = re.compile(r"\u00ad\n?|[\x02\ufffe]")
# A line end within a paragraph.
_WRAPPED = re.compile(r"(?<=[^\s.!?:;])\n(?=[^\s•\-*\d])")


def pdf_drafts(file: Input) -> Iterator[Draft]:
    pdfium = library("pypdfium2", "PDF")
    try:
        document = pdfium.PdfDocument(file.path)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise file.error("needs a password", hint="save the file without a password") from error
        raise file.error(
            f"damaged, or no PDF: {error}", hint="open the file in its program, and save it again"
        ) from error
    try:
        title = (document.get_metadata_dict().get("Title") or "").replace("\0", "").strip()
        values: dict[str, Any] = {"title": title or file.title}
        if day := date_in_name(file.path.name):
            values["occurred_at"] = day
        try:
            yield from drafts_of_blocks(file, _pages(file, document), values)
        except NoText as error:
            pages = len(document)
            raise NoText(
                f"no text in its {pages} page{'' if pages == 1 else 's'}: pictures of text need OCR"
            ) from error
        except pdfium.PdfiumError as error:
            raise file.error(f"damaged: {error}", hint="open the file in its program, and save it again") from error
    finally:
        document.close()


def _pages(file: Input, document: Any) -> Iterator[Block]:
    marks = _bookmarks(document)
    path: list[tuple[int, str]] = []
    for number in range(len(document)):
        for level, name in marks.get(number, ()):
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, name))
        page = document[number]
        text_page = page.get_textpage()
        text = text_page.get_text_bounded()
        text_page.close()
        page.close()
        text = _WRAPPED.sub(" ", _joined(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")))
        if text.strip():
            position = file.size * (number + 1) // len(document)
            headings = tuple(name for _, name in path)
            yield Block(f"{text}\n\n", headings, metadata={"page": number + 1}, position=position)


def _joined(text: str) -> str:
    """Join words that are divided between lines; keep the hyphen if it belongs to the word."""

    compounds = set(_COMPOUND.findall(text))

    def join(found: re.Match[str]) -> str:
        left, right = found[1], found[2]
        # X-ray, COVID-19, Jean-Luc, e-mail: no typesetter divides a word at these hyphens.
        is_own = not (left[-1].islower() and right[0].islower()) or len(left) == 1
        return f"{left}-" if is_own or f"{left}-{right}" in compounds else left

    return _SOFT_HYPHEN.sub("", _HYPHENATED.sub(join, text))


def _bookmarks(document: Any) -> dict[int, list[tuple[int, str]]]:
    """Return the level and title of the bookmarks on each page."""
    marks: dict[int, list[tuple[int, str]]] = {}
    for mark in document.get_toc(max_depth=5):
        target = mark.get_dest()
        page = target.get_index() if target is not None else None
        name = re.sub(r"\s+", " ", (mark.get_title() or "").replace("\0", "")).strip()
        if page is not None and name:
            marks.setdefault(page, []).append((mark.level, name))
    return marks
