"""Which database to work with when none is named."""

from __future__ import annotations

import os

__all__ = ["find_dsn"]


def find_dsn(dsn: str | None = None, *, initialise: bool = False) -> str:
    """`dsn`, else `PGBRAID_DSN`, else the embedded server's, which is started if it is not running, and with
    `initialise` created if there is none. Raises `ServerError`."""
    named = dsn or os.environ.get("PGBRAID_DSN")
    if named:
        return named
    from pgbraid import embedded

    return embedded.ensure_running(initialise=initialise).dsn
