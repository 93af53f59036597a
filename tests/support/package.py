"""Replace the package's SQL files: an earlier version, a later version, or a broken one."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from pgbraid.install import compatibility, installer, protocol, resources, state

FROZEN = "migrations/frozen.sha256"


class Package:
    """Replace the package in this process until the test ends."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._patch = patch
        self._count = 0
        self._original = resources.ROOT

    def change(self, files: Mapping[str, str | None], version: str | None = None) -> Path:
        """Add, replace or, if the text is None, remove files of the package. Return its folder.

        The files count as released: `frozen.sha256` is computed anew, unless it is one of them.
        """
        self._count += 1
        root = self._folder / f"package{self._count}"
        for part in ("sql", "migrations"):
            # Links to a thousand files take a fraction of the time of copies.
            shutil.copytree(self._original / part, root / part, copy_function=os.symlink)
        for name, text in files.items():
            path = root / name
            path.unlink(missing_ok=text is not None)
            if text is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        if FROZEN not in files:
            _freeze(root / "migrations")
        self._patch.setattr(resources, "ROOT", root)
        if version is not None:
            for module in (compatibility, installer, protocol, state):
                self._patch.setattr(module, "__version__", version)
        return root

    def restore(self) -> None:
        """Restore the package's own files and version."""
        self._patch.undo()

    def text(self, name: str) -> str:
        return (self._original / name).read_text()


def _freeze(folder: Path) -> None:
    frozen = folder / "frozen.sha256"
    names = [line.split()[1] for line in frozen.read_text().splitlines()]
    files = {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}
    frozen.unlink()
    frozen.write_text("".join(f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in files.items()))
