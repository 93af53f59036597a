"""Run the embedded PostgreSQL server: a private cluster that starts on demand and keeps running between commands.

Its data lies in the user's data directory (`PGBRAID_DATA_DIR` overrides). It listens on a Unix socket only, in a
directory that only its own OS user can enter. Authentication is `peer`: only the OS user who started the server can
connect, as any database role. Started by root it runs as the OS user `pgbraid`.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from pgbraid.embedded.server import DATABASE, Server
from pgbraid.errors import ServerError

__all__ = [
    "DATABASE",
    "DEFAULT_VERSION",
    "Server",
    "ServerStatus",
    "create_database",
    "default_data_dir",
    "ensure_running",
    "status",
    "stop",
]

DEFAULT_VERSION = 18


@dataclass(frozen=True)
class ServerStatus:
    """Hold the state of an embedded server, read without starting it. `version` is None before it is initialised."""

    data_dir: Path
    version: int | None
    server: Server | None

    @property
    def initialised(self) -> bool:
        return self.version is not None

    @property
    def running(self) -> bool:
        return self.server is not None


def default_data_dir() -> Path:
    """Return `PGBRAID_DATA_DIR`, else the user's data directory; for root one that the server's OS user can reach."""
    chosen = os.environ.get("PGBRAID_DATA_DIR")
    if chosen:
        return Path(chosen)
    if os.name == "posix" and os.geteuid() == 0:
        return Path("/var/lib/pgbraid")
    import platformdirs

    return platformdirs.user_data_path("pgbraid", appauthor=False)


def ensure_running(
    data_dir: str | os.PathLike[str] | None = None, version: int | None = None, *, initialise: bool = True
) -> Server:
    """Return the embedded server; start it if it is not running and, with `initialise`, create it if missing.

    `version` is a PostgreSQL major version, 16 or 18; the default is `PGBRAID_PG_VERSION`, else the existing data's
    version, else 18. Many processes may call this at once. Raise `ServerError`.
    """
    _require_posix()
    from pgbraid.embedded import cluster

    home = _home(data_dir)
    version = _wanted_version(version)
    made_by = cluster.data_version(home)
    if made_by is None and not initialise:
        raise ServerError(
            f"there is no embedded server in {home} yet",
            hint="run: pgbraid init   (or name a database with --dsn or PGBRAID_DSN)",
        )
    if made_by is not None and version is not None and made_by != version:
        raise ServerError(
            f"the data in {home} was made by PostgreSQL {made_by}, not {version}",
            hint=f"set PGBRAID_PG_VERSION={made_by}, or choose another folder with PGBRAID_DATA_DIR",
        )
    server = cluster.running_server(home)
    if server is not None:
        return server
    return cluster.start(home, version or made_by or DEFAULT_VERSION)


def create_database(server: Server) -> None:
    """Create the database `pgbraid` unless it exists. Each start does so; call this after someone dropped it."""
    from pgbraid.embedded import cluster

    cluster.create_database(server)


def stop(data_dir: str | os.PathLike[str] | None = None) -> bool:
    """Stop the embedded server; return whether it was running. Raise `ServerError`."""
    _require_posix()
    from pgbraid.embedded import cluster

    return cluster.stop(_home(data_dir))


def status(data_dir: str | os.PathLike[str] | None = None) -> ServerStatus:
    """Return the state of the embedded server, without starting it."""
    _require_posix()
    from pgbraid.embedded import cluster

    home = _home(data_dir)
    return ServerStatus(home, cluster.data_version(home), cluster.running_server(home))


def _home(data_dir: str | os.PathLike[str] | None) -> Path:
    return Path(data_dir if data_dir is not None else default_data_dir()).expanduser().absolute()


def _wanted_version(version: int | None) -> int | None:
    if version is not None:
        return version
    text = os.environ.get("PGBRAID_PG_VERSION")
    if not text:
        return None
    if not text.isdigit():
        raise ServerError(f"PGBRAID_PG_VERSION is {text!r}, not a number", hint="set it to 18 or 16")
    return int(text)


def _require_posix() -> None:
    if sys.platform == "win32":
        raise ServerError(
            "the embedded PostgreSQL does not run on Windows",
            hint="use WSL, or set PGBRAID_DSN to a PostgreSQL 16+ that has pgvector",
        )
