"""E-mail: single messages and mailboxes. A message is a document of its sender."""

from __future__ import annotations

import email
import email.errors
import email.policy
import re
from collections.abc import Iterator
from datetime import timezone
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime
from typing import Any

from pgbraid.files.dates import date_in_name
from pgbraid.files.drafts import MOST_WHOLE_BYTES, Draft, Input, NoText
from pgbraid.files.html import blocks_of_html
from pgbraid.ingestion.documents import MOST_CONTENT_BYTES

__all__ = ["mail_drafts", "mailbox_drafts"]

_HINT = "it may have large attachments: leave them out"
MOST_TITLE_CHARACTERS = 1_000


def mail_drafts(file: Input) -> Iterator[Draft]:
    if file.size > MOST_WHOLE_BYTES:
        raise file.too_large(MOST_WHOLE_BYTES, _HINT)
    values = _values(file, file.path.read_bytes(), None)
    if values is None:
        raise NoText("no text")
    if "occurred_at" not in values and (day := date_in_name(file.path.name)):
        values["occurred_at"] = day
    yield Draft(values, None, file.size)


def mailbox_drafts(file: Input) -> Iterator[Draft]:
    """A message each, told apart by their Message-ID."""
    seen: set[str] = set()
    for number, (data, line, position) in enumerate(_messages(file), 1):
        if data is None:
            problem = file.error(f"a message of more than {MOST_WHOLE_BYTES} bytes", line=line, hint=_HINT)
            yield Draft(line=line, position=position, error=problem)
            continue
        values = _values(file, data, line)
        name = str(values["metadata"].get("message_id", "")) if values else ""
        place = name[:200] or f"message-{number}"
        # The same message may have been filed twice.
        if values is None or place in seen:
            yield Draft(line=line, position=position, skipped=True)
            continue
        seen.add(place)
        yield Draft(values, place, position, line)
    if not seen:
        raise NoText("no messages")


def _messages(file: Input) -> Iterator[tuple[bytes | None, int, int]]:
    """The bytes of each message, or None if it is too large; its line, and how many bytes were read."""
    held: list[bytes] = []
    size = 0
    begins = 1
    after_blank = True
    position = 0
    with file.path.open("rb") as lines:
        for line, data in enumerate(lines, 1):
            if data.startswith(b"From ") and after_blank:
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


def _values(file: Input, data: bytes, line: int | None) -> dict[str, Any] | None:
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    senders = getaddresses([_header(message, "from")])
    sender = next((name or address for name, address in senders), "")
    subject = _header(message, "subject")
    text = _body(message).replace("\0", "").strip()
    if not text and not subject:
        return None
    people = {
        key: [address for _, address in getaddresses([_header(message, key)]) if address]
        for key in ("from", "to", "cc")
    }
    attachments = [str(name) for part in message.walk() if (name := _filename(part))]
    metadata = {
        **{key: addresses for key, addresses in people.items() if addresses},
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
    if sent := _date(message):
        values["occurred_at"] = sent
    return values


def _header(message: EmailMessage, name: str) -> str:
    try:
        return (
            re.sub(r"\s+", " ", str(message[name] or "")).replace("\0", "").encode("utf-8", "replace").decode().strip()
        )
    # The parser of headers fails on some that are malformed.
    except (ValueError, IndexError, AttributeError, TypeError, email.errors.HeaderParseError):
        return ""


def _date(message: EmailMessage) -> str | None:
    try:
        sent = parsedate_to_datetime(_header(message, "date"))
    except (ValueError, TypeError, IndexError):
        return None
    return (sent if sent.tzinfo else sent.replace(tzinfo=timezone.utc)).isoformat()


def _filename(part: Any) -> str | None:
    try:
        return part.get_filename() if part.get_content_disposition() == "attachment" else None
    except (ValueError, IndexError, AttributeError, TypeError):
        return None


def _body(message: EmailMessage) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    try:
        text = str(part.get_content())
    except (LookupError, ValueError, AttributeError, TypeError):
        payload = part.get_payload(decode=True)
        text = payload.decode("latin-1") if isinstance(payload, bytes) else ""
    text = text.encode("utf-8", "replace").decode()
    if part.get_content_type() == "text/html":
        return "".join(block.text for block in blocks_of_html(text))
    return text
