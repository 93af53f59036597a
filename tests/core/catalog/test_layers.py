"""Calls go downwards: a function calls functions of its own folder of sql/ and of earlier folders, never of a later
one. The core names no part, and a part names only the parts that its manifest needs."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest

pytestmark = pytest.mark.any_version
SQL = Path(__file__).parents[3] / "sql"
TEXTS = {file.relative_to(SQL).as_posix(): file.read_text() for file in sorted(SQL.rglob("*.sql"))}
OBJECT = re.compile(r"^create or replace (function|procedure|view) (braid(?:_calls|_store)?\.\w+)", re.M)
OBJECTS = {name: (kind, file) for file, text in TEXTS.items() for kind, name in OBJECT.findall(text)}
MANIFESTS = {file.parent.name: json.loads(file.read_text()) for file in SQL.rglob("part.json")}
MANIFEST_KEYS = {
    *("sentence", "needs", "since", "is_stable", "tables", "maintenance", "settings", "own_queries"),
    *("records", "chunk_records", "document_records", "columns", "exported_settings"),
}
# This folder grants privileges on every object, so it may name all of them.
LAST = "core/99_privileges"


def code_of(text: str) -> str:
    """Return SQL without comments and without the texts of errors, which only people read. Other strings stay: they
    can be dynamic SQL."""
    text = re.sub(r"^comment on .*?;$", "", re.sub(r"--[^\n]*", "", text), flags=re.M | re.S)
    return re.sub(r"\braise \w+.*?;\n", lambda found: re.sub(r"'(?:[^']|'')*'", "''", found[0]), text, flags=re.S)


def uses_of(text: str) -> set[str]:
    """Return the names of the functions that a file calls and of the views that it reads."""
    named = re.findall(r"\b(braid(?:_calls|_store)?\.\w+)\b(\s*\()?", code_of(text))
    return {name for name, call in named if name in OBJECTS and (call or OBJECTS[name][0] == "view")}


USES = {file: {OBJECTS[name][1] for name in uses_of(text)} for file, text in TEXTS.items()}


TABLES = {table: part for part, manifest in MANIFESTS.items() for table in manifest.get("tables", {})}
COLUMNS = """
select distinct a.attname
from pg_attribute a join pg_class c on c.oid = a.attrelid
where c.relnamespace = 'braid_store'::regnamespace and c.relkind = any ('{r,p}') and c.relname <> all (%s)
"""


def folder_of(file: str) -> str:
    return file.rpartition("/")[0]


def part_of(file: str) -> str:
    """Return the part that a file belongs to, or core."""
    folders = file.split("/")
    return "core" if folders[0] == "core" else folders[1]


def needed_by(part: str) -> set[str]:
    """Return the parts that a part may name: the parts that its manifest needs, and the parts that they need."""
    needs = set(MANIFESTS[part]["needs"])
    return needs.union(*map(needed_by, needs))


def test_calls_are_found() -> None:
    assert "core/80_search/70_run/run_search.sql" in USES["core/80_search/70_run/hybrid_search.sql"]
    assert uses_of("select braid.version () from braid.collections c") == {"braid.version", "braid.collections"}
    assert uses_of("-- braid.version()\nraise warning 'braid.status()';\n") == set()
    assert uses_of("execute 'select braid.status()';") == {"braid.status"}


def test_calls_go_down() -> None:
    """No function calls upwards; the folders' numbers give the order."""
    upwards = {
        file: above
        for file, used in USES.items()
        if not file.startswith(LAST)
        and (above := sorted(f for f in used if part_of(f) == part_of(file) and folder_of(f) > folder_of(file)))
    }
    assert upwards == {}


def objects_of_parts() -> set[str]:
    """Return the names of functions, views and tables that only parts define."""
    names = {(name.partition(".")[2], part_of(file)) for name, (_, file) in OBJECTS.items()} | set(TABLES.items())
    return {name for name, part in names if part != "core"} - {name for name, part in names if part == "core"}


@pytest.fixture(scope="module")
def keys() -> set[str]:
    """Return the names of the parts' settings and options."""
    found = {key for text in TEXTS.values() for key in re.findall(r"\bparts (?:->>?|\?) '(\w+)'", code_of(text))}
    found.update(key for manifest in MANIFESTS.values() for key in manifest.get("settings", {}))
    for file in SQL.glob("parts/**/options.json"):
        found.update(json.loads(file.read_text()))
    return found


