"""Read the SQL that the package carries: `migrations/` and `sql/`."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from pgbraid.errors import InstallationError

ROOT = Path(__file__).parents[1] / "_sql"
FOUNDATION = "core/10_foundation/1_schemas/"
PRIVILEGES = "core/99_privileges/"
CORE = "core"
# Quotes whole files in an installation's SQL, so no file may contain it.
QUOTE = "$braid_file$"
MANIFEST = re.compile(r"(?:parts/)?(\w+)/part\.json")
OPTIONS = re.compile(r"parts/(\w+)/(?:\w+/)?options\.json")


@dataclass(frozen=True)
class SqlFile:
    """Hold a file of `sql/` or `migrations/`; `name` is its path inside, such as `core/50_filters/filter_key.sql`, and
    `stem` the name of a migration."""

    name: str
    text: str

    @property
    def content_hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def stem(self) -> str:
        return self.name.rpartition("/")[2].removesuffix(".sql")

    @property
    def owner(self) -> str:
        """Return the part that has the file, or core."""
        return self.name.split("/")[1] if self.name.startswith("parts/") else CORE


@dataclass(frozen=True)
class Resources:
    """Hold all files of an installation.

    `foundation` creates roles and schemas, which migrations need. `migrations` are in order of application: the core's,
    then each part's. `repeatable` are functions, views, policies and grants in order of application: the core, the
    parts, privileges. `parts` has the manifests of the core and of each part, each after the parts that it needs.
    `options` maps search options of parts to their part. `own` are parts that the package does not bring.
    """

    foundation: tuple[SqlFile, ...]
    migrations: tuple[SqlFile, ...]
    repeatable: tuple[SqlFile, ...]
    parts: Mapping[str, str]
    options: Mapping[str, str]
    own: frozenset[str] = frozenset()

    @cached_property
    def names_of_parts(self) -> dict[str, dict[str, str]]:
        """Return the part of each search option, setting, export record and chunk field, by kind and name."""
        names: dict[str, dict[str, str]] = {"options": dict(self.options), "settings": {}, "records": {}, "fields": {}}
        for part, text in self.parts.items():
            manifest = json.loads(text)
            for kind, key in (
                ("settings", "settings"),
                ("records", "records"),
                ("records", "chunk_records"),
                ("fields", "chunk_records"),
            ):
                names[kind] |= dict.fromkeys(manifest.get(key, ()), part)
        return names

    @property
    def migration_hashes(self) -> dict[str, str]:
        """Return content hashes by name of the migration."""
        return {file.stem: file.content_hash for file in self.migrations}

    def migrations_of(self, parts: Collection[str]) -> tuple[SqlFile, ...]:
        """Return the migrations of these parts, which include the core, in order."""
        return tuple(file for file in self.migrations if file.owner in parts)

    @cached_property
    def part_hashes(self) -> dict[str, str]:
        """Return one hash of all files per part and for the core, to compare installations. The core's covers the names
        of the package's parts as well, because the core reports missing parts."""
        digests = {name: hashlib.sha256(manifest.encode()) for name, manifest in self.parts.items()}
        for file in (*self.foundation, *self.migrations, *self.repeatable):
            digests[file.owner].update(f"{file.name} {file.content_hash}\n".encode())
        known = [("part", name, name) for name in self.parts]
        known += [(kind, name, part) for kind, names in self.names_of_parts.items() for name, part in names.items()]
        digests[CORE].update(json.dumps(sorted(one for one in known if one[2] not in self.own)).encode())
        return {name: digest.hexdigest() for name, digest in digests.items()}


def resources() -> Resources:
    """Return the package's files."""
    return _read(ROOT)


def migration_ids() -> tuple[str, ...]:
    return tuple(resources().migration_hashes)


@cache
def _read(root: Path) -> Resources:
    return assembled(read_files(root / "sql"), read_files(root / "migrations"), frozenset())


def assembled(files: Sequence[SqlFile], migrations: Sequence[SqlFile], own: frozenset[str]) -> Resources:
    """Return the resources that files of sql/ and of migrations/ make; parts in `own` are the user's own."""
    parts = _parts(files)
    places = list(parts)
    repeatable = [file for file in files if file.name.endswith(".sql") and not file.name.startswith(FOUNDATION)]

    def layer(file: SqlFile) -> tuple[bool, int]:
        return file.name.startswith(PRIVILEGES), places.index(file.owner)

    return Resources(
        foundation=tuple(file for file in files if file.name.startswith(FOUNDATION)),
        migrations=tuple(sorted(migrations, key=lambda file: places.index(file.owner))),
        repeatable=tuple(sorted(repeatable, key=layer)),
        parts=parts,
        options={
            name: found[1]
            for file in files
            if (found := OPTIONS.fullmatch(file.name))
            for name in json.loads(file.text)
        },
        own=own,
    )


def _parts(files: Iterable[SqlFile]) -> dict[str, str]:
    """Return the manifests by name, the core first, each part after the parts that it needs."""
    manifests = {found[1]: file.text for file in files if (found := MANIFEST.fullmatch(file.name))}
    left = {name: {"core", *json.loads(text)["needs"]} - {name} for name, text in manifests.items()}
    ordered: dict[str, str] = {}
    while left:
        ready = min((name for name, needs in left.items() if needs <= ordered.keys()), default=None)
        if ready is None:
            raise InstallationError(
                f"the parts {', '.join(sorted(left))} need each other, or parts that are not there",
                hint="correct needs in their part.json; a packaged copy: reinstall pgbraid",
            )
        ordered[ready] = manifests[ready]
        del left[ready]
    return ordered


def read_files(folder: Path) -> tuple[SqlFile, ...]:
    """Return the files of an installation in a folder and below it, by name."""
    # Every client does this once; pathlib would take ten times as long.
    files = []
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".sql", "part.json", "options.json")):
                path = os.path.join(parent, name)
                with open(path, encoding="utf-8", newline="") as file:
                    files.append(SqlFile(path[len(str(folder)) + 1 :].replace(os.sep, "/"), file.read()))
    return tuple(sorted(files, key=lambda file: file.name))
