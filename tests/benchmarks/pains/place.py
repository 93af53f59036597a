"""Say where an engine keeps its data."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Place(NamedTuple):
    """Hold the folder of an engine's files, and the DSN of the server's superuser."""

    folder: Path
    dsn: str
