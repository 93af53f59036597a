"""Choose settings of the embedded server by the machine's memory, in a file that the user may change.

The file's first line has a checksum of the rest. While they agree, nobody has changed the file, and each start updates
it for the current memory and this version of pgbraid. A changed file is never overwritten.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pgbraid.embedded.programs import Account

FILE = "pgbraid.conf"
INCLUDE = f"""
# Added by pgbraid. Later settings in this file override that file's.
include_if_exists = '{FILE}'
"""
INCLUDED = re.compile(rf"^\s*include\w*\s*=?\s*'{re.escape(FILE)}'", re.MULTILINE)
UNCHANGED = "# unchanged: "
HEAD = """\
# The settings of pgbraid's embedded server, for {memory} MB of memory. Each start updates this file until you change
# it;
# from then on pgbraid leaves it alone. Delete it to get pgbraid's values again.
"""
SHARED_MEMORY = Path("/dev/shm")
MB = 1 << 20
GB = 1 << 30
# PostgreSQL counts blocks of 8 kB, up to 2^31 - 1.
MOST_CACHE = (16 << 40) - MB


class Setting(NamedTuple):
    name: str
    value: str
    comment: str


def write_settings(cluster: Path, memory: int, account: Account) -> None:
    """Update the settings before a start, for `memory` bytes, unless the user has changed them."""
    if not INCLUDED.search((cluster / "postgresql.conf").read_text()):
        return  # the user has removed the include
    file = cluster / FILE
    wanted = content(memory, _size(cluster), _size(SHARED_MEMORY))
    found = file.read_text() if file.exists() else None
    # An empty file is not the user's choice: a full disk or a lost write has left it.
    if found != wanted and (not found or is_unchanged(found)):
        _write(file, wanted, account)


def content(memory: int, disk: int, shared_memory: int) -> str:
    """Return the file's text for bytes of memory, of the data's disk, and of /dev/shm."""
    lines = [HEAD.format(memory=memory // MB)]
    for name, value, comment in choose(memory, disk, shared_memory):
        lines.append(f"\n# {comment}\n{name} = {value}\n")
    text = "".join(lines)
    return f"{UNCHANGED}{_checksum(text)}\n{text}"


def is_unchanged(text: str) -> bool:
    first, _, rest = text.partition("\n")
    return first == f"{UNCHANGED}{_checksum(rest)}"


def choose(memory: int, disk: int, shared_memory: int) -> Iterator[Setting]:
    yield Setting("max_connections", "60", "Each connection that searches takes some 20 MB.")
    yield Setting(
        "shared_buffers",
        _mb(memory // 4, most=2 * GB),
        "A quarter of the memory, 2 GB at most: index pages that are found here are not copied from the kernel again.",
    )
    cache = _mb(memory * 3 // 4, most=MOST_CACHE)
    yield Setting("effective_cache_size", cache, "What the kernel keeps of files counts too.")
    yield Setting("work_mem", "16MB", "For each sort or hash table. Searches ask for more where they need it.")
    build = _mb_number(memory // 8, least=64 * MB, most=GB)
    yield Setting(
        "maintenance_work_mem", f"{build}MB", "For building a vector index, which is slower if it does not fit in here."
    )
    yield Setting("autovacuum_work_mem", "64MB", "Each of three workers would take maintenance_work_mem otherwise.")
    if shared_memory < 2 * build * MB:
        yield Setting(
            "dynamic_shared_memory_type",
            "sysv",
            "/dev/shm is too small, as in most containers, for vector indexes that are built in parallel.",
        )
    yield Setting("random_page_cost", "1.1", "The default, 4, is for disks that turn.")
    yield Setting(
        "max_wal_size",
        _mb(disk // 50, least=GB, most=4 * GB),
        "A 50th of the disk. A bulk load writes each page less often the longer checkpoints are apart.",
    )
    yield Setting(
        "shared_preload_libraries",
        "'plpgsql,vector'",
        "Else each new session loads them: its first search or write takes 3 ms more.",
    )
    yield Setting("checkpoint_timeout", "15min", "The same. After a crash the start takes longer by some seconds.")


def _mb(size: int, least: int = 16 * MB, most: int = 1 << 60) -> str:
    return f"{_mb_number(size, least, most)}MB"


def _mb_number(size: int, least: int, most: int) -> int:
    return max(least, min(size, most)) // MB


def _size(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).total
    except OSError:
        return 1 << 60  # macOS has no /dev/shm and no such limit


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _write(file: Path, text: str, account: Account) -> None:
    """Replace the file atomically, so that an interrupted start leaves the old or the new one; follow no link."""
    scratch = file.with_name(f"{file.name}.new")
    scratch.unlink(missing_ok=True)
    with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(text)
        if account.switch:
            os.fchown(opened.fileno(), account.uid, account.gid)
        opened.flush()
        os.fsync(opened.fileno())
    scratch.replace(file)
