"""Load functions of the package pgbraid-tools by its entry points `pgbraid.tools`; the driver imports nothing of it."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from pgbraid._version import __version__

PACKAGE = "pgbraid-tools"


def tool(name: str, needed_by: str) -> Any:
    """Return the module of that name. Raise NotSupportedError if the package is missing or has another version."""
    from pgbraid.errors import NotSupportedError

    for found in entry_points(group="pgbraid.tools", name=name):
        if other := other_version(found):
            raise NotSupportedError(other, hint=INSTALL)
        return found.load()
    raise NotSupportedError(f"{needed_by} takes the package {PACKAGE}", hint="pip install 'pgbraid[tools]'")


INSTALL = f"pip install '{PACKAGE}=={__version__}'"


def other_version(found: EntryPoint) -> str | None:
    """Return a message if the installed tools have another version than pgbraid, because they may call functions
    that the database lacks; else None."""
    if found.dist is None or found.dist.version == __version__:
        return None
    return f"{PACKAGE} {found.dist.version} is installed beside pgbraid {__version__}, which needs its own version"
