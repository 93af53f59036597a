"""Generate the sync client from the async one. `--check` only says whether it is up to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "pgbraid"
SOURCE = PACKAGE / "async_client.py"
TARGET = PACKAGE / "client.py"
BANNER = "# Generated from async_client.py by tools/async_to_sync.py. DO NOT CHANGE.\n# fmt: off\n"
REPLACEMENTS = [
    (r"from pgbraid\._threads import in_thread\n", ""),
    (r"\bin_thread\(([\w.]+), ", r"\1("),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bconnect_async\b", "connect"),
    (r"`async with`", "`with`"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\bAsync(Client|Connection|Iterator)\b", r"\1"),
]


def generate() -> str:
    text = SOURCE.read_text()
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text)
    names = re.search(r"from collections\.abc import (.*)\n", text)
    assert names is not None
    in_order = ", ".join(sorted(names[1].split(", ")))
    return BANNER + text.replace(names[0], f"from collections.abc import {in_order}\n")


def main() -> int:
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(generate())
        return 0
    if TARGET.read_text() == generate():
        return 0
    print(f"{TARGET} is not what {SOURCE.name} gives: run {Path(__file__).name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
