"""The installer as one SQL statement, for where only SQL can be run: Supabase's SQL editor."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from yoyo import read_migrations

from pgbraid._version import __version__
from pgbraid.install.replacement import OBJECTS, POLICIES
from pgbraid.install.resources import (
    MIGRATIONS,
    check_frozen,
    content_digest,
    foundation_files,
    repeatable_files,
)
from pgbraid.install.roles import NAMES
from pgbraid.install.session import LOCK_KEY

TEMPLATE = Path(__file__).with_name("bundle.sql")
# Quotes whole files, none of which may contain them.
QUOTE = "$braid_file$"
OUTER = "$braid_bundle$"


def bundle() -> str:
    """One statement that does what `install` does and records it in the same way, and grants what Supabase's roles
    need."""
    check_frozen()
    migrations = sorted(read_migrations(str(MIGRATIONS)), key=lambda migration: str(migration.id))
    values = {
        "version": __version__,
        "digest": content_digest(),
        "lock_key": str(LOCK_KEY),
        "roles": NAMES.strip(),
        "objects": OBJECTS.strip(),
        "policies": POLICIES.strip(),
        "foundation": _rows((file.name, file.text) for file in foundation_files()),
        "migrations": _rows(
            (migration.id, migration.hash, Path(migration.path).read_text(encoding="utf-8"))
            for migration in migrations
        ),
        "files": _rows((file.name, file.text) for file in repeatable_files()),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    head, *parts = text.split("{{")
    pieces = [head]
    for part in parts:
        name, _, rest = part.partition("}}")
        pieces += [values[name], rest]
    written = "".join(pieces)
    assert written.count(OUTER) == 2
    return written


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return ",\n".join(f"    array[{', '.join(map(_quoted, row))}]" for row in rows)


def _quoted(text: str) -> str:
    if "\n" not in text and "'" not in text and "\\" not in text:
        return f"'{text}'"
    assert QUOTE not in text
    return QUOTE + text + QUOTE
