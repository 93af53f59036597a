"""A handful of documents that the README's searches find."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

from pgbraid.ingestion.standard_library import standard_library_documents

TITLES = (
    "json.decoder.JSONDecodeError",
    "json.decoder.JSONDecoder",
    "collections.OrderedDict",
    "threading.Barrier",
    "threading.Event",
    "asyncio.locks.Barrier",
    "asyncio.tasks.Task",
)
# Every condition of the README's example of filters holds for it.
PRICING_CALL: dict[str, Any] = {
    "external_id": "call-3",
    "title": "Pricing call",
    "speaker": "Ana",
    "content": "Their objections are about the price per seat, and they ask for a discount.",
    "importance": 4,
    "occurred_at": "2026-02-03T10:00:00Z",
    "metadata": {"tags": ["pricing"], "account": {"tier": "silver"}},
}
OTHERS: tuple[dict[str, Any], ...] = (
    {"external_id": "call-4", "speaker": "Ben", "content": "Objections to the pricing page.", "importance": 1},
    {"external_id": "note-1", "title": "Lunch", "content": "Soup on Monday, pasta on Tuesday."},
)


@cache
def documents() -> list[dict[str, Any]]:
    wanted = (document for document in standard_library_documents() if document["title"] in TITLES)
    found = list(islice(wanted, len(TITLES)))
    assert len(found) == len(TITLES), "the standard library has changed"
    return [*found, PRICING_CALL, *OTHERS]
