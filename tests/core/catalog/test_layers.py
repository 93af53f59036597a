"""The way down: a function calls functions of its own folder of sql/ and of those before it, never of one after it. The
core names no part, and a part names only those that its manifest says it needs."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
SQL = Path(__file__).parents[3] / "sql"
TEXTS = {file.relative_to(SQL).as_posix(): file.read_text() for file in sorted(SQL.rglob("*.sql"))}
OBJECT = re.compile(r"^create or replace (function|view) (braid(?:_calls|_store)?\.\w+)", re.M)
OBJECTS = {name: (kind, file) for file, text in TEXTS.items() for kind, name in OBJECT.findall(text)}
MANIFESTS = {file.parent.name: json.loads(file.read_text()) for file in SQL.rglob("part.json")}
# Privileges are given to all that there is.
LAST = "core/99_privileges"

# What the core still calls of parts.
EXCEPTIONS: set[tuple[str, str]] = {
    ("compile_request", "choose_model"),
    ("compile_request", "compile_profile"),
    ("compile_request", "prepare_token_vectors"),
    ("explain_rows", "explain_model"),
    ("rank_found", "rank_by_model"),
    ("rank_found", "rank_by_tokens"),
    ("read_search_options", "read_late_interaction_option"),
    ("read_search_options", "read_model_option"),
    ("read_search_options", "read_profile_option"),
    ("store_chunks", "place_token_vectors"),
}


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


def part_of(file: str) -> str:
    """The part that has a file, or core."""
    folders = file.split("/")
    return "core" if folders[0] == "core" else folders[1]


def needed_by(part: str) -> set[str]:
    """The parts that a part may name: those of its manifest, and what these need."""
    needs = set(MANIFESTS[part]["needs"])
    return needs.union(*map(needed_by, needs))


def test_calls_are_found() -> None:
    assert "core/80_search/70_run/run_search.sql" in USES["core/80_search/70_run/hybrid_search.sql"]
    assert uses_of("select braid.version () from braid.collections c") == {"braid.version", "braid.collections"}
    assert uses_of("-- braid.version()\nraise warning 'braid.status()';\n") == set()
    assert uses_of("execute 'select braid.status()';") == {"braid.status"}


def test_calls_go_down() -> None:
    """Folders are numbered so that their names are in order."""
    upwards = {
        file: above
        for file, used in USES.items()
        if not file.startswith(LAST)
        and (above := sorted(f for f in used if part_of(f) == part_of(file) and folder_of(f) > folder_of(file)))
    }
    assert upwards == {}


def test_the_core_calls_no_part() -> None:
    found = {
        (Path(file).stem, Path(other).stem)
        for file, used in USES.items()
        if part_of(file) == "core" and not file.startswith(LAST)
        for other in used
        if part_of(other) != "core"
    }
    assert found == EXCEPTIONS


def test_parts_call_the_parts_that_they_need() -> None:
    found = {
        f"{file} calls {other}"
        for file, used in USES.items()
        if (part := part_of(file)) != "core"
        for other in used
        if part_of(other) not in {"core", part, *needed_by(part)}
    }
    assert found == set()


def test_every_part_has_a_manifest() -> None:
    assert MANIFESTS.keys() == {part_of(file) for file in TEXTS}
    for manifest in MANIFESTS.values():
        assert manifest.keys() >= {"sentence", "needs", "since", "is_stable"}
        assert manifest["sentence"].endswith(".")


def test_a_folder_is_seen_at_a_glance() -> None:
    sizes = Counter(map(folder_of, TEXTS))
    assert {folder: size for folder, size in sizes.items() if size > 25} == {}
    mixed = {folder for folder in sizes for other in sizes if other.startswith(f"{folder}/")}
    assert mixed == set(), "files beside folders: which of them come first?"


def test_the_map_has_every_folder() -> None:
    """docs/architecture.md."""
    listed = re.findall(r"^\| `sql/(\w+/\w+)` \|", (SQL.parent / "docs" / "architecture.md").read_text(), re.M)
    assert listed == sorted({"/".join(file.split("/")[:2]) for file in TEXTS})