def named(text: str, objects: set[str], keys: set[str]) -> set[str]:
    """Return the names of parts that a text of the core contains. Comments and the texts of errors count, because
    users without the part read them. A plain word counts only where it is qualified, or is a key or an attribute."""
    written = {word for word in re.findall(r"\w+", text) if "_" in word}
    qualified = set(re.findall(r"\bbraid(?:_calls|_store)?[.](\w+)", text))
    # A key stands alone in a string, or in a string that is an array or a path.
    read = set(re.findall(r"(?:[.]|^  )(\w+)|'(\w+)'|[{,](\w+)(?=[,}])", text, re.M))
    return objects & (written | qualified) | keys & (written | {word for words in read for word in words})


def test_the_core_names_nothing_of_parts(keys: set[str]) -> None:
    """The core names no object and no key of a part. A column of a part is found too, because its table is named
    beside it."""
    found = {
        (Path(file).stem, name)
        for file, text in TEXTS.items()
        if part_of(file) == "core" and not file.startswith(LAST)
        for name in named(text, objects_of_parts(), keys)
    }
    assert found == set()


def test_no_table_of_the_core_has_a_column_of_a_part(shared_db: psycopg.Connection[Any], keys: set[str]) -> None:
    others = [table for table, part in TABLES.items() if part != "core"]
    columns = {column for (column,) in shared_db.execute(COLUMNS, (others,)).fetchall()}
    assert columns & {*keys, *others} == set()


def test_names_are_found() -> None:
    text = "select t.made_at, x.kind, o -> 'model', 'queries' from braid_store.models t; -- list_models"
    assert named(text, {"models", "list_models", "queries"}, {"model", "kind"}) == {
        "models",
        "list_models",
        "model",
        "kind",
    }
    assert named("a model of 'queries'", {"queries"}, {"model"}) == set()


def test_parts_call_the_parts_that_they_need() -> None:
    found = {
        f"{file} names {name} of {other}"
        for file, text in TEXTS.items()
        if (part := part_of(file)) != "core"
        for name, other in [
            *((name, part_of(OBJECTS[name][1])) for name in uses_of(text)),
            *((name, TABLES.get(name, "core")) for name in re.findall(r"\bbraid_store[.](\w+)", code_of(text))),
        ]
        if other not in {"core", part, *needed_by(part)}
    }
    assert found == set()


def test_every_part_has_a_manifest() -> None:
    assert MANIFESTS.keys() == {part_of(file) for file in TEXTS}
    for manifest in MANIFESTS.values():
        assert manifest.keys() >= {"sentence", "needs", "since", "is_stable"}
        assert manifest["sentence"].endswith(".")
    unknown = {part: keys for part, manifest in MANIFESTS.items() if (keys := manifest.keys() - MANIFEST_KEYS)}
    assert unknown == {}, "nobody reads these keys of part.json: see docs/internals/parts.md"


def test_every_extension_is_called() -> None:
    """Each extension is named after an extension point and its part. Any other name could become a new point's,
    whose body would then be overwritten."""
    lost = {}
    for name, (_, file) in OBJECTS.items():
        if ".extend_" in name and part_of(file) != "core":
            point = name.removesuffix(f"_{part_of(file)}")
            # A part calls its own extension points.
            callers = [other for other, used in USES.items() if file in used and other != file]
            if point not in OBJECTS or (point == name and not callers):
                lost[file] = point
    assert lost == {}, "an extension has the name of a point, then _ and its part's: see docs/internals/parts.md"


def test_a_folder_is_seen_at_a_glance() -> None:
    sizes = Counter(map(folder_of, TEXTS))
    assert {folder: size for folder, size in sizes.items() if size > 25} == {}
    mixed = {folder for folder in sizes for other in sizes if other.startswith(f"{folder}/")}
    assert mixed == set(), "files beside folders: which of them come first?"


def test_the_map_has_every_folder() -> None:
    """docs/internals/architecture.md lists every folder of sql/."""
    listed = re.findall(
        r"^\| `sql/(\w+/\w+)` \|", (SQL.parent / "docs" / "internals" / "architecture.md").read_text(), re.M
    )
    folders = sorted({"/".join(file.split("/")[:2]) for file in TEXTS})
    assert set(listed) ^ set(folders) == set(), (
        "list it in the map of docs/internals/architecture.md, with what is in it"
    )
    assert listed == folders, "the map of docs/internals/architecture.md is in the order of names"


def test_the_list_of_tables_has_every_table() -> None:
    text = (SQL.parent / "docs" / "internals" / "architecture.md").read_text()
    listed = re.findall(r"`(\w+)`", text.partition("\n## The tables")[2].partition("\n## ")[0])
    assert TABLES.keys() - set(listed) == set(), (
        "list it in docs/internals/architecture.md, The tables, and how rows come and go"
    )
