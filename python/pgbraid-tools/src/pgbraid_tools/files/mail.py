"""Read e-mail: single messages and mailboxes. A message becomes a document with its sender as speaker."""

from __future__ import annotations

import email
import email.policy
import re
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterator
from datetime import timezone
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from pgbraid.document_batches import MOST_CONTENT_BYTES
from pgbraid_tools.files.charsets import decode_bytes
from pgbraid_tools.files.dates import date_in_name, iso_date
from pgbraid_tools.files.drafts import MOST_WHOLE_BYTES, Draft, Input, NoText
from pgbraid_tools.files.html import blocks_of_html

__all__ = ["mail_drafts", "mailbox_drafts"]

_HINT = "leave out large attachments"
MOST_TITLE_CHARACTERS = 1_000
MOST_HEADER_CHARACTERS = 100_000
MOST_NESTED_PARTS = 50
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,40})\?([bBqQ])\?([^?\s]*)\?=")
# The line that begins a message in a mailbox: "From ana Mon Jan  1 10:00:00 2026", or Thunderbird's bare "From ". A
# paragraph may begin with the word as well.
_BEGINS = re.compile(rb"From (?:.*\d:\d\d.*|\S*\s*)$", re.DOTALL)
# Archives of mailing lists hide addresses as "ana at example.org".
_HIDDEN_ADDRESS = re.compile(r"(?<![^\s<,])([\w.+-]{1,64}) at ([\w-]{1,63}(?:\.[\w-]{1,63})+)")
_HTML_CHARSET = re.compile(rb"<meta[^>]{1,200}?charset=[\"']?([\w-]{1,40})", re.IGNORECASE)
_CALENDAR_LINE = re.compile(r"(SUMMARY|LOCATION|DESCRIPTION)(?:;[^:\n]*)?:(.*)", re.IGNORECASE)
_CLOSED = frozenset(
    ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted", "application/ms-tnef")
)
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w.-]{1,255}")


def mail_drafts(file: Input) -> Iterator[Draft]:
    if file.size > MOST_WHOLE_BYTES:
        raise file.too_large(MOST_WHOLE_BYTES, _HINT)
    values, problem = _values(file, file.path.read_bytes(), None)
    if values is None:
        raise NoText("no text")
    if "occurred_at" not in values and (day := date_in_name(file.path.name)):
        values["occurred_at"] = day
    if problem:
        yield Draft(warning=problem)
    yield Draft(values, None, file.size)


def mailbox_drafts(file: Input) -> Iterator[Draft]:
    """Yield a document for each message; Message-IDs distinguish them."""
    seen: dict[str, int] = {}
    for number, (data, line, position) in enumerate(_messages(file), 1):
        if data is None:
            problem = file.error(f"a message of more than {MOST_WHOLE_BYTES} bytes", line=line, hint=_HINT)
            yield Draft(line=line, position=position, error=problem)
            continue
        values, unread = _values(file, data, line)
        name = str(values["metadata"].get("message_id", "")) if values else ""
        place = name[:200] or f"message-{number}"
        # The same message may be filed twice, and two different messages may share a Message-ID.
        text = hash((values["title"], values["content"])) if values else 0
        if values is None or seen.get(place) == text:
            yield Draft(line=line, position=position, skipped=True)
            continue
        place = f"{place}-{number}" if place in seen else place
        seen[place] = text
        yield Draft(values, place, position, line)
        if unread:
            yield Draft(warning=f"message {number}: {unread}")
    if not seen:
        raise NoText("no messages")


def _messages(file: Input) -> Iterator[tuple[bytes | None, int, int]]:
    """Yield the bytes of each message (None if it is too large), the line where it begins, and the number of bytes
    read."""
    held: list[bytes] = []
    size = 0
    begins = 1
    after_blank = True
    position = 0
    with file.path.open("rb") as lines:
        for line, data in enumerate(lines, 1):
            if after_blank and _BEGINS.match(data):
                if size:
                    yield (b"".join(held) if size <= MOST_WHOLE_BYTES else None), begins, position
                held, size, begins = [], 0, line
            else:
                size += len(data)
                if size <= MOST_WHOLE_BYTES:
                    held.append(data[1:] if re.match(rb">+From ", data) else data)
            after_blank = not data.strip(b"\r\n")
            position += len(data)
    if size:
        yield (b"".join(held) if size <= MOST_WHOLE_BYTES else None), begins, position


