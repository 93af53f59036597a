"""Test runs that fetch the same packages at the same time, as `make test` does on a new machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version
# This stand-in takes a second and logs its calls.
NPM = """#!/bin/sh
echo "$@" >>"$HOME/calls"
sleep 1
mkdir node_modules
echo "$@" >node_modules/package
"""


def test_two_runs_fill_an_empty_cache(tmp_path: Path) -> None:
    for name, program in (("npm", NPM), ("node", "")):
        (tmp_path / name).write_text(program)
        (tmp_path / name).chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", "from support import npm; print(npm.installed('one', 'two'))"],
            env={"PATH": path, "HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[1])},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    answers = [run.communicate(timeout=PATIENCE) for run in runs]
    assert [run.returncode for run in runs] == [0, 0], answers
    (folder,) = {Path(said.strip()) for said, _ in answers}
    assert folder.is_relative_to(home)
    assert [file.name for file in folder.rglob("*")] == ["node_modules", "package"]
    assert len((home / "calls").read_text().splitlines()) == 1
