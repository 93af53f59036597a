"""Test times and snippets of results."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from pgbraid.results import SearchResult, SearchResults
from pgbraid.stored import WriteSummary

pytestmark = pytest.mark.any_version

ROW = {"chunk_id": 1, "document_id": 2, "external_id": "a", "chunk_index": 0, "content": "text", "score": 0.5}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-03-01T12:00:00+00:00", datetime(2026, 3, 1, 12, tzinfo=timezone.utc)),
        ("2026-03-01T12:00:00.1+00:00", datetime(2026, 3, 1, 12, 0, 0, 100000, tzinfo=timezone.utc)),
        ("2026-03-01T17:30:00.123456+05:30", datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=timezone.utc)),
        ("infinity", datetime.max.replace(tzinfo=timezone.utc)),
        ("-infinity", datetime.min.replace(tzinfo=timezone.utc)),
        (None, None),
    ],
)
def test_times_are_parsed(given: str | None, expected: datetime | None) -> None:
    assert SearchResult.from_row({**ROW, "occurred_at": given}).occurred_at == expected


def test_columns_of_a_newer_database_are_passed_over() -> None:
    assert SearchResult.from_row({**ROW, "sparse_rank": 1}).external_id == "a"


def test_a_long_text_is_shown_from_where_the_query_occurs() -> None:
    content = "filler " * 200 + "the needle is here " + "filler " * 200
    shown = str(SearchResults([SearchResult.from_row({**ROW, "content": content})], query="needle"))
    assert "needle" in shown
    assert len(shown) < 500


def test_summaries_add_up() -> None:
    total = WriteSummary(inserted=1, chunks=2) + WriteSummary(inserted=1, unchanged=3)
    assert (total.inserted, total.unchanged, total.chunks, total.documents) == (2, 3, 2, 5)
