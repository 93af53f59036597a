"""Run PgBouncer, from Debian's packages, in front of a database."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pgbraid.embedded.programs import Account, server_account
from support.servers import temporary_folder
from support.waiting import PATIENCE

# The libraries may be missing on a system without PgBouncer.
PACKAGES = ("pgbouncer", "libevent-2.1-7", "libc-ares2")
CONFIG = """
[databases]
* = host={host} port={port}
[pgbouncer]
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 100
auth_type = trust
auth_file = {folder}/users
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
ignore_startup_parameters = extra_float_digits
"""


def program() -> tuple[Path, dict[str, str]]:
    """Return PgBouncer and its environment: the system's program, or one unpacked once per user, which needs no
    root."""
    installed = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if installed:
        return Path(installed), {}
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        pytest.skip("PgBouncer is not installed, and there is no apt-get to fetch it with")
    folder = Path(platformdirs.user_cache_dir("pgbraid")) / "tests" / "pgbouncer-debian"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _unpack(Path(scratch), Path(scratch) / "root")
            (Path(scratch) / "root").rename(folder)
    libraries = folder / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
    return folder / "usr" / "sbin" / "pgbouncer", {"LD_LIBRARY_PATH": str(libraries)}


def _unpack(scratch: Path, root: Path) -> None:
    """Download and unpack packages into a folder of our own, without touching the system's lists and packages."""
    for name in ("lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True)
    options = ["-qq", "-o", f"Dir::State::lists={scratch}/lists", "-o", f"Dir::Cache={scratch}/cache"]
    for command in (["update"], ["download", *PACKAGES]):
        done = subprocess.run(
            ["apt-get", *options, "-o", "Debug::NoLocking=1", *command],
            cwd=scratch,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
        )
        if done.returncode:
            pytest.skip(f"PgBouncer cannot be fetched: {(done.stderr.strip() or 'apt-get failed').splitlines()[-1]}")
    for package in scratch.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)


@contextmanager
def pooled(dsn: str, *logins: str, size: int = 1) -> Iterator[str]:
    """Yield a DSN through a PgBouncer in transaction mode, which keeps at most `size` connections for each login."""
    binary, env = program()
    account = server_account()
    target = conninfo_to_dict(dsn)
    folder = temporary_folder()
    try:
        folder.chmod(0o755)
        if account.switch:
            shutil.chown(folder, account.uid, account.gid)
        config = CONFIG.format(host=target["host"], port=target["port"], folder=folder, size=size)
        (folder / "pgbouncer.ini").write_text(config)
        (folder / "users").write_text("".join(f'"{login}" ""\n' for login in logins))
        # PgBouncer's user must be able to read the program.
        own = folder / "program"
        shutil.copy(binary, own)
        if libraries := env.get("LD_LIBRARY_PATH"):
            shutil.copytree(libraries, folder / "lib", symlinks=True)
            env = {"LD_LIBRARY_PATH": str(folder / "lib")}
        become: dict[str, Any] = {}
        if account.switch:
            become = {"user": account.uid, "group": account.gid, "extra_groups": []}
        with (
            _let_in(account, dsn, logins),
            (folder / "log").open("w+b") as log,
            subprocess.Popen(
                [own, folder / "pgbouncer.ini"],
                env={"PATH": "/usr/bin", **env},
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **become,
            ) as process,
        ):
            try:
                through = make_conninfo(dsn, host=str(folder), port="6432")
                _wait(make_conninfo(through, user=logins[0]), process, folder / "log")
                yield through
            finally:
                process.terminate()
    finally:
        shutil.rmtree(folder)


@contextmanager
def _let_in(account: Account, dsn: str, logins: Sequence[str]) -> Iterator[None]:
    """Let the server's own OS user connect as these logins for a while: a server that root started lets in only
    root. A server reached over TCP has rules of its own."""
    if not account.switch or not str(conninfo_to_dict(dsn).get("host", "/")).startswith("/"):
        yield
        return
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute("show ident_file").fetchone()
        assert row is not None
        ident_file = Path(row[0])
        before = ident_file.read_text()
        try:
            ident_file.write_text(before + "".join(f'pgbraid {account.name} "{login}"\n' for login in logins))
            connection.execute("select pg_reload_conf()")
            yield
        finally:
            ident_file.write_text(before)
            connection.execute("select pg_reload_conf()")


def _wait(dsn: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            psycopg.connect(dsn, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise AssertionError(f"PgBouncer does not answer:\n{log.read_text()[-3000:]}")
