"""The check of prose in `make lint` finds each bad habit, and lets plain sentences pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
ROOT = Path(__file__).parents[2]
TOOL = ROOT / "python" / "pgbraid" / "tools" / "prose.py"
LONG = " ".join(["word"] * 29)
BAD = {
    "a.py": [
        ("# Of rows that are gone.\nx = 1\n", "pointing"),
        ("x = 1  # those that waited are retried\n", "pointing"),
        ('"""Run it."""\n\n\ndef f() -> None:\n    """The rows of a page."""\n', "verbless"),
        ('"""Run it."""\n\n\nclass C:\n    """Pages of rows."""\n', "verbless"),
        (f"# This is {LONG}.\nx = 1\n", "long"),
        ("x = '" + "a" * 120 + "'\n", "wide"),
    ],
    "a.sql": [
        ("comment on function f() is\n  'Returns a row.';\n", "verbless"),
        ("comment on function f() is\n  'Return a row. The score is '\n  'that of the best row.';\n", "pointing"),
        ("select 1; -- what is left\n", "pointing"),
        ("-- Nothing.\n-- The row of the last one.\nselect 1;\n", "verbless"),
    ],
    "a.md": [
        ("# Those that\n\nThe page shows those that failed.\n", "pointing"),
        (f"- A list is {LONG}.\n", "long"),
    ],
}
GOOD = {
    "a.py": '"""Return rows by page; raise KeyError for an unknown page."""\n\n\n'
    'def f() -> None:\n    """Return nothing.\n\n    Example: of those that\n    """\n'
    "    # The lock waits for writers.\n",
    "a.sql": "-- role: reader\n-- example: braid.f()\n-- A merge keeps the newest row.\nselect 'those that -- of';\n"
    "comment on function f(text) is\n  E'Return a row.\\n'\n  'a, b: numbers.';\n"
    "comment on column c.d is 'The day, in UTC.';\n",
    "a.md": "# Of what?\n\n```sql\nselect 1 -- those that\n```\n\n| those that |\n|---|\n\nA page says `those that`.\n",
}


def findings(folder: Path, name: str, text: str) -> list[str]:
    """Return the kinds of findings in a file of a new repository with the tool."""
    tools = folder / "python" / "pgbraid" / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    for file in ("prose.py", "passages.py", "verbs.txt"):
        (tools / file).write_text((TOOL.parent / file).read_text())
    (folder / name).write_text(text)
    for command in (["git", "init", "-q"], ["git", "add", name]):
        subprocess.run(command, cwd=folder, check=True)
    ran = subprocess.run([sys.executable, tools / "prose.py", name], cwd=folder, capture_output=True, text=True)
    assert ran.returncode == (ran.stdout != ""), ran.stderr
    return [line.split(": ")[1] for line in ran.stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "text", "kind"), [(name, text, kind) for name, cases in BAD.items() for text, kind in cases]
)
def test_each_habit_is_found(tmp_path: Path, name: str, text: str, kind: str) -> None:
    assert kind in findings(tmp_path, name, text)


@pytest.mark.parametrize("name", GOOD)
def test_plain_sentences_pass(tmp_path: Path, name: str) -> None:
    assert findings(tmp_path, name, GOOD[name]) == []
