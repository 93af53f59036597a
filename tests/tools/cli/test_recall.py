"""Test pgbraid recall."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import pgbraid

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


@pytest.fixture
def searchable(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(
        [
            {"external_id": "new", "content": "a zebra", "occurred_at": "2025-03-05T10:00:00Z"},
            {"external_id": "old", "content": "a zebra", "occurred_at": "2024-03-05T10:00:00Z"},
        ]
    )
    return client


@pytest.mark.usefixtures("searchable")
def test_results_in_a_timeframe(run: Run) -> None:
    done = run("recall", "zebra", "--timeframe", "March 2025", "--strategy", "full_text", "--time-zone", "UTC")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("full_text\n2025-03-01T00:00:00+00:00 to 2025-04-01T00:00:00+00:00\n\n 1. new")
    assert " 2." not in done.out


@pytest.mark.usefixtures("searchable")
def test_json_and_auto(run: Run) -> None:
    said = ("recall", "zebra in March 2024", "--timeframe", "auto", "--strategy", "auto", "-k", 1, "--json")
    answer = json.loads(run(*said).out)
    assert [row["external_id"] for row in answer["results"]] == ["old"]
    assert answer["stats"]["recall"]["searched_text"] == "zebra"


@pytest.mark.usefixtures("searchable")
def test_what_is_not_understood(run: Run) -> None:
    done = run("recall", "zebra", "--timeframe", "soon")
    assert done.code == 2
    assert "timeframe 'soon' is not understood" in done.err
    assert "last 3 days" in done.err
    assert run("recall", "zebra", "--filters", "{").code == 2
    assert (
        "'--match-count' / '--limit': 99999999999 is not in the range" in run("recall", "zebra", "-k", 99999999999).err
    )
