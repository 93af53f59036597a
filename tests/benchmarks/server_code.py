"""Compile C code of a benchmark against the headers of the embedded PostgreSQL."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg

from pgbraid import embedded


def compile_module(source: Path, server: embedded.Server) -> Path | None:
    """Return the module that a server can load, or None where there is no C compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
        ((headers,),) = db.execute("select setting from pg_config where name = 'INCLUDEDIR-SERVER'").fetchall()
    folder = Path(tempfile.mkdtemp(prefix="pgbraid-module-"))
    # The server runs as another user.
    folder.chmod(0o755)
    module = folder / f"{source.stem}.so"
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", f"-I{headers}", source, "-o", module], check=True)
    return module
