"""Choose the parts that the tests' databases have besides the core."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest

from pgbraid.install import choice, resources

# A user's new database gets these parts.
DEFAULT = choice.default_parts
TESTS = Path(__file__).parents[1]
SQL = TESTS.parent / "sql"
MANIFESTS: dict[str, dict[str, Any]] = {
    file.parent.name: json.loads(file.read_text()) for file in sorted(SQL.glob("parts/*/part.json"))
}
ALL = frozenset(MANIFESTS)
# Tests in these folders of tests/core and tests/parts need all functions, or the data of all parts.
OF_ALL = {"catalog", "isolation", "plans", "postgrest", "standby", "transfer"}
# The expression matches qualified names, and keys of JSON.
NAMES = re.compile(r"\bbraid(?:_calls|_store)?\.(\w+)|\"(\w+)\":")
_patch = pytest.MonkeyPatch()
_chosen: frozenset[str] | None = None


def install_only(names: Collection[str]) -> None:
    """Give new databases of this process these parts and the parts that they need, unless parts are named."""
    found = resources.resources()
    if unknown := sorted({*names} - found.parts.keys()):
        raise pytest.UsageError(f"--parts: there is no part {unknown[0]}; there are all, {', '.join(found.parts)}")
    _patch.setattr(choice, "default_parts", lambda found: choice.with_needs(found, names))


def install_all() -> None:
    """Give new databases of this process all parts, also unstable ones."""
    _patch.setattr(choice, "default_parts", lambda found: set(found.parts))


def choose(option: str) -> None:
    """Follow the option `--parts` of a run of tests."""
    global _chosen
    names = option.split(",")
    if option in ("", "all"):
        install_all()
        _chosen = ALL if option else None
    else:
        install_only(names)
        _chosen = with_needs(name for name in names if name != "core")


def chosen() -> frozenset[str]:
    """Return the parts for tests of all functions."""
    return ALL if _chosen is None else _chosen


def of_file(file: Path, *, is_default_version: bool) -> frozenset[str]:
    """Return the parts of a test file's databases, unless the run has chosen some.

    On the default version of PostgreSQL, a database has all parts. On other versions, and for tests that run on one
    version alone, tests of the core get the core, and a part's tests get the part and its needs. Tests of all functions
    always get all parts.
    """
    folder, *inner = file.relative_to(TESTS).parts
    if _chosen is not None or folder not in ("core", "parts") or inner[0] in OF_ALL:
        return chosen()
    if is_default_version and "any_version" not in file.read_text():
        return ALL
    return with_needs(inner[:1] if folder == "parts" else ())


def with_needs(parts: Iterable[str]) -> frozenset[str]:
    """Return parts with all parts that they need."""
    found = set(parts)
    return frozenset(found.union(*(with_needs(MANIFESTS[part]["needs"]) for part in found)))


def part_of(file: Path) -> str:
    """Return the name of the part that has a file of `sql/`, or core."""
    folder, name, *_ = file.relative_to(SQL).parts
    return name if folder == "parts" else folder


def _owners() -> dict[str, str]:
    """Return the part of each function, view, table, setting and option outside the core."""
    owners = {
        name: part
        for part, manifest in MANIFESTS.items()
        for key in ("tables", "settings")
        for name in manifest.get(key, ())
    }
    for file in SQL.glob("parts/**/*.*"):
        if file.suffix == ".sql":
            owners[file.stem] = part_of(file)
        elif file.name == "options.json":
            owners.update(dict.fromkeys(json.loads(file.read_text()), part_of(file)))
    return owners


OWNERS = _owners()


def is_installed(*statements: str) -> bool:
    """Tell whether statements name only objects of the core and of chosen parts."""
    names = {name for text in statements for found in NAMES.findall(text) for name in found}
    return {OWNERS[name] for name in names & OWNERS.keys()} <= chosen()
