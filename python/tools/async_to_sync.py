"""Generate the sync client from the async one. `--check` only says whether it is up to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "pgbraid"
SOURCE = PACKAGE / "async_client"
TARGET = PACKAGE / "client"
BANNER = "# Generated from async_client/{} by tools/async_to_sync.py. DO NOT CHANGE.\n# fmt: off\n"
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
    (r"\basync_client\b", "client"),
    (r"\bconnect_async\b", "connect"),
    (r"`async with`", "`with`"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\baclose\b", "close"),
    (r"\bAsync(Client|Connection|Iterator)\b", r"\1"),
]


def generate(source: Path) -> str:
    text = source.read_text()
    for pattern, replacement in REPLACEMENTS:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    text = re.sub(
        r"(?<=from collections\.abc import ).+", lambda names: ", ".join(sorted(names[0].split(", "))), text
    )
    return BANNER.format(source.name) + text


def main() -> int:
    wanted = {source.name: generate(source) for source in SOURCE.glob("*.py")}
    present = {target.name: target.read_text() for target in TARGET.glob("*.py")}
    if "--check" in sys.argv[1:]:
        wrong = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
        if wrong:
            names = ", ".join(wrong)
            print(f"{TARGET} is not what {SOURCE.name} gives ({names}): run {Path(__file__).name}", file=sys.stderr)
        return int(bool(wrong))
    TARGET.mkdir(exist_ok=True)
    for name in present.keys() - wanted.keys():
        (TARGET / name).unlink()
    for name, text in wanted.items():
        (TARGET / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
