"""Call an engine that runs in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.pains.engine import Document, Engine, Hit, Query, UnsupportedError
from benchmarks.pains.worker import OURS, encoded
from benchmarks.peers.processes import TESTS, MissingEngineError, peers_python


class Remote(Engine):
    def __init__(self, name: str, folder: Path, dsn: str, environment: Path) -> None:
        python = Path(sys.executable) if name in OURS else peers_python(environment)
        if not python.exists():
            raise MissingEngineError(f"the environment {environment.name} is missing")
        folder.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.pains.worker", name, folder, dsn],
            cwd=TESTS,
            # The level hides warnings about later versions.
            env={**os.environ, "LANCEDB_LOG": "error"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        greeting = self._read()
        if "missing" in greeting:
            self._process.wait()
            raise MissingEngineError(greeting["missing"])
        self._about: str = greeting["about"]
        self.has_floor = greeting["has_floor"]

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process of an engine has ended: see what it printed")
        return json.loads(line)

    def _call(self, method: str, *arguments: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"method": method, "arguments": encoded(arguments)}) + "\n")
        self._process.stdin.flush()
        answer = self._read()
        if "unsupported" in answer:
            raise UnsupportedError
        return answer["result"]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def about(self) -> str:
        return self._about

    def create(self, collection: str, dimensions: int, language: str) -> None:
        self._call("create", collection, dimensions, language)

    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        self._call("write", collection, documents, tenant)

    def settle(self, collection: str) -> None:
        self._call("settle", collection)

    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        self._call("delete", collection, documents)

    def search(self, collection: str, query: Query) -> list[Hit]:
        return [Hit(**hit) for hit in self._call("search", collection, query)]

    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        self._call("begin_change", collection, documents)

    def continue_change(self, count: int) -> int:
        return int(self._call("continue_change", count))

    def finish_change(self) -> None:
        self._call("finish_change")
