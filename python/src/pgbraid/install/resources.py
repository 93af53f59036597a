"""The SQL that the package carries: `migrations/` and `sql/`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pgbraid.errors import InstallationError

ROOT = Path(__file__).parents[1] / "_sql"
FOUNDATION = "00_foundation"
FUNCTION = re.compile(r"^create or replace function (braid(?:_calls|_store)?\.\w+).*?\nas \$\$(.*?)\$\$;$", re.M | re.S)


@dataclass(frozen=True)
class SqlFile:
    """A file of `sql/` or `migrations/`; `name` is its path inside, such as `20_filters/filter_key.sql`."""

    name: str
    text: str

    @property
    def content_hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Resources:
    """`foundation` is what migrations stand on: roles and schemas. `repeatable` are functions, views, policies and
    grants, in the order in which they are applied."""

    foundation: tuple[SqlFile, ...]
    migrations: tuple[SqlFile, ...]
    repeatable: tuple[SqlFile, ...]

    def body_hashes(self, placeholders: Mapping[str, str]) -> set[tuple[str, str]]:
        """Name and hash of the body of each function, as the catalog has them."""
        found = set()
        for file in self.repeatable:
            for name, body in FUNCTION.findall(file.text):
                for placeholder, value in placeholders.items():
                    body = body.replace(f"@{placeholder}@", value)
                found.add((name, hashlib.sha256(body.encode()).hexdigest()))
        return found

    @property
    def migration_hashes(self) -> dict[str, str]:
        """By the name of the migration, which is its file's without suffix."""
        return {file.name.removesuffix(".sql"): file.content_hash for file in self.migrations}


def resources() -> Resources:
    return _read(ROOT)


def content_hash() -> str:
    """Hash of all of it: what an installation is compared with."""
    return _hash(ROOT)


def migration_ids() -> tuple[str, ...]:
    return tuple(resources().migration_hashes)


@cache
def _read(root: Path) -> Resources:
    files = _files(root / "sql")
    return Resources(
        foundation=tuple(file for file in files if file.name.startswith(FOUNDATION)),
        migrations=_files(root / "migrations"),
        repeatable=tuple(file for file in files if not file.name.startswith(FOUNDATION)),
    )


@cache
def _hash(root: Path) -> str:
    found = _read(root)
    digest = hashlib.sha256()
    for file in (*found.foundation, *found.migrations, *found.repeatable):
        digest.update(f"{file.name} {file.content_hash}\n".encode())
    return digest.hexdigest()


def _files(folder: Path) -> tuple[SqlFile, ...]:
    # Every client does this once. With pathlib it takes ten times as long.
    files = []
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".sql"):
                path = os.path.join(parent, name)
                with open(path, encoding="utf-8", newline="") as file:
                    files.append(SqlFile(path[len(str(folder)) + 1 :].replace(os.sep, "/"), file.read()))
    return tuple(sorted(files, key=lambda file: file.name))


def check_frozen(folder: Path | None = None) -> None:
    """A released migration is never edited: databases that have it would silently differ from new ones."""
    folder = folder or ROOT / "migrations"
    for line in (folder / "frozen.sha256").read_text(encoding="ascii").splitlines():
        digest, name = line.split()
        path = folder / name
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise InstallationError(
                f"the released migration {name} is missing or was changed",
                hint="restore it and put the change into a new migration; a packaged copy: reinstall pgbraid",
            )
