"""The way down: a function calls functions of its own folder of sql/ and of those before it, never of one after it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
SQL = Path(__file__).parents[2] / "sql"
TEXTS = {file.relative_to(SQL).as_posix(): file.read_text() for file in sorted(SQL.rglob("*.sql"))}
OBJECT = re.compile(r"^create or replace (function|view) (braid(?:_calls|_store)?\.\w+)", re.M)
OBJECTS = {name: (kind, file) for file, text in TEXTS.items() for kind, name in OBJECT.findall(text)}
# Privileges are given to all that there is.
LAST = "99_privileges"


def code_of(text: str) -> str:
    """Without what only people read: comments, and the texts of errors. Other strings can be dynamic SQL."""
    text = re.sub(r"^comment on .*?;$", "", re.sub(r"--[^\n]*", "", text), flags=re.M | re.S)
    return re.sub(r"\braise \w+.*?;\n", lambda found: re.sub(r"'(?:[^']|'')*'", "''", found[0]), text, flags=re.S)


def uses_of(text: str) -> set[str]:
    """The functions that a file calls and the views that it reads, by name."""
    named = re.findall(r"\b(braid(?:_calls|_store)?\.\w+)\b(\s*\()?", code_of(text))
    return {name for name, call in named if name in OBJECTS and (call or OBJECTS[name][0] == "view")}


USES = {file: {OBJECTS[name][1] for name in uses_of(text)} for file, text in TEXTS.items()}


def folder_of(file: str) -> str:
    return file.rpartition("/")[0]


def test_calls_are_found() -> None:
    assert "70_search/4_run/run_search.sql" in USES["70_search/4_run/hybrid_search.sql"]
    assert uses_of("select braid.version () from braid.collections c") == {"braid.version", "braid.collections"}
    assert uses_of("-- braid.version()\nraise warning 'braid.status()';\n") == set()
    assert uses_of("execute 'select braid.status()';") == {"braid.status"}


def test_calls_go_down() -> None:
    """Folders are numbered so that their names are in order."""
    upwards = {
        file: above
        for file, used in USES.items()
        if not file.startswith(LAST) and (above := sorted(f for f in used if folder_of(f) > folder_of(file)))
    }
    assert upwards == {}


def test_a_folder_is_seen_at_a_glance() -> None:
    sizes = Counter(map(folder_of, TEXTS))
    assert {folder: size for folder, size in sizes.items() if size > 25} == {}
    mixed = {folder for folder in sizes for other in sizes if other.startswith(f"{folder}/")}
    assert mixed == set(), "files beside folders: which of them come first?"
