"""Tests of the core and of each part name no part that their database lacks."""

from __future__ import annotations

import re

import pytest

from support.parts import OF_ALL, OWNERS, TESTS, is_installed, with_needs

pytestmark = pytest.mark.any_version
FILES = {
    file.relative_to(TESTS).as_posix(): file.read_text()
    for folder in ("core", "parts")
    for file in sorted((TESTS / folder).glob("*/*.py"))
    if file.parent.name not in OF_ALL
}


def foreign(name: str) -> set[str]:
    """Return the names in a test file that belong to parts other than its own part and the parts which that part
    needs."""
    folder, part, _ = name.split("/")
    own = with_needs([part] if folder == "parts" else [])
    named = set(re.findall(r"\bbraid(?:_calls|_store)?\.(\w+)", FILES[name]))
    return {word for word in named & OWNERS.keys() if OWNERS[word] not in own}


def test_what_several_parts_do_is_tested_in_together() -> None:
    assert len(FILES) > 100
    assert {name: found for name in FILES if (found := foreign(name))} == {}


def test_parts_are_found() -> None:
    assert with_needs(["learning"]) >= {"learning", "evaluation", "search_log", "reranking"}
    assert OWNERS["sync_table"] == "sync" and OWNERS["late_interaction"] == "reranking"
    assert "hybrid_search" not in OWNERS and is_installed("select braid.hybrid_search('x')")
