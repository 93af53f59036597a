"""The parts that the databases of tests have besides the core."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest

from pgbraid.install import choice, resources

# What a new database of users has.
DEFAULT = choice.default_parts
TESTS = Path(__file__).parents[1]
SQL = TESTS.parent / "sql"
MANIFESTS: dict[str, dict[str, Any]] = {
    file.parent.name: json.loads(file.read_text()) for file in sorted(SQL.glob("parts/*/part.json"))
}
ALL = frozenset(MANIFESTS)
# Folders of tests/core and of tests/parts that try all functions, or what all parts store.
OF_ALL = {"catalog", "isolation", "plans", "postgrest", "standby", "transfer"}
# A qualified name, or a key of JSON.
NAMES = re.compile(r"\bbraid(?:_calls|_store)?\.(\w+)|\"(\w+)\":")
_patch = pytest.MonkeyPatch()
_chosen: frozenset[str] | None = None


def install_only(names: Collection[str]) -> None:
    """From now on a new database of this process has these parts, and what they need, where none are named."""
    found = resources.resources()
    if unknown := sorted({*names} - found.parts.keys()):
        raise pytest.UsageError(f"--parts: there is no part {unknown[0]}; there are all, {', '.join(found.parts)}")
    _patch.setattr(choice, "default_parts", lambda found: choice.with_needs(found, names))


def install_all() -> None:
    """From now on a new database of this process has all parts, those that are not stable as well."""
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
    """Return the parts that there are where all functions are tried."""
    return ALL if _chosen is None else _chosen


def of_file(file: Path, *, is_default_version: bool) -> frozenset[str]:
    """Return the parts of a test file's databases, unless the run has chosen some.

    On the default version of PostgreSQL these are all parts. On others, and where tests run on one version alone, tests
    of the core have the core, and those of a part what the part needs. What tries all functions always has all parts.
    """
    folder, *inner = file.relative_to(TESTS).parts
    if _chosen is not None or folder not in ("core", "parts") or inner[0] in OF_ALL:
        return chosen()
    if is_default_version and "any_version" not in file.read_text():
        return ALL
    return with_needs(inner[:1] if folder == "parts" else ())


def with_needs(parts: Iterable[str]) -> frozenset[str]:
    """Return parts with those that they need."""
    found = set(parts)
    return frozenset(found.union(*(with_needs(MANIFESTS[part]["needs"]) for part in found)))


def part_of(file: Path) -> str:
    """Return the part that a file of `sql/` belongs to, or core."""
    folder, name, *_ = file.relative_to(SQL).parts
    return name if folder == "parts" else folder


def _owners() -> dict[str, str]:
    """Return the part of each function, view, table, setting and option that is a part's."""
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
    """Tell whether statements name nothing of a part that is not chosen."""
    names = {name for text in statements for found in NAMES.findall(text) for name in found}
    return {OWNERS[name] for name in names & OWNERS.keys()} <= chosen()
