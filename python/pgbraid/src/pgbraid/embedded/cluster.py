"""Create, start and stop the cluster in a data directory.

A home folder holds `postgres/` (the cluster), `run/` (its socket) and `lock`, which serialises all changes of them. The
socket and the process tell whether the server runs, never postmaster.pid alone: after a crash that file names a dead
process, or another one with a reused number.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pgbraid.embedded.memory import server_memory
from pgbraid.embedded.programs import Account, programs, server_account
from pgbraid.embedded.server import DATABASE, PORT, Server
from pgbraid.embedded.settings import INCLUDE, write_settings
from pgbraid.errors import ServerError

if TYPE_CHECKING:
    import psutil

SOCKET_NAME = f".s.PGSQL.{PORT}"
# sun_path holds 104 bytes on macOS and 108 on Linux, including the terminating zero.
SOCKET_PATH_MAX = 103
# Seconds. After a crash, the server replays WAL since the last checkpoint before it accepts connections.
START_TIMEOUT = 300.0
# Seconds to wait for the lock. This exceeds START_TIMEOUT, because another command may hold the lock while it starts
# the server.
LOCK_TIMEOUT = START_TIMEOUT + 60
# The server's messages when the kernel refuses shared memory, and the shared_buffers to try instead.
MEMORY_REFUSED = ("could not map anonymous shared memory", "could not create shared memory segment")
LESS_MEMORY = ("512MB", "128MB", "32MB")


@dataclass(frozen=True)
class _PidFile:
    pid: int
    socket_dir: Path
    ready: bool


def data_version(home: Path) -> int | None:
    """Return the cluster's major version, None without a cluster. Raise ServerError if another OS user owns it."""
    try:
        version = int((_cluster_dir(home) / "PG_VERSION").read_text())
        if _cluster_dir(home).stat().st_uid == server_account().uid:
            return version
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError:
        pass
    raise ServerError(
        f"the embedded server's data in {home} belongs to another OS user",
        hint="run pgbraid as that user, or choose another folder with PGBRAID_DATA_DIR",
    )


def running_server(home: Path) -> Server | None:
    """Return the server if it accepts connections. Each command calls this: take no lock, list no processes."""
    pid_file = _read_pid_file(home)
    version = data_version(home)
    if pid_file is None or version is None or not pid_file.ready or not _listens(pid_file.socket_dir):
        return None
    return Server(home, pid_file.socket_dir, version, pid_file.pid)


def start(home: Path, version: int) -> Server:
    account = server_account()
    _prepare_home(home, account)
    with _locked(home):
        server = running_server(home)
        if server is not None:
            return server
        bin_dir = programs(version, account, home)
        memory = server_memory()
        if data_version(home) is None:
            _create(home, version, bin_dir, account)
        _clear_remains(home, bin_dir, account)
        write_settings(_cluster_dir(home), memory, account)
        _start(home, bin_dir, account)
        server = running_server(home)
        if server is None:
            raise ServerError("the embedded server stopped as soon as it had started", hint=_log_hint(home))
        create_database(server)
        return server


def stop(home: Path) -> bool:
    version = data_version(home)
    if version is None:
        return False
    account = server_account()
    with _locked(home):
        process = _postmaster(home, account)
        if process is None:
            return False
        _stop(home, programs(version, account, home), account)
        return True


def _cluster_dir(home: Path) -> Path:
    return home / "postgres"


def _log_file(home: Path) -> Path:
    return _cluster_dir(home) / "server.log"


def _log_hint(home: Path) -> str:
    return f"its log is {_log_file(home)}"


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    descriptor = os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ServerError(
                        f"another process has been starting or stopping the embedded server in {home} "
                        f"for {LOCK_TIMEOUT / 60:.0f} minutes",
                        hint=_log_hint(home),
                    ) from None
                time.sleep(0.05)
        yield
    finally:
        os.close(descriptor)


def _prepare_home(home: Path, account: Account) -> None:
    try:
        home.mkdir(mode=0o711 if account.switch else 0o700, parents=True, exist_ok=True)
        if account.switch and not account.can_enter(home) and set(os.listdir(home)) <= {"lock"}:
            home.chmod(0o711)
    except OSError as error:
        raise ServerError(
            f"the folder {home} cannot be used: {error.strerror}", hint="choose another folder with PGBRAID_DATA_DIR"
        ) from error
    if not account.can_enter(home):
        raise ServerError(
            f"the server runs as the OS user {account.name}, who cannot enter {home}",
            hint="choose a folder that this user can enter, not one below /root, with PGBRAID_DATA_DIR",
        )


