"""Test that the embedded server's settings follow the machine's memory and yield to the user's settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pgbraid import embedded
from pgbraid.embedded.memory import cgroup_limits
from pgbraid.errors import ServerError


def settings(server: embedded.Server, *names: str) -> list[Any]:
    with psycopg.connect(server.dsn) as connection:
        rows = [connection.execute("select current_setting(%s)", (name,)).fetchone() for name in names]
        return [row[0] for row in rows if row]


def restart(home: Path, version: int) -> embedded.Server:
    embedded.stop(home)
    return embedded.ensure_running(home, version)


def test_they_follow_the_memory_until_the_user_changes_them(
    home: Path, pg_version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "shared_buffers", "maintenance_work_mem", "random_page_cost"
    monkeypatch.setenv("PGBRAID_MEMORY", "1GB")
    found = settings(embedded.ensure_running(home, pg_version), *names, "shared_preload_libraries")
    assert found == ["256MB", "128MB", "1.1", "plpgsql,vector"]
    monkeypatch.setenv("PGBRAID_MEMORY", "2GB")
    assert settings(restart(home, pg_version), *names) == ["512MB", "256MB", "1.1"]

    file = home / "postgres" / "pgbraid.conf"
    changed = file.read_text().replace("shared_buffers = 512MB", "shared_buffers = 40MB")
    file.write_text(changed)
    monkeypatch.setenv("PGBRAID_MEMORY", "4GB")
    assert settings(restart(home, pg_version), *names) == ["40MB", "256MB", "1.1"]
    assert file.read_text() == changed

    with open(home / "postgres" / "postgresql.conf", "a") as configuration:
        configuration.write("random_page_cost = 2\n")
    file.unlink()
    assert settings(restart(home, pg_version), *names) == ["1GB", "512MB", "2"]


def test_a_file_that_a_lost_write_left_empty_is_made_anew_with_any_memory_it_is_told(
    home: Path, pg_version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGBRAID_MEMORY", "1GB")
    embedded.ensure_running(home, pg_version)
    (home / "postgres" / "pgbraid.conf").write_text("")
    monkeypatch.setenv("PGBRAID_MEMORY", "999999GB")
    assert settings(restart(home, pg_version), "random_page_cost", "effective_cache_size") == ["1.1", "16777215MB"]


def test_it_starts_with_less_where_the_kernel_refuses_the_memory(home: Path, pg_version: int) -> None:
    start = "from pgbraid import embedded; embedded.ensure_running()"
    limited = ["/bin/sh", "-c", 'ulimit -v 1500000 && exec "$0" -c "$1"', sys.executable, start]
    env = os.environ | {
        "PGBRAID_MEMORY": "64GB",
        "PGBRAID_DATA_DIR": str(home),
        "PGBRAID_PG_VERSION": str(pg_version),
    }
    subprocess.run(limited, env=env, check=True)
    assert "shared_buffers = 2048MB" in (home / "postgres" / "pgbraid.conf").read_text()
    assert settings(embedded.ensure_running(home), "shared_buffers") == ["512MB"]


@pytest.mark.any_version
@pytest.mark.parametrize("size", ["much", "100MB", "-2GB", "2 TB"])
def test_a_memory_that_is_no_size_is_refused(home: Path, size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBRAID_MEMORY", size)
    with pytest.raises(ServerError, match=f"PGBRAID_MEMORY is '{size}'") as refused:
        embedded.ensure_running(home)
    assert "such as 2GB" in str(refused.value.hint)


@pytest.mark.any_version
def test_limits_of_containers_count(tmp_path: Path) -> None:
    membership = tmp_path / "cgroup"
    membership.write_text("9:name=systemd:/\nof another form\n4:cpuset,memory:/one/two\n0::/three/four\n")
    for file, limit in {
        "cpuset,memory/memory.limit_in_bytes": "9223372036854771712",
        "cpuset,memory/one/memory.limit_in_bytes": "3000000000",
        "three/memory.max": "max",
        "three/four/memory.max": "2000000000",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(f"{limit}\n")
    assert min(cgroup_limits(membership, tmp_path)) == 2_000_000_000
    (tmp_path / "three/four/memory.max").write_text("max\n")
    assert min(cgroup_limits(membership, tmp_path)) == 3_000_000_000
    assert cgroup_limits(tmp_path / "absent", tmp_path) == []
