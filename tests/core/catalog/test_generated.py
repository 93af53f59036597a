"""Generated files are up to date with the files that `make generate` reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
ROOT = Path(__file__).parents[3]


def test_generated_files_are_up_to_date() -> None:
    """The generated files equal what the generator would write. TypeScript types and privileges have their own
    tests."""
    tool = ROOT / "python" / "pgbraid" / "tools" / "generate.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
