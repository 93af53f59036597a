"""Where a running embedded server is reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

DATABASE = "pgbraid"
PORT = 5432


@dataclass(frozen=True)
class Server:
    """A running embedded server. `version` is PostgreSQL's major version, `pid` the postmaster's."""

    data_dir: Path
    socket_dir: Path
    version: int
    pid: int

    @property
    def dsn(self) -> str:
        """URL of the database `pgbraid`, as the superuser `postgres`."""
        return self.dsn_for(DATABASE)

    def dsn_for(self, database: str, user: str = "postgres") -> str:
        """URL of any database of this server, as any of its roles."""
        # The port is written out because libpq would take it from PGPORT.
        return (
            f"postgresql://{quote(user, safe='')}@/{quote(database, safe='')}"
            f"?host={quote(str(self.socket_dir))}&port={PORT}"
        )
