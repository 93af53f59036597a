"""Write the dump of a filled database of this version and its answers: `make dump`, once for each release."""

from __future__ import annotations

import json
import lzma
import re
import shutil
import subprocess
from pathlib import Path

import psycopg
from install.upgrade.filling import answers, fill, problems

from pgbraid import __version__, embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.install import install
from pgbraid.install.resources import resources
from support import make_fast, temporary_folder

# Later versions restore dumps of the oldest supported version.
POSTGRES = 16
FOLDER = Path(__file__).parent


def main() -> None:
    file = FOLDER / f"{__version__}.sql.xz"
    if file.exists():
        raise SystemExit(f"{file.name} is there already; a release is recorded once")
    data_dir = temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, POSTGRES)
        make_fast(server)
        with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as db:
            db.execute("create database release template template0")
        dsn = server.dsn_for("release")
        install(dsn, with_parts=[*resources().parts])
        with psycopg.connect(dsn, autocommit=True) as db:
            fill(db)
            assert problems(db) == []
            found = answers(db)
        dump = subprocess.run(
            [installed_programs(POSTGRES) / "pg_dump", dsn], check=True, capture_output=True, text=True
        ).stdout
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)
    # Newer versions of pg_dump write this key, which older versions of psql do not know.
    dump = re.sub(r"^\\(un)?restrict .*\n", "", dump, flags=re.MULTILINE)
    file.write_bytes(lzma.compress(dump.encode(), preset=9 | lzma.PRESET_EXTREME))
    file.with_name(f"{__version__}.json").write_text(json.dumps(found) + "\n", encoding="utf-8")
    print(f"{file.name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()
