"""Check the output of `make dist` before it is published: `make release-check`.

twine checks what a package index shows. Then each package is installed offline, from the built files alone, into an
environment of its own, and searches there. This environment gives what the package requires, and nothing else.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from install.wheel.environment import Environment, link, needed

from docs.markdown import ROOT, Page
from pgbraid import __version__, embedded
from pgbraid.install import choice
from pgbraid.install.resources import resources
from support import temporary_folder
from support.servers import Templates, clone, finish_drops

NewDatabase = Callable[[], AbstractContextManager[str]]

PACKAGES = {path.parent.name for path in ROOT.glob("python/*/pyproject.toml")}
SEARCH = """
import pgbraid
with pgbraid.connect() as client:
    client.add_documents([{"external_id": "fox", "content": "The quick brown fox"}])
    print(client.search("fox", mode="full_text")[0].external_id)
"""


def check(dist: Path, new_database: NewDatabase, folder: Path) -> Iterator[str]:
    """Yield a line for each thing that is as it should be; raise AssertionError for the first that is not."""
    files = sorted([*dist.glob("*.whl"), *dist.glob("*.tar.gz")])
    expected = {f"{package.replace('-', '_')}-{__version__}" for package in PACKAGES}
    wheels = {file.name.removesuffix("-py3-none-any.whl") for file in files if file.suffix == ".whl"}
    sources = {file.name.removesuffix(".tar.gz") for file in files if file.suffix == ".gz"}
    assert wheels == sources == expected, f"{dist} has other files than this release: delete it and run make dist"
    done = subprocess.run(
        [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *files], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    yield f"twine finds no fault in {len(files)} files"
    for package in sorted(PACKAGES):
        dependencies = folder / package / "dependencies"
        link(dependencies, needed(dist, package))
        with new_database() as dsn:
            variables = {"PGBRAID_DSN": dsn, "HAYSTACK_TELEMETRY_ENABLED": "False"}
            made = Environment(folder / package, dist, dependencies, **variables)
            made.install(package)
            found = search(made, package)
        yield f"{package}: installed offline; {found}"


def search(made: Environment, package: str) -> str:
    """Search as the package's users do; return what was done."""
    if package in ("pgbraid", "pgbraid-tools"):
        done = made.run("python", "-c", SEARCH)
        assert done.stdout == "fox\n", done.stderr
        # The first command is the driver's, the second one the tools'.
        command = ["search", "fox", "--mode=full_text"] if package == "pgbraid" else ["show", "fox"]
        found = made.pgbraid(*command)
        assert "The quick brown fox" in found, found
        return f"pgbraid {command[0]} finds a document"
    assert made.missing(package) == set()
    if package == "pgbraid-stores":
        return "all of its modules are imported"
    assert made.distributions() & PACKAGES == {"pgbraid", "pgbraid-stores", package}
    (example,) = [block for block in Page(ROOT / "python" / package / "README.md").blocks if block.output]
    done = made.run("python", "-c", example.code)
    assert (done.stdout, "embedding" in done.stderr) == (example.output, False), done.stderr
    return "the example of its README gives what it shows"


@contextmanager
def database(server: embedded.Server, template: str) -> Iterator[str]:
    with clone(server, template) as name:
        yield server.dsn_for(name)


def main() -> None:
    data = temporary_folder()
    try:
        with tempfile.TemporaryDirectory() as folder:
            server = embedded.ensure_running(data)
            template = Templates(server).name(frozenset(choice.default_parts(resources()) - {"core"}))
            for line in check(Path(sys.argv[1]), lambda: database(server, template), Path(folder)):
                print(line, flush=True)
    except AssertionError as error:
        sys.exit(str(error))
    finally:
        finish_drops()
        embedded.stop(data)
        shutil.rmtree(data)


if __name__ == "__main__":
    main()
