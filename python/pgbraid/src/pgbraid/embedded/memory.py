"""Find the memory that the server may use: the machine's, or the limit of a container or service."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pgbraid.errors import ServerError

CGROUPS = Path("/sys/fs/cgroup")
UNITS = {"MB": 1 << 20, "GB": 1 << 30}
LEAST = 256 << 20


def server_memory() -> int:
    """Return bytes: `PGBRAID_MEMORY`, else the machine's memory or this process's lowest cgroup limit."""
    chosen = os.environ.get("PGBRAID_MEMORY")
    if chosen:
        return _parse(chosen)
    import psutil

    return min([int(psutil.virtual_memory().total), *cgroup_limits(Path("/proc/self/cgroup"), CGROUPS)])


def _parse(text: str) -> int:
    found = re.fullmatch(r"(\d{1,6})\s*(MB|GB)", text.strip(), re.IGNORECASE)
    size = int(found[1]) * UNITS[found[2].upper()] if found else 0
    if size < LEAST:
        raise ServerError(
            f"PGBRAID_MEMORY is {text!r}, not a size of {LEAST >> 20} MB or more",
            hint="set PGBRAID_MEMORY to the memory that the embedded server may use, such as 2GB, or unset it",
        )
    return size


def cgroup_limits(membership: Path, root: Path) -> list[int]:
    """Return the memory limits of a process's cgroups, for both versions of cgroups."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return []
    limits = []
    for line in lines:
        try:
            _, controllers, path = line.split(":", 2)
        except ValueError:
            continue
        if controllers == "":
            top, name = root, "memory.max"
        elif "memory" in controllers.split(","):
            top, name = root / controllers, "memory.limit_in_bytes"
        else:
            continue
        # The limits of all parent groups apply, too. In a container the path may lead out of what is mounted.
        parts = Path(path).parts[1:]
        limits += [_limit(top.joinpath(*parts[:depth], name)) for depth in range(len(parts) + 1)]
    return [limit for limit in limits if limit is not None]


def _limit(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    # Without a limit, version 1 of cgroups reports a number above all memory.
    return int(text) if text.isdigit() else None
