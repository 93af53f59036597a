"""Read RTF: its text, without the formatting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import MOST_WHOLE_BYTES, Draft, Input
from pgbraid_tools.files.library import library

__all__ = ["rtf_drafts"]


def rtf_drafts(file: Input) -> Iterator[Draft]:
    """Yield the document of an RTF file."""
    striprtf = library("striprtf.striprtf", "RTF")
    if file.size > MOST_WHOLE_BYTES:
        raise file.too_large(MOST_WHOLE_BYTES, "save the file as DOCX or as plain text, which leaves out pictures")
    with file.open() as source:
        # RTF escapes every character beyond ASCII, and declares its encoding.
        data = source.read().decode("latin-1")
    if not data.lstrip().startswith("{\\rtf"):
        raise file.error("damaged, or no RTF", hint="open the file in its program, and save it again")
    try:
        text = striprtf.rtf_to_text(data, errors="replace")
    # Any exception of the library counts as a fault of this file, and must not stop the other files.
    except Exception as error:
        raise file.error(
            f"damaged, or no RTF: {error}", hint="open the file in its program, and save it again"
        ) from error
    values: dict[str, Any] = {"title": file.title}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    text = text.replace("\0", "").encode("utf-8", "replace").decode()
    paragraphs = (line for line in text.split("\n") if line.strip())
    blocks = (Block(f"{paragraph}\n\n", position=file.size) for paragraph in paragraphs)
    yield from drafts_of_blocks(file, blocks, values)
