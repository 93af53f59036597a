"""Which database to work with when none is named, and addresses as libpq takes them."""

from __future__ import annotations

import os
import re

URL = re.compile(r"\s*(?:postgresql|postgres)(?:\+\w+)?://", re.I)


def find_dsn(dsn: str | None = None, *, initialise: bool = False) -> str:
    """`dsn`, else `PGBRAID_DSN`, else the embedded server's, which is started if it is not running, and with
    `initialise` created if there is none. Raises `ServerError`, and `InvalidArgumentError` for what is no address."""
    named = dsn or os.environ.get("PGBRAID_DSN")
    if named:
        return usable_dsn(named)
    from pgbraid import embedded

    return embedded.ensure_running(initialise=initialise).dsn


def usable_dsn(dsn: str, argument: str = "the database's address (dsn, --dsn or PGBRAID_DSN)") -> str:
    """Return an address in a form that libpq takes: of SQLAlchemy's `postgresql+driver://…` without the driver.

    Raise `InvalidArgumentError` for what is none. The error never quotes it, as it may have a password.
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
    # A password with characters of URLs in it makes other parts of an address out of what follows them.
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
