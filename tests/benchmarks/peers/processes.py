"""Start the engines' processes and send them requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from benchmarks.peers.corpora import Stored
from benchmarks.peers.worker import OURS

TESTS = Path(__file__).parents[2]
PACKAGES = ("pgbraid", "pgbraid-tools")
REQUIREMENTS = Path(__file__).parent / "requirements.txt"


def peers_python(folder: Path) -> Path:
    return folder / "bin" / "python"


def install_peers(folder: Path) -> None:
    if not peers_python(folder).exists():
        venv.create(folder, with_pip=True)
    subprocess.run(
        [peers_python(folder), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", REQUIREMENTS],
        check=True,
    )


class MissingEngineError(Exception):
    """Report that an engine needs a package that is not installed."""


class Process:
    """Run one engine with one corpus until it is closed."""

    def __init__(
        self, name: str, corpus: Stored, folder: Path, dsn: str, environment: Path, before: Path | None = None
    ) -> None:
        """Start the engine; `before` is the checkout whose code the engine of this name runs."""
        sources = [str(before / "python" / package / "src") for package in PACKAGES] if before else []
        python = Path(sys.executable) if name in OURS else peers_python(environment)
        if not python.exists():
            raise MissingEngineError(f"there is no {environment}")
        command = [python, "-m", "benchmarks.peers.worker", name, corpus.folder, folder, dsn]
        self.name = name
        self._process = subprocess.Popen(
            [str(part) for part in command],
            cwd=TESTS,
            # The level hides warnings about later versions.
            env={**os.environ, "LANCEDB_LOG": "error", "PYTHONPATH": os.pathsep.join(sources)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        about = self._read()
        if "missing" in about:
            self._process.wait()
            raise MissingEngineError(about["missing"])
        self.ways: dict[str, list[str]] = about["ways"]
        self.filtered: list[str] = about["filtered"]
        self.formula: str | None = about["formula"]
        self.fusion: list[int] | None = about["fusion"]
        self.about = ""

    def do(self, request: str, **arguments: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": request, **arguments}) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of {self.name} has ended: see what it printed")
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