def _private_dir(path: Path, account: Account) -> None:
    """Create a directory that only the account can enter. Raise ServerError for an existing one of someone else's."""
    try:
        path.mkdir(mode=0o700)
        if account.switch:
            os.chown(path, account.uid, account.gid)
    except FileExistsError:
        pass
    if not _is_private(path, account.uid):
        raise ServerError(
            f"{path} is not a directory that belongs to {account.name} alone",
            hint="remove the path, or choose another folder with PGBRAID_DATA_DIR",
        )


def _is_private(path: Path, uid: int) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not found.st_mode & 0o077


def _socket_dir(home: Path) -> Path:
    inside = home / "run"
    if len(os.fsencode(inside / SOCKET_NAME)) <= SOCKET_PATH_MAX:
        return inside
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    return Path(f"/tmp/pgbraid-{os.geteuid()}-{digest}")


def _read_pid_file(home: Path) -> _PidFile | None:
    """Parse postmaster.pid: pid, data directory, start time, port, socket directory, address, shared memory, status."""
    try:
        lines = (_cluster_dir(home) / "postmaster.pid").read_text().splitlines()
        return _PidFile(int(lines[0]), Path(lines[4]), lines[7].strip() == "ready")
    except (OSError, ValueError, IndexError):
        return None


def _listens(socket_dir: Path) -> bool:
    # The directory's owner could answer in the server's place.
    if not _is_private(socket_dir, server_account().uid):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(5)
        try:
            connection.connect(str(socket_dir / SOCKET_NAME))
        except OSError:
            return False
    return True


def _postmaster(home: Path, account: Account) -> psutil.Process | None:
    """Return the process that postmaster.pid names, if it is this cluster's postmaster."""
    import psutil

    try:
        lines = (_cluster_dir(home) / "postmaster.pid").read_text().split()
        process = psutil.Process(int(lines[0]))
    except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
        return None
    return process if _belongs_to(process, home, account) else None


def _belongs_to(process: psutil.Process, home: Path, account: Account) -> bool:
    import psutil

    try:
        return (
            process.status() != psutil.STATUS_ZOMBIE
            and process.name().startswith("postgres")
            and process.uids().effective == account.uid
            and os.path.samefile(process.cwd(), _cluster_dir(home))
        )
    except (psutil.Error, OSError):
        return False


def _create(home: Path, version: int, bin_dir: Path, account: Account) -> None:
    """Run initdb in a temporary directory, then rename it, so that an incomplete cluster is never used."""
    for remains in home.glob("postgres.new*"):
        shutil.rmtree(remains, ignore_errors=True)
    # The name is unique, because the initdb of a killed command may still be writing into its directory.
    scratch = home / f"postgres.new.{os.getpid()}"
    result = None
    for locale in _locales(version):
        _private_dir(scratch, account)
        options = ["--username=postgres", "--auth=peer", "--encoding=UTF8", "--data-checksums", *locale]
        result = account.run([bin_dir / "initdb", *options, "--pgdata", scratch], cwd=home)
        if result.returncode == 0:
            break
        shutil.rmtree(scratch, ignore_errors=True)
    if result is None or result.returncode != 0:
        output = result.stdout.strip() if result else ""
        raise ServerError(f"initdb failed: {output}", hint=f"check the disk and the rights of {home}")
    with open(scratch / "postgresql.conf", "a") as configuration:
        configuration.write(INCLUDE)
    scratch.rename(_cluster_dir(home))


def _locales(version: int) -> list[list[str]]:
    """Return options of initdb to try, best first. The environment's locale is not among them: how a cluster treats
    letters must not depend on who ran the first command. Plain C leaves upper-case letters beyond ASCII unchanged."""
    named = [["--locale=C.UTF-8"], ["--locale=en_US.UTF-8"], ["--locale=C"]]
    if version < 17:
        return named
    return [[*option, "--locale-provider=builtin", "--builtin-locale=C.UTF-8"] for option in named]


