"""Test that statements name the functions that they call; the names decide which reads go to standbys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pgbraid
from pgbraid._reads import READS

pytestmark = pytest.mark.any_version
PACKAGE = Path(pgbraid.__file__).parent


def statements() -> Iterator[tuple[str, set[str], set[str]]]:
    """Yield each statement's place, the functions named beside it, and the functions in its text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "rows"):
                continue
            named, *texts = (ast.unparse(argument) for argument in node.args) if node.args else ("()",)
            if texts and "session" in ast.unparse(node.func.value):
                called = set(re.findall(r"\bbraid(?:_calls)?\.(\w+)", texts[0])) - {"tenant"}
                yield f"{path.name}:{node.lineno}", set(re.findall(r"'(\w+)'", named)), called


def test_statements_name_the_functions_that_they_call() -> None:
    found = list(statements())
    assert len(found) > 5
    assert [one for one in found if one[1] != one[2] and one[1] and one[2]] == []


def test_searches_are_reads_and_writes_are_not() -> None:
    assert {"logged_search", "search_json", "get_document", "collections", "collection_spaces"} <= READS
    assert not {"upsert_documents", "store_query_embedding", "record_feedback", "health"} & READS
