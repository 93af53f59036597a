"""Test pgbraid demo with fewer documents."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from pgbraid_tools import standard_library

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


def test_the_demo_shows_three_searches_and_runs_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    every = standard_library.standard_library_documents
    monkeypatch.setattr(standard_library, "standard_library_documents", lambda: islice(every(), 40))
    first = run("demo")
    assert first.code == 0
    assert "40 inserted" in first.out
    assert "embedding chunks" in first.err
    assert first.out.count("$ pgbraid search") == 3
    assert "full text #1" in first.out
    assert "semantic #1" in first.out
    assert "no results" in run("search", "keys", "--mode", "full_text").out, "the collection default is the user's"
    again = run("demo")
    assert "40 unchanged" in again.out
    assert "embedding chunks" not in again.err


def test_the_standard_librarys_documents() -> None:
    documents = {document["external_id"]: document for document in standard_library.standard_library_documents()}
    assert 300 < len(documents) < 2000
    ordered = documents["class:collections.OrderedDict"]
    assert ordered["title"] == "collections.OrderedDict"
    assert ordered["metadata"] == {"module": "collections", "kind": "class", "package": "collections"}
    assert "module:json" in documents
