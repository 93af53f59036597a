"""Read PPTX: the text of slides below their titles, with tables and notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pgbraid_tools.files.archives import check_archive
from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import Draft, Input
from pgbraid_tools.files.library import library

__all__ = ["pptx_drafts"]


def pptx_drafts(file: Input) -> Iterator[Draft]:
    """Yield the document of a presentation; the metadata of each chunk has its `slide`."""
    pptx = library("pptx", "PPTX")
    check_archive(file)
    try:
        presentation = pptx.Presentation(str(file.path))
        title = (presentation.core_properties.title or "").strip()
        author = (presentation.core_properties.author or "").strip()
        blocks = list(_blocks(file, presentation.slides))
    # Any exception of the library counts as a fault of this file, and must not stop the other files.
    except Exception as error:
        raise file.error(
            f"damaged, or no PPTX: {error}", hint="open the file in its program, and save it again"
        ) from error
    values: dict[str, Any] = {"title": title or file.title}
    if author:
        values["metadata"] = {"author": author}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    yield from drafts_of_blocks(file, blocks, values)


def _blocks(file: Input, slides: Any) -> Iterator[Block]:
    for number, slide in enumerate(slides, 1):
        heading = slide.shapes.title
        title = " ".join(_clean(heading.text).split()) if heading is not None else ""
        texts = [text for shape in slide.shapes if shape != heading for text in _texts(shape)]
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            texts.append(_clean(slide.notes_slide.notes_text_frame.text))
        # A slide with only a title is indexed as well.
        texts = [text for text in texts if text.strip()] or [title]
        for text in texts:
            if text:
                headings = (title,) if title and text != title else ()
                yield Block(f"{text}\n\n", headings, metadata={"slide": number}, position=file.size)


def _texts(shape: Any) -> Iterator[str]:
    if shape.has_text_frame:
        yield _clean(shape.text_frame.text)
    elif getattr(shape, "has_table", False):
        yield "\n".join(" | ".join(_clean(cell.text).strip() for cell in row.cells) for row in shape.table.rows)
    elif hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _texts(inner)


def _clean(text: str) -> str:
    """Replace the vertical tab, which is PowerPoint's line break within a paragraph."""
    return text.replace("\v", "\n").replace("\0", "")
