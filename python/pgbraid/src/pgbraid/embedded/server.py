"""Define the address of a running embedded server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

DATABASE = "pgbraid"
PORT = 5432


@dataclass(frozen=True)
class Server:
    """Address a running embedded server. `version` is PostgreSQL's major version, `pid` the postmaster's."""

    data_dir: Path
    socket_dir: Path
    version: int
    pid: int

    @property
    def dsn(self) -> str:
        """Return the URL of the database `pgbraid`, as the superuser `postgres`."""
        return self.dsn_for(DATABASE)

    def dsn_for(self, database: str, user: str = "postgres") -> str:
        """Return the URL of any database of this server, as any of its roles."""
        # The URL names the port, as libpq would otherwise take it from PGPORT.
        return (
            f"postgresql://{quote(user, safe='')}@/{quote(database, safe='')}"
            f"?host={quote(str(self.socket_dir))}&port={PORT}"
        )
