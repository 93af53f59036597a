"""Make environments like users': empty, with packages from the output of `make dist`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

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


def link_dependencies(folder: Path, ours: set[str]) -> None:
    """Link all packages of this environment in a folder, except ours: they are what ours may depend on."""
    folder.mkdir()
    for site in {Path(path) for path in sys.path if path.endswith("site-packages")}:
        for path in site.iterdir():
            name = re.sub(r"[-_.]+", "-", path.name.partition("-")[0]).lower()
            if name not in ours and not path.name.startswith(("__", "_editable")) and path.suffix != ".pth":
                (folder / path.name).symlink_to(path)
