"""The SQL that the package carries: `migrations/` and `sql/`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pgbraid.errors import InstallationError
from pgbraid.install.roles import DatabaseRoles

ROOT = Path(__file__).parents[1] / "_sql"
MIGRATIONS = ROOT / "migrations"
FOUNDATION = "00_foundation"


@dataclass(frozen=True)
class SqlFile:
    """A file of `sql/`; `name` is its path inside, such as `10_tenancy/create_tenant.sql`."""

    name: str
    text: str


@cache
def foundation_files() -> tuple[SqlFile, ...]:
    """Roles and schemas: what migrations stand on."""
    return tuple(file for file in _all_files() if file.name.startswith(FOUNDATION))


@cache
def repeatable_files() -> tuple[SqlFile, ...]:
    """Functions, views, policies and grants, in the order in which they are applied."""
    return tuple(file for file in _all_files() if not file.name.startswith(FOUNDATION))


def _all_files() -> Iterable[SqlFile]:
    root = ROOT / "sql"
    return [
        SqlFile(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(root.rglob("*.sql"), key=lambda path: path.relative_to(root).as_posix())
    ]


def content_hash(vector_schema: str, roles: DatabaseRoles) -> str:
    """Hash of all of `sql/` as applied where pgvector lives in `vector_schema` (quoted) and `roles` own all."""
    return hashlib.sha256(f"{vector_schema} {roles.owner} {roles.definer} {content_digest()}".encode()).hexdigest()


@cache
def content_digest() -> str:
    digest = hashlib.sha256()
    for file in (*foundation_files(), *repeatable_files()):
        for part in (file.name, file.text):
            digest.update(hashlib.sha256(part.encode()).digest())
    return digest.hexdigest()


@cache
def migration_ids() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in MIGRATIONS.glob("*.sql")))


def check_frozen(folder: Path = MIGRATIONS) -> None:
    """A released migration is never edited: databases that have it would silently differ from new ones."""
    for line in (folder / "frozen.sha256").read_text(encoding="ascii").splitlines():
        digest, name = line.split()
        path = folder / name
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise InstallationError(
                f"the released migration {name} is missing or was changed",
                hint="restore it and put the change into a new migration; a packaged copy: reinstall pgbraid",
            )
