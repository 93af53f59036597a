"""Generate the sync client, and the stores' sync modules, from the async ones. `--check` only says whether they are up
to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "pgbraid"
STORES = Path(__file__).parents[2] / "pgbraid-stores" / "src" / "pgbraid_stores"
# Source and generated folders.
FOLDERS = [
    (PACKAGE / "async_client", PACKAGE / "client"),
    (STORES / "async_store", STORES / "store"),
]
BANNER = "# Generated from {}/{} by tools/async_to_sync.py. DO NOT CHANGE.\n# fmt: off\n"
REPLACEMENTS = [
    (r"from pgbraid\._threads import .+\n", ""),
    (r"from pgbraid\._opening import opening\n|@opening\n", ""),
    (r"\bin_thread\(([\w.]+), ", r"\1("),
    (r"\bfinished\(([\w.]+)\)", r"\1.result()"),
    (r"^import asyncio\n", "import threading\n"),
    (r"\basyncio\.Lock\b", "threading.Lock"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\basync_(client|store)\b", r"\1"),
    (r"\bconnect_async\b", "connect"),
    (r"`async with`", "`with`"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\baclose\b", "close"),
    (r"\bAsync(Client|Connection|Iterable|Iterator)\b", r"\1"),
]


def generate(source: Path) -> str:
    text = source.read_text()
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    text = re.sub(r"(?<=from collections\.abc import ).+", lambda names: ", ".join(sorted(names[0].split(", "))), text)
    text = re.sub(
        r"(?:^import \S+\n)+", lambda lines: "".join(sorted(lines[0].splitlines(True))), text, flags=re.MULTILINE
    )
    return BANNER.format(source.parent.name, source.name) + text


def main() -> int:
    wrong = False
    for source, target in FOLDERS:
        wanted = {path.name: generate(path) for path in source.glob("*.py")}
        present = {path.name: path.read_text() for path in target.glob("*.py")}
        if "--check" in sys.argv[1:]:
            stale = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
            if stale:
                names = ", ".join(stale)
                print(f"{target} is not what {source.name} gives ({names}): run {Path(__file__).name}", file=sys.stderr)
                wrong = True
            continue
        target.mkdir(exist_ok=True)
        for name in present.keys() - wanted.keys():
            (target / name).unlink()
        for name, text in wanted.items():
            (target / name).write_text(text)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