def _values(file: Input, data: bytes, line: int | None) -> tuple[dict[str, Any] | None, str | None]:
    """Return the document of a message (None if it has no text), and a warning about the part that was not read, if
    any."""
    message = email.message_from_bytes(data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n"), policy=email.policy.compat32)
    people = {key: _addresses(_raw_header(message, key)) for key in ("from", "to", "cc")}
    sender = next((name or address for name, address in people["from"]), "")
    subject = _header(message, "subject")
    text = "\n\n".join(filter(None, (part.strip() for part in _texts(file, message, line)))).replace("\0", "")
    if not text and not subject:
        return None, None
    attachments = [name for part in message.walk() if (name := _attachment(part)) or (name := _inline_file(part))]
    listed = {key: [address for _, address in found if address] for key, found in people.items()}
    metadata = {
        **{key: addresses for key, addresses in listed.items() if addresses},
        **({"message_id": _header(message, "message-id")} if message["message-id"] else {}),
        **({"attachments": attachments} if attachments else {}),
    }
    values: dict[str, Any] = {
        "title": (subject or file.title)[:MOST_TITLE_CHARACTERS],
        "content": text[: MOST_CONTENT_BYTES // 4] or subject,
        "metadata": metadata,
    }
    if sender:
        values["speaker"] = sender[:250]
    if sent := _date(_header(message, "date")):
        values["occurred_at"] = sent
    is_closed = not text and any(part.get_content_type() in _CLOSED for part in message.walk())
    return values, "encrypted, or signed as a whole: only its subject is read" if is_closed else None


def _raw_header(message: Message, name: str) -> str:
    """Return a header unfolded into one line and still encoded; "" if it is missing."""
    found = next((str(value) for key, value in message.raw_items() if key.lower() == name), "")[:MOST_HEADER_CHARACTERS]
    return re.sub(r"\s+", " ", decode_bytes(found.encode("utf-8", "surrogateescape"), None)).replace("\0", "").strip()


def _header(message: Message, name: str) -> str:
    return _decode_words(_raw_header(message, name))


def _decode_words(text: str) -> str:
    """Decode the encoded words of a header (RFC 2047). Two adjacent words may share the bytes of one character."""
    parts: list[str] = []
    held, charset, reached = b"", "", 0

    def flush() -> None:
        nonlocal held
        if held:
            parts.append(decode_bytes(held, charset))
        held = b""

    for word in _ENCODED_WORD.finditer(text):
        between = text[reached : word.start()]
        named = word[1].partition("*")[0].lower()
        if between.strip() or not reached or named != charset:
            flush()
        # White space between two encoded words is no part of the text.
        if between.strip() or not reached:
            parts.append(between)
        charset, reached = named, word.end()
        data = word[3].encode("utf-8", "replace")
        try:
            held += a2b_base64(data) if word[2] in "bB" else a2b_qp(data, header=True)
        except ValueError:
            flush()
            parts.append(word[0])
    flush()
    return ("".join(parts) + text[reached:]).replace("\0", "")


def _addresses(header: str) -> list[tuple[str, str]]:
    """Return the names and addresses in a header."""
    header = _HIDDEN_ADDRESS.sub(r"\1@\2", header)
    try:
        found = getaddresses([header])
    # Python's parser recurses for each nested comment.
    except (RecursionError, ValueError, IndexError):
        found = [("", address) for address in _ADDRESS.findall(header)]
    return [(_decode_words(name).strip(), address) for name, address in found]


def _date(header: str) -> str | None:
    try:
        sent = parsedate_to_datetime(header)
        return (sent if sent.tzinfo else sent.replace(tzinfo=timezone.utc)).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return iso_date(header)


def _attachment(part: Message) -> str | None:
    """Return the file name of an attachment; None for other parts."""
    try:
        return _file_name(part) if part.get_content_disposition() == "attachment" else None
    except (ValueError, IndexError, AttributeError, TypeError):
        return None


def _inline_file(part: Message) -> str | None:
    """Return the name of a file shown within the text; None for texts, and for pictures that the HTML refers to."""
    if part.get_content_maintype() in ("text", "multipart", "message") or part["content-id"]:
        return None
    return _file_name(part)


def _file_name(part: Message) -> str | None:
    try:
        name = part.get_filename()
        return _decode_words(decode_bytes(name.encode("utf-8", "surrogateescape"), None)) if name else None
    except (ValueError, IndexError, AttributeError, TypeError):
        return None


def _texts(file: Input, message: Message, line: int | None) -> Iterator[str]:
    """Yield the text of each part in order, forwarded messages included; of alternatives, the best one that has
    text."""
    waiting: list[tuple[Message, int]] = [(message, 0)]
    while waiting:
        part, depth = waiting.pop()
        if depth > MOST_NESTED_PARTS:
            raise file.error(
                f"parts nested more than {MOST_NESTED_PARTS} deep",
                line=line,
                hint="leave the file out: a real message is not nested this deeply",
            )
        kind = part.get_content_type()
        # The headers of a delivery report repeat what its text says.
        if kind == "message/delivery-status":
            continue
        if kind == "message/rfc822" or (kind == "message/global" and part.is_multipart()):
            for inner in _parts(part)[:1]:
                names = ("from", "date", "subject")
                yield "\n".join(f"{name.title()}: {value}" for name in names if (value := _header(inner, name)))
                waiting.append((inner, depth + 1))
        elif kind == "multipart/alternative":
            waiting.extend((inner, depth + 1) for inner in _best_alternative(_parts(part)))
        elif part.is_multipart():
            waiting.extend((inner, depth + 1) for inner in reversed(_parts(part)))
        elif part.get_content_maintype() == "multipart" and isinstance(part.get_payload(), str):
            # The multipart message contains none of its declared boundaries, so the parser made it a single text.
            yield _text(part)
        elif part.get_content_maintype() == "text" and _attachment(part) is None:
            yield _text(part)


def _parts(part: Message) -> list[Message]:
    return [inner for inner in part.get_payload() if isinstance(inner, Message)] if part.is_multipart() else []


def _best_alternative(parts: list[Message]) -> list[Message]:
    """Return the plain text, else the richest other form that has text, as a list of at most one part."""
    plain = [part for part in parts if part.get_content_type() == "text/plain"]
    # Try the calendar entry of an invitation last, because it repeats the text.
    others = sorted(parts, key=lambda part: part.get_content_type() != "text/calendar")
    for part in (*plain, *(other for other in reversed(others) if other not in plain)):
        if any(_text(leaf).strip() for leaf in part.walk() if leaf.get_content_maintype() == "text"):
            return [part]
    return []


def _text(part: Message) -> str:
    """Return the text of a part of type text/*, without its markup."""
    kind = part.get_content_type()
    if kind in ("text/x-vcard", "text/vcard", "text/css"):
        return ""
    if encoding := part["content-transfer-encoding"]:
        # The parser does not strip white space after the encoding's name.
        part.replace_header("content-transfer-encoding", str(encoding).strip())
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        charset = part.get_content_charset()
    except (LookupError, ValueError, TypeError, AttributeError):
        charset = None
    if kind == "text/html" and charset is None and (named := _HTML_CHARSET.search(payload, 0, 4096)):
        charset = named[1].decode("ascii")
    text = decode_bytes(payload, charset).replace("\r\n", "\n").replace("\r", "\n")
    if kind in ("text/html", "text/x-amp-html"):
        return "".join(block.text for block in blocks_of_html(text))
    if kind == "text/calendar":
        return _invitation(text)
    if str(part.get_param("delsp", "")).lower() == "yes" and str(part.get_param("format", "")).lower() == "flowed":
        # In format=flowed, a space at the end of a line marks a line break inserted by the mail program.
        return text.replace(" \n", "")
    return text


def _invitation(text: str) -> str:
    """Return an invitation's summary, location and description."""
    unfolded = re.sub(r"\n[ \t]", "", text)
    values = [found[2].strip() for line in unfolded.split("\n") if (found := _CALENDAR_LINE.match(line))]
    plain = [re.sub(r"\\(.)", lambda m: "\n" if m[1] in "nN" else m[1], value) for value in values]
    return "\n".join(dict.fromkeys(filter(None, plain)))
