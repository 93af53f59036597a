"""Check that released migrations are unchanged."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pgbraid.errors import InstallationError
from pgbraid.install import resources


def check_frozen(folder: Path | None = None) -> None:
    """Raise `InstallationError` for an edited released migration: databases with it would silently differ from new
    ones."""
    folder = folder or resources.ROOT / "migrations"
    for line in (folder / "frozen.sha256").read_text(encoding="ascii").splitlines():
        digest, name = line.split()
        path = folder / name
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            raise InstallationError(
                f"the released migration {name} is missing or was changed",
                hint="restore it and put the change into a new migration; a packaged copy: reinstall pgbraid",
            )
