"""Read JSON: lines of objects, an array of objects, or one object. An object is a document in pgbraid's own keys, a
record of any form, or a transcript from speech recognition."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from pgbraid.document_batches import MOST_BATCH_BYTES, check_document
from pgbraid.errors import InvalidArgumentError
from pgbraid.long_numbers import fraction, integer, loads
from pgbraid_tools.files.drafts import Draft, Input, NoText
from pgbraid_tools.files.records import ID_NAMES, TEXT_NAMES, draft_of_record, guess_text
from pgbraid_tools.files.text import read_text
from pgbraid_tools.files.transcripts import drafts_of_turns, has_turns

__all__ = ["json_drafts", "json_line_drafts"]

_LONG_NUMBER = "a number with a longer exponent than can be read"


def json_line_drafts(file: Input) -> Iterator[Draft]:
    """Yield one document a line; the file may be compressed."""
    line = position = 0
    try:
        with file.path.open("rb") as raw, gzip.open(raw) if file.name.lower().endswith(".gz") else raw as lines:
            while data := lines.readline(MOST_BATCH_BYTES + 1):
                line += 1
                position = raw.tell()
                if len(data) > MOST_BATCH_BYTES:
                    hint = "give the document less text, metadata or chunks"
                    problem = file.error(f"a line of more than {MOST_BATCH_BYTES} bytes", line=line, hint=hint)
                    yield Draft(line=line, position=position, error=problem)
                    while data and not data.endswith(b"\n"):
                        data = lines.readline(MOST_BATCH_BYTES + 1)
                elif data.strip():
                    yield _line(file, line, data, position)
    except (OSError, EOFError, zlib.error) as error:
        yield Draft(line=line + 1, position=position, error=file.error(f"cannot be read: {error}", line=line + 1))
    if not line:
        raise NoText("no text")


def _line(file: Input, line: int, data: bytes, position: int) -> Draft:
    try:
        value = loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        problem = file.error("not UTF-8", line=line, hint="convert the file to UTF-8")
    except json.JSONDecodeError as error:
        problem = file.error(f"not JSON: {error.msg} at character {error.pos + 1}", line=line)
    except RecursionError:
        problem = file.error("JSON nested too deeply", line=line)
    except ValueError:
        problem = file.error(_LONG_NUMBER, line=line)
    else:
        return _draft(file, value, line, line, position)
    return Draft(line=line, position=position, error=problem)


def _draft(file: Input, value: Any, number: int, line: int | None, position: int) -> Draft:
    """Return the document of one value: either a document in pgbraid's own keys, or a record with configured or
    usual keys."""
    if value is None:
        return Draft(line=line, position=position, error=file.error("null instead of a JSON object", line=line))
    asked = bool(file.fields.id or file.fields.text)
    if isinstance(value, Mapping) and (asked or _looks_like_record(file, value)):
        return draft_of_record(value, file.fields, file, number, line=line, position=position)
    try:
        check_document(value, number).encode()
    except InvalidArgumentError as error:
        hint = error.hint
        if isinstance(value, Mapping) and "external_id" not in value:
            hint = (
                "name the keys of the id and the text: --id-key NAME --text-key NAME; there are"
                f" {', '.join(map(repr, value)) or 'none'}"
            )
        return Draft(line=line, position=position, error=file.error(error.message, line=line, hint=hint))
    return Draft(value, None, position, line)


def _looks_like_record(file: Input, value: Mapping[str, Any]) -> bool:
    """Return whether an object is a record: it has a usual key of text, as in BEIR's corpora, or a text under
    another key."""
    if "external_id" in value:
        return False
    if any(name in value for name in TEXT_NAMES):
        has_text = any(isinstance(value.get(name), str) for name in TEXT_NAMES)
        # With `content` but no id, it counts as a document in pgbraid's own keys, whose check then asks for the id.
        return has_text and ("content" not in value or any(name in value for name in ID_NAMES))
    return bool(guess_text(file.fields, [value]))


def json_drafts(file: Input) -> Iterator[Draft]:
    """Yield the documents of an array of records, read one by one, or of one object: a transcript, a record, or a
    list of records."""
    found = False
    for number, (value, alone, position) in enumerate(_values(file), 1):
        found = True
        if not alone:
            yield _draft(file, value, number, None, position)
        elif has_turns(value):
            yield from drafts_of_turns(file, value)
        else:
            yield from _whole(file, value, position)
    if not found:
        raise NoText("no text")


def _whole(file: Input, value: Any, position: int) -> Iterator[Draft]:
    if isinstance(value, Mapping) and "external_id" not in value and not _has_text(file, value):
        lists = [
            inner
            for inner in value.values()
            if isinstance(inner, list) and inner and all(isinstance(record, Mapping) for record in inner)
        ]
        if len(lists) == 1:
            for number, record in enumerate(lists[0], 1):
                yield _draft(file, record, number, None, position)
            return
    if isinstance(value, Mapping) and "external_id" not in value:
        yield draft_of_record(value, file.fields, file, 1, position=position)
    else:
        yield _draft(file, value, 1, None, position)


def _has_text(file: Input, value: Mapping[str, Any]) -> bool:
    return any(isinstance(value.get(name.partition(".")[0]), (str, Mapping)) for name in file.fields.text or TEXT_NAMES)


_SPACE = " \t\n\r,"


def _values(file: Input) -> Iterator[tuple[Any, bool, int]]:
    """Yield the elements of an array, each parsed once it has been read, or the values that follow one another in the
    file.

    Each comes with a flag, true if it is a top-level value, and the number of bytes read.
    """
    decoder = json.JSONDecoder(parse_int=integer, parse_float=fraction)
    pieces = read_text(file)
    held, position = "", 0
    in_array: bool | None = None
    ended = False
    wanted = 0
    place = 0
    while True:
        while not ended and (len(held) - place < max(wanted, 1)):
            piece = next(pieces, None)
            if piece is None:
                ended = True
            else:
                held, place, position = held[place:] + piece[0], 0, piece[1]
        while place < len(held) and held[place] in _SPACE:
            place += 1
        if place == len(held):
            if ended:
                if in_array:
                    raise file.error("not JSON: the array has no end", hint="check whether the file is complete")
                return
            wanted = 0
            continue
        if in_array is None:
            in_array = held[place] == "["
            if in_array:
                place += 1
                continue
        if in_array and held[place] == "]":
            return
        try:
            value, end = decoder.raw_decode(held, place)
        except json.JSONDecodeError as error:
            if ended:
                raise file.error(f"not JSON: {error.msg} near byte {position}") from error
            end = -1
        except RecursionError as error:
            raise file.error("JSON nested too deeply") from error
        except ValueError as error:
            raise file.error(f"{_LONG_NUMBER} near byte {position}") from error
        if end < 0 or (end == len(held) and not ended):
            # The value may continue behind what has been read.
            wanted = 2 * (len(held) - place)
            if wanted > 2 * MOST_BATCH_BYTES:
                raise file.error(
                    f"a value of more than {MOST_BATCH_BYTES} bytes", hint="divide the value, or write JSON lines"
                )
            continue
        place, wanted = end, 0
        yield value, not in_array, position
