"""Read parts of the user's own from folders."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pgbraid.errors import InvalidArgumentError
from pgbraid.install import resources as carried
from pgbraid.install.resources import QUOTE, Resources, SqlFile, assembled, read_files, resources

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
# Optional keys of a manifest, with the type of their values. A wrong one would otherwise break each call that reads it.
OBJECTS = {"tables": dict, "settings": dict, "maintenance": int, "records": int, "own_queries": int}
LISTS = ("needs", "chunk_records", "exported_settings")


def with_own_parts(folders: Sequence[Path]) -> Resources:
    """Return the package's files with the parts in these folders. Raise `InvalidArgumentError` for invalid folders."""
    if not folders:
        return resources()
    names = [folder.name for folder in folders]
    if brought := sorted({*names} & resources().parts.keys()):
        raise InvalidArgumentError(f"pgbraid has a part {brought[0]} already", hint="give the folder another name")
    if twice := [name for name in names if names.count(name) > 1]:
        raise InvalidArgumentError(f"two folders are called {twice[0]}", hint="give one of them another name")
    own = [_own_part(folder) for folder in folders]
    return assembled(
        [*read_files(carried.ROOT / "sql"), *(file for files, _ in own for file in files)],
        [*read_files(carried.ROOT / "migrations"), *(file for _, files in own for file in files)],
        frozenset(names),
    )


def _own_part(folder: Path) -> tuple[list[SqlFile], list[SqlFile]]:
    """Return the files of the user's own part, named as in sql/ and in migrations/."""
    page = "docs/internals/parts.md says what it needs"
    if not NAME.fullmatch(folder.name):
        raise InvalidArgumentError(
            f"a part cannot be called {folder.name!r}", hint="name its folder in small letters, digits and _, up to 40"
        )
    try:
        files = read_files(folder)
        objects = {file.name: json.loads(file.text) for file in files if file.name.endswith(".json")}
    except OSError as error:
        raise InvalidArgumentError(f"{error.filename} cannot be read: {error.strerror}", hint=page) from error
    except (ValueError, RecursionError) as error:
        what = "UTF-8" if isinstance(error, UnicodeError) else "JSON"
        raise InvalidArgumentError(f"the part {folder} is no {what}: {error}", hint=page) from error
    manifest = objects.get("part.json")
    if manifest is None:
        raise InvalidArgumentError(f"{folder} has no part.json", hint=page)
    kinds = {"sentence": str, "needs": list, "since": str, "is_stable": bool}
    for key, kind in kinds.items():
        if not isinstance(manifest, dict) or not isinstance(manifest.get(key), kind):
            raise InvalidArgumentError(f"{folder}/part.json has no {key}", hint=page)
    if wrong := _wrong_key(manifest):
        raise InvalidArgumentError(f"{folder}/part.json has values of another kind for {wrong}", hint=page)
    of_others = resources().names_of_parts["settings"]
    if taken := sorted({*manifest.get("settings", ())} & of_others.keys()):
        raise InvalidArgumentError(
            f"the part {of_others[taken[0]]} has a setting {taken[0]} already", hint="give the setting another name"
        )
    for file in files:
        if file.name.startswith("migrations/") and not file.stem.startswith(f"{folder.name}."):
            raise InvalidArgumentError(
                f"the migration {file.name} of {folder} has another part's name",
                hint=f"name the migration like {folder.name}.0001.baseline.sql",
            )
        if QUOTE in file.text:
            raise InvalidArgumentError(f"{folder}/{file.name} contains {QUOTE}", hint="use another quote")
    place, inside = f"parts/{folder.name}/", "migrations/"
    return (
        [SqlFile(place + file.name, file.text) for file in files if not file.name.startswith(inside)],
        [SqlFile(place + file.name[len(inside) :], file.text) for file in files if file.name.startswith(inside)],
    )


def _wrong_key(manifest: dict[str, Any]) -> str | None:
    """Return a key of the manifest with values of a wrong type, else None."""
    for key in LISTS:
        given = manifest.get(key, [])
        if not isinstance(given, list) or not all(isinstance(value, str) for value in given):
            return key
    for key, kind in OBJECTS.items():
        given = manifest.get(key, {})
        if not isinstance(given, dict) or not all(type(value) is kind for value in given.values()):
            return key
    return None
