"""Test who may connect to the embedded server, what it survives, and what it refuses."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest

from pgbraid import embedded
from pgbraid.embedded.programs import server_account
from pgbraid.errors import ServerError
from support.waiting import PATIENCE, until

# tests/install/test_cli.py tests a server's life on each version.
pytestmark = pytest.mark.any_version
ENSURE = "import sys; from pgbraid import embedded; print(embedded.ensure_running(sys.argv[1]).pid)"
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can try as another OS user")


def write_and_count(server: embedded.Server) -> int:
    with psycopg.connect(server.dsn) as connection:
        connection.execute("create table if not exists kept (id int)")
        connection.execute("insert into kept values (1)")
        row = connection.execute("select count(*) from kept").fetchone()
        assert row is not None
        return int(row[0])


def kill_postmaster(server: embedded.Server) -> None:
    process = psutil.Process(server.pid)
    children = process.children()
    process.kill()
    psutil.wait_procs([process, *children], timeout=PATIENCE)


def test_it_starts_keeps_running_stops_and_starts_again(home: Path, pg_version: int) -> None:
    assert not embedded.status(home).initialised
    server = embedded.ensure_running(home, pg_version)
    assert server.version == pg_version
    assert embedded.ensure_running(home) == server
    assert embedded.status(home).server == server
    assert write_and_count(server) == 1
    assert embedded.stop(home)
    assert not embedded.stop(home)
    found = embedded.status(home)
    assert (found.initialised, found.running, found.version) == (True, False, pg_version)
    assert write_and_count(embedded.ensure_running(home)) == 2


def test_ten_processes_at_once_get_one_server(home: Path, pg_version: int) -> None:
    env = {**os.environ, "PGBRAID_PG_VERSION": str(pg_version)}
    starts = [
        subprocess.Popen([sys.executable, "-c", ENSURE, home], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(10)
    ]
    answers = {process.communicate(timeout=PATIENCE)[0] for process in starts}
    assert len(answers) == 1
    server = embedded.ensure_running(home)
    assert {f"{server.pid}\n"} == answers
    write_and_count(server)


def test_the_data_is_made_to_last(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn) as connection:
        row = connection.execute(
            "select boot_val, (select setting from pg_settings where name = 'data_checksums'), lower('ÄÉ')"
            " from pg_settings where name = 'fsync'"
        ).fetchone()
    assert row == ("on", "on", "äé")
    assert "fsync" not in (cluster.data_dir / "postgres" / "postgresql.conf").read_text().split("# Added by pgbraid")[1]


# Access


def test_it_listens_on_a_socket_that_only_its_user_reaches(cluster: embedded.Server) -> None:
    listening = [c for c in psutil.Process(cluster.pid).net_connections("inet") if c.status == psutil.CONN_LISTEN]
    assert listening == []
    for folder in (cluster.socket_dir, cluster.data_dir / "postgres"):
        assert folder.stat().st_mode & 0o077 == 0


def test_its_user_may_be_any_role(cluster: embedded.Server) -> None:
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        connection.execute("create role ana login")
    with psycopg.connect(cluster.dsn_for("pgbraid", "ana")) as connection:
        assert connection.execute("select session_user::text").fetchone() == ("ana",)


@AS_ROOT
def test_another_os_user_is_refused(cluster: embedded.Server) -> None:
    # The modes open the folder and the socket; the kernel still tells the server which user connects.
    for folder in (cluster.data_dir, cluster.socket_dir):
        folder.chmod(0o755)
    (cluster.socket_dir / ".s.PGSQL.5432").chmod(0o777)
    attempt = subprocess.run(
        [shutil.which("python3") or "python3", "-c", CONNECT, cluster.socket_dir / ".s.PGSQL.5432"],
        user="nobody",
        group="nogroup",
        cwd="/",
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
        executable="/usr/bin/python3",
    )
    assert "Peer authentication failed" in attempt.stdout or "peer" in attempt.stdout, attempt


# The program sends a startup message as the superuser postgres. It needs no driver, which the user nobody may be
# unable to read.
CONNECT = """
import socket, struct, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
body = struct.pack("!I", 196608) + b"user\\0postgres\\0database\\0postgres\\0\\0"
connection.sendall(struct.pack("!I", len(body) + 4) + body)
print(connection.recv(1000))
"""


def test_a_socket_directory_that_others_can_enter_is_refused(home: Path, pg_version: int) -> None:
    server = embedded.ensure_running(home, pg_version)
    embedded.stop(home)
    server.socket_dir.chmod(0o777)
    with pytest.raises(ServerError, match=r"belongs to .* alone"):
        embedded.ensure_running(home)


# Recovery


def test_a_killed_server_recovers(cluster: embedded.Server) -> None:
    write_and_count(cluster)
    kill_postmaster(cluster)
    assert (cluster.data_dir / "postgres" / "postmaster.pid").exists()
    assert not embedded.status(cluster.data_dir).running
    again = embedded.ensure_running(cluster.data_dir)
    assert again.pid != cluster.pid
    assert write_and_count(again) == 2


def test_a_killed_server_whose_number_was_given_to_another_process(cluster: embedded.Server) -> None:
    write_and_count(cluster)
    kill_postmaster(cluster)
    with subprocess.Popen(["sleep", "600"], user=server_account().uid if os.geteuid() == 0 else None) as other:
        for name in ("postgres/postmaster.pid", "run/.s.PGSQL.5432.lock"):
            path = cluster.data_dir / name
            path.write_text(path.read_text().replace(str(cluster.pid), str(other.pid), 1))
        try:
            assert not embedded.stop(cluster.data_dir)
            assert write_and_count(embedded.ensure_running(cluster.data_dir)) == 2
            assert other.poll() is None
        finally:
            other.kill()


def test_a_server_whose_socket_was_removed_is_replaced(cluster: embedded.Server) -> None:
    write_and_count(cluster)
    (cluster.socket_dir / ".s.PGSQL.5432").unlink()
    assert write_and_count(embedded.ensure_running(cluster.data_dir)) == 2


def test_a_damaged_pid_file_is_no_obstacle(cluster: embedded.Server) -> None:
    write_and_count(cluster)
    embedded.stop(cluster.data_dir)
    (cluster.data_dir / "postgres" / "postmaster.pid").write_text("")
    assert write_and_count(embedded.ensure_running(cluster.data_dir)) == 2


def test_an_initialisation_cut_short_is_done_again(home: Path, pg_version: int) -> None:
    # The initialisation hangs before its last step, the rename that marks the cluster as complete.
    hung = f"import pathlib, time; pathlib.Path.rename = lambda *_: time.sleep(600); {ENSURE}"
    process = subprocess.Popen([sys.executable, "-c", hung, home], stdout=subprocess.DEVNULL)
    until(lambda: list(home.glob("postgres.new*/postgresql.conf")))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not embedded.status(home).initialised
    write_and_count(embedded.ensure_running(home, pg_version))


def test_a_running_server_survives_an_interrupted_command(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", f"{ENSURE}; import time; sys.stdout.flush(); time.sleep(600)", home],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    os.killpg(process.pid, signal.SIGINT)
    process.wait()
    process.stdout.close()
    assert embedded.ensure_running(home).pid == pid


@pytest.mark.parametrize("name", ["with space", "o'quote\"back\\slash%cent", "x" * 120])
def test_any_folder_will_do(home: Path, pg_version: int, name: str) -> None:
    if os.geteuid() == 0:
        home.chmod(0o711)
    folder = home / name
    server = embedded.ensure_running(folder, pg_version)
    try:
        assert write_and_count(server) == 1
        assert len(os.fsencode(server.socket_dir)) < 100
    finally:
        embedded.stop(folder)
        if not server.socket_dir.is_relative_to(home):
            shutil.rmtree(server.socket_dir)


def test_the_environment_of_clients_does_not_matter(
    home: Path, pg_version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PGPORT": "5999", "PGHOST": "example.invalid", "PGUSER": "x", "PGDATA": "/nonexistent"}.items():
        monkeypatch.setenv(name, value)
    assert write_and_count(embedded.ensure_running(home, pg_version)) == 1


# Refusals


def test_a_server_that_was_never_initialised_is_not_made_by_a_reader(home: Path) -> None:
    with pytest.raises(ServerError, match="there is no embedded server") as caught:
        embedded.ensure_running(home, initialise=False)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("run: pgbraid init")
    assert list(home.iterdir()) == []


def test_data_of_another_major_version_is_left_alone(
    home: Path, pg_version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded.ensure_running(home, pg_version)
    embedded.stop(home)
    other = 16 if pg_version == 18 else 18
    monkeypatch.setenv("PGBRAID_PG_VERSION", str(other))
    with pytest.raises(ServerError, match=f"was made by PostgreSQL {pg_version}, not {other}") as caught:
        embedded.ensure_running(home)
    assert caught.value.hint is not None
    assert f"PGBRAID_PG_VERSION={pg_version}" in caught.value.hint
    monkeypatch.delenv("PGBRAID_PG_VERSION")
    assert embedded.ensure_running(home).version == pg_version


@pytest.mark.parametrize("version", ["17", "eighteen"])
def test_an_unknown_version(home: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setenv("PGBRAID_PG_VERSION", version)
    with pytest.raises(ServerError, match=version) as caught:
        embedded.ensure_running(home)
    assert caught.value.hint


def test_data_of_a_version_that_is_not_here(home: Path, pg_version: int) -> None:
    embedded.ensure_running(home, pg_version)
    embedded.stop(home)
    (home / "postgres" / "PG_VERSION").write_text("14\n")
    with pytest.raises(ServerError, match="no embedded PostgreSQL 14"):
        embedded.ensure_running(home)


def test_a_broken_configuration_is_shown(cluster: embedded.Server) -> None:
    embedded.stop(cluster.data_dir)
    with open(cluster.data_dir / "postgres" / "postgresql.conf", "a") as file:
        file.write("work_mem = 'much'\n")
    with pytest.raises(ServerError, match='invalid value for parameter "work_mem"'):
        embedded.ensure_running(cluster.data_dir)


@AS_ROOT
def test_root_is_told_about_a_folder_that_the_servers_user_cannot_reach(home: Path) -> None:
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(ServerError, match="cannot enter") as caught:
        embedded.ensure_running(closed / "data")
    assert caught.value.hint is not None
    assert "PGBRAID_DATA_DIR" in caught.value.hint
    assert closed.stat().st_mode & 0o777 == 0o700
