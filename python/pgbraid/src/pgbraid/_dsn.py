"""Find the database to work with, and turn addresses into a form that libpq takes."""

from __future__ import annotations

import os
import re

URL = re.compile(r"\s*(?:postgresql|postgres)(?:\+\w+)?://", re.I)


def find_dsn(dsn: str | None = None, *, initialise: bool = False) -> str:
    """Return `dsn`, else `PGBRAID_DSN`, else the embedded server's address. Start that server if it is not running;
    with `initialise`, create it if missing. Raise `ServerError`, and `InvalidArgumentError` for an invalid address."""
    named = dsn or os.environ.get("PGBRAID_DSN")
    if named:
        return usable_dsn(named)
    from pgbraid import embedded

    return embedded.ensure_running(initialise=initialise).dsn


def usable_dsn(dsn: str, argument: str = "the database's address (dsn, --dsn or PGBRAID_DSN)") -> str:
    """Return an address in a form that libpq accepts: `postgresql+driver://…`, SQLAlchemy's form, loses its driver.

    Raise `InvalidArgumentError` for an invalid address. The error never quotes the address, because it may hold a
    password.
    """
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    from pgbraid.errors import InvalidArgumentError

    is_url = isinstance(dsn, str) and URL.match(dsn)
    if is_url:
        dsn = "postgresql://" + dsn[is_url.end() :]
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
    except (Error, ValueError, TypeError, AttributeError):
        parts = None
    # A password with unescaped characters of URLs makes other parts of an address out of the text after them.
    if parts is None or (
        is_url
        and (
            "@" in parts.get("host", "") + parts.get("dbname", "") or not re.fullmatch(r"[\d,]*", parts.get("port", ""))
        )
    ):
        raise InvalidArgumentError(
            f"{argument} cannot be read; it is not shown here, as it may have a password",
            hint="give a URL such as postgresql://user:password@host:5432/database, in which a password's %, @ and /"
            " are written %25, %40 and %2F; or: host=NAME port=5432 user=NAME password='WORD' dbname=NAME",
            sqlstate="22023",
        ) from None
    return dsn