def _clear_remains(home: Path, bin_dir: Path, account: Account) -> None:
    """Prepare a start: stop a server that cannot be reached, and remove the files of a crashed one."""
    import psutil

    process = _postmaster(home, account)
    if process is not None:
        deadline = time.monotonic() + START_TIMEOUT
        while process.is_running() and time.monotonic() < deadline:
            pid_file = _read_pid_file(home)
            if pid_file is not None and pid_file.ready:
                break
            time.sleep(0.1)  # the server is starting, recovering or shutting down
        if running_server(home) is None and _belongs_to(process, home, account):
            _stop(home, bin_dir, account)
    if running_server(home) is not None:
        return
    # Children of a killed postmaster end when they notice; a child in a long computation may not.
    orphans = [orphan for orphan in psutil.process_iter() if _belongs_to(orphan, home, account)]
    _, alive = psutil.wait_procs(orphans, timeout=5)
    for orphan in alive:
        orphan.kill()
    psutil.wait_procs(alive, timeout=5)
    for name in (SOCKET_NAME, f"{SOCKET_NAME}.lock"):
        (_socket_dir(home) / name).unlink(missing_ok=True)
    (_cluster_dir(home) / "postmaster.pid").unlink(missing_ok=True)


def _start(home: Path, bin_dir: Path, account: Account) -> None:
    if running_server(home) is not None:
        return
    socket_dir = _socket_dir(home)
    _private_dir(socket_dir, account)
    _write_authentication(home, account)
    log = _log_file(home)
    if log.exists() and log.stat().st_size > 10_000_000:
        os.truncate(log, 0)
    options = [
        "-c listen_addresses=",
        f"-c port={PORT}",
        f"-c unix_socket_directories={_quote_option(str(socket_dir))}",
        "-c unix_socket_permissions=0700",
    ]
    for shared_buffers in (None, *LESS_MEMORY):
        begins_at = log.stat().st_size if log.exists() else 0
        less = [] if shared_buffers is None else [f"-c shared_buffers={shared_buffers}"]
        result = account.run(
            [
                bin_dir / "pg_ctl",
                "start",
                "--wait",
                f"--timeout={START_TIMEOUT:.0f}",
                "--silent",
                # Paths are relative, as pg_ctl puts them into a shell command unescaped.
                f"--log={log.relative_to(home)}",
                f"--pgdata={_cluster_dir(home).relative_to(home)}",
                f"--options={' '.join(options + less)}",
            ],
            cwd=home,
        )
        if result.returncode == 0:
            return
        said = log.read_bytes()[begins_at:].decode(errors="replace") if log.exists() else ""
        if not any(refusal in said for refusal in MEMORY_REFUSED):
            break
    tail = "".join(said.splitlines(keepends=True)[-8:])
    raise ServerError(f"the embedded server does not start\n{(tail or result.stdout).strip()}", hint=_log_hint(home))


def _quote_option(path: str) -> str:
    """Quote a path for the setting's list syntax, then for the shell in which pg_ctl starts the server."""
    item = '"' + path.replace('"', '""') + '"'
    return "'" + item.replace("'", "'\\''") + "'"


def _write_authentication(home: Path, account: Account) -> None:
    """Allow peer authentication only: the server's OS user may connect as any role, and no one else."""
    client = "root" if account.switch else account.name
    quoted = '"' + client.replace('"', '""') + '"'
    files = {
        "pg_hba.conf": "local all all peer map=pgbraid\nlocal replication all peer map=pgbraid\n",
        "pg_ident.conf": f"pgbraid {quoted} all\n",
    }
    for name, content in files.items():
        path = _cluster_dir(home) / name
        if path.read_text() != content:
            path.write_text(content)


def _stop(home: Path, bin_dir: Path, account: Account) -> None:
    result: subprocess.CompletedProcess[str] | None = None
    for mode in ("fast", "immediate"):
        options = ["--wait", "--timeout=30", "--silent", f"--mode={mode}", f"--pgdata={_cluster_dir(home)}"]
        result = account.run([bin_dir / "pg_ctl", "stop", *options], cwd=home)
        if result.returncode == 0 or _postmaster(home, account) is None:
            return
    raise ServerError(
        f"the embedded server does not stop: {result.stdout.strip() if result else ''}", hint=_log_hint(home)
    )


def create_database(server: Server) -> None:
    import psycopg

    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        found = connection.execute("select from pg_database where datname = %s", (DATABASE,)).fetchone()
        if found is None:
            with suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
                connection.execute(f"create database {DATABASE}")
