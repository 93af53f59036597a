"""Make environments like users': empty, with packages from the output of `make dist`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from importlib.metadata import distribution, requires
from pathlib import Path

from packaging.requirements import Requirement

IMPORTS = """
import importlib, sys
from importlib.metadata import files
for file in files(sys.argv[1]):
    if file.suffix == ".py":
        try:
            importlib.import_module(".".join(file.with_suffix("").parts).removesuffix(".__init__"))
        except Exception as error:
            print((error if isinstance(error, ImportError) else error.__cause__).name.partition(".")[0])
"""


class Environment:
    """Make an empty environment, in which packages are installed by name from the built files, with their
    dependencies. With `dependencies`, a folder of installed packages, it asks no package index."""

    def __init__(self, folder: Path, dist: Path, dependencies: Path | None = None, **variables: str) -> None:
        # The running pip installs into the environment: installing a second pip would take as long as the rest.
        venv.create(folder / "venv")
        self.folder = folder
        self.programs = folder / "venv" / "bin"
        self.variables = {"PATH": os.environ["PATH"], "HOME": str(folder), **variables}
        self._dist = dist
        self._is_offline = dependencies is not None
        if dependencies is not None:
            (site,) = (folder / "venv").glob("lib/*/site-packages")
            (site / "dependencies.pth").write_text(f"{dependencies}\n")

    def install(self, *what: str) -> None:
        pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "-qq"]
        pip += ["--python", self.programs / "python", "install", "--no-compile", "--find-links", self._dist]
        subprocess.run([*pip, *(["--no-index"] if self._is_offline else []), *what], check=True)

    def run(self, program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [self.programs / program, *arguments]
        return subprocess.run(command, env=self.variables, cwd=self.folder, capture_output=True, text=True)

    def pgbraid(self, *arguments: str) -> str:
        done = self.run("pgbraid", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def distributions(self) -> set[str]:
        script = "from importlib.metadata import distributions as d; print(*(i.metadata['Name'].lower() for i in d()))"
        return set(self.run("python", "-c", script).stdout.split())

    def missing(self, package: str) -> set[str]:
        """Import every module of an installed package; return the modules of other packages that were missing."""
        done = self.run("python", "-W", "ignore", "-c", IMPORTS, package)
        assert done.returncode == 0, done.stderr
        return set(done.stdout.split())


def named(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def needed(dist: Path, package: str) -> set[str]:
    """Return the packages that a built package requires, directly or not, and which `dist` lacks."""
    ours = {named(wheel.name.partition("-")[0]): wheel for wheel in dist.glob("*.whl")}
    found: set[tuple[str, str]] = set()
    open_ones = [(named(package), "")]
    while open_ones:
        name, extra = each = open_ones.pop()
        if each in found:
            continue
        found.add(each)
        lines = _requirements(ours[name]) if name in ours else requires(name) or []
        for requirement in map(Requirement, lines):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                open_ones += [(named(requirement.name), wanted) for wanted in ("", *requirement.extras)]
    return {name for name, _ in found} - ours.keys()


def _requirements(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(metadata)).get_all("Requires-Dist", [])


def link(folder: Path, packages: Iterable[str]) -> None:
    """Link packages of this environment in a new folder."""
    folder.mkdir(parents=True)
    for package in packages:
        installed = distribution(package)
        for name in {file.parts[0] for file in installed.files or [] if not file.parts[0].startswith((".", "__"))}:
            if not (folder / name).exists():
                (folder / name).symlink_to(str(installed.locate_file(name)))
