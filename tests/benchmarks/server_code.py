"""Compile C code of benchmarks against the headers of the server that will run it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import psycopg


def compile_module(source: Path, dsn: str) -> Path | None:
    """Return the module that the server of a superuser's DSN can load, or None where there is no C compiler."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    with psycopg.connect(dsn, autocommit=True) as db:
        ((headers,),) = db.execute("select setting from pg_config where name = 'INCLUDEDIR-SERVER'").fetchall()
    folder = Path(tempfile.mkdtemp(prefix="pgbraid-module-"))
    # The server runs as another user.
    folder.chmod(0o755)
    module = folder / f"{source.stem}.so"
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", f"-I{headers}", source, "-o", module], check=True)
    return module
