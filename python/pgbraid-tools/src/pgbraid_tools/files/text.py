"""Decode text of any encoding piece by piece, and turn plain text into documents."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import MOST_DOCUMENT_CHARACTERS, Draft, Input, NoText

__all__ = ["decode", "find_encoding", "read_lines", "read_text", "text_drafts"]

PIECE = 1 << 18
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Western European text has a larger share of ASCII; other scripts in old encodings have a smaller one.
_LEAST_ASCII = 0.75


def find_encoding(file: Input) -> str:
    """Return the encoding of a text file: the requested one, else by its byte order mark, else UTF-8, UTF-16 without
    a mark, or Windows-1252. Raise IngestError if none fits."""
    if file.encoding:
        return file.encoding
    with file.open() as source:
        start = source.read(PIECE)
        for mark, name in _MARKS:
            if start.startswith(mark):
                return name
        pairs = len(start) // 2
        if pairs and b"\0" in start:
            for name, zeros, letters in (
                ("utf-16-le", start[1::2], start[::2]),
                ("utf-16-be", start[::2], start[1::2]),
            ):
                if zeros.count(0) > 0.7 * pairs and letters.count(0) < 0.1 * pairs:
                    return name
        decoder = codecs.getincrementaldecoder("utf-8")()
        line, ascii_bytes, total, problem = 1, 0, 0, None
        while start:
            if problem is None:
                try:
                    decoder.decode(start)
                except UnicodeDecodeError as error:
                    problem = line + error.object.count(b"\n", 0, error.start)
                line += start.count(b"\n")
            ascii_bytes += len(start.translate(None, bytes(range(128, 256))))
            total += len(start)
            start = source.read(PIECE)
        # The file may end within a character.
        if problem is None and decoder.getstate()[0]:
            problem = line
    if problem is None:
        return "utf-8"
    if ascii_bytes > _LEAST_ASCII * total:
        return "cp1252"
    raise file.error("not UTF-8", line=problem, hint="convert the file to UTF-8, or give its encoding: --encoding NAME")


def read_text(file: Input) -> Iterator[tuple[str, int]]:
    """Yield the text in pieces, each with the number of bytes read. Raise IngestError for bytes that are no text."""
    encoding = find_encoding(file)
    try:
        decoder = codecs.getincrementaldecoder(encoding)("replace" if encoding == "cp1252" else "strict")
    except LookupError as error:
        raise file.error(f"unknown encoding {encoding!r}", hint="use a name such as latin-1 or shift_jis") from error
    read = 0
    held_return = ""
    with file.open() as source:
        while True:
            data = source.read(PIECE)
            try:
                text = held_return + decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                hint = "convert the file to UTF-8, or give its encoding: --encoding NAME"
                raise file.error(f"not {encoding} near byte {read + error.start}", hint=hint) from error
            read += len(data)
            if "\0" in text:
                raise file.error(
                    f"contains NUL (0x00) near byte {read - len(data) + max(text.find(chr(0)), 0)}",
                    hint="remove the NUL characters, which PostgreSQL cannot store, or leave the file out with"
                    " --exclude",
                )
            held_return = "\r" if data and text.endswith("\r") else ""
            text = (text[:-1] if held_return else text).replace("\r\n", "\n").replace("\r", "\n")
            if text:
                yield text, read
            if not data:
                return


def decode(file: Input, limit: int, hint: str) -> str:
    """Return the whole text. Raise IngestError if the file has more than `limit` bytes."""
    if file.size > limit:
        raise file.too_large(limit, hint)
    return "".join(text for text, _ in read_text(file))


# Longer lines are cut, so that a file without line ends is not held in memory as a whole.
MOST_LINE_CHARACTERS = 500_000
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def read_lines(file: Input, most: int = MOST_LINE_CHARACTERS) -> Iterator[tuple[str, int]]:
    """Yield lines with their line ends, each with the number of bytes read."""
    held = ""
    position = 0
    for text, position in read_text(file):
        lines = _LINE.findall(held + text)
        held = lines.pop() if lines and not lines[-1].endswith("\n") else ""
        for line in lines:
            yield line, position
        while len(held) > most:
            yield held[:most], position
            held = held[most:]
    if held:
        yield held, position


def text_drafts(file: Input) -> Iterator[Draft]:
    """Yield one document of plain text, or several of a million characters. The database splits them into chunks."""
    held, number, position = "", 0, 0
    values = {"title": file.title}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    for text, position in read_text(file):
        held += text
        while len(held) > MOST_DOCUMENT_CHARACTERS:
            end = _end_of_part(held)
            part, held = held[:end], held[end:]
            if part.strip():
                number += 1
                yield Draft({**values, "content": part}, _place(number), position)
    if held.strip():
        number += 1
        yield Draft({**values, "content": held}, _place(number), position)
    if not number:
        raise NoText("no text")


def _place(number: int) -> str | None:
    return None if number == 1 else f"part-{number}"


def _end_of_part(text: str) -> int:
    """Return where to cut: after the last paragraph in the final fifth of the text, else a line, else a word."""
    first = MOST_DOCUMENT_CHARACTERS * 4 // 5
    for cut in ("\n\n", "\n", ". ", " "):
        found = text.rfind(cut, first, MOST_DOCUMENT_CHARACTERS)
        if found > 0:
            return found + len(cut)
    return MOST_DOCUMENT_CHARACTERS
