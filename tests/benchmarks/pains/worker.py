"""Run one engine in a process of its own: read calls, one JSON object a line, and answer each with one line."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from benchmarks.pains.engine import Chunk, Document, Engine, Query, UnsupportedError
from benchmarks.pains.place import Place

# Each engine's module and class, by its printed name.
ENGINES = {
    "pgbraid": ("braid", "Pgbraid"),
    "pgvector by hand": ("by_hand", "ByHand"),
    "LangChain": ("langchain", "Langchain"),
    "LanceDB": ("lance", "Lance"),
}
OURS = ("pgbraid", "pgvector by hand")


def main() -> None:
    name, folder, dsn = sys.argv[1:]
    # Libraries print to standard output, which must carry only answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    module, class_name = ENGINES[name]
    try:
        kind = getattr(importlib.import_module(f"benchmarks.pains.engines.{module}"), class_name)
    except ImportError as error:
        say(answers, {"missing": str(error)})
        return
    engine: Engine = kind(Place(Path(folder), dsn))
    say(answers, {"about": engine.about(), "has_floor": engine.has_floor})
    for line in sys.stdin:
        call = json.loads(line)
        try:
            say(answers, {"result": getattr(engine, call["method"])(*map(decoded, call["arguments"]))})
        except UnsupportedError:
            say(answers, {"unsupported": True})


def say(answers: TextIO, answer: Any) -> None:
    answers.write(json.dumps(answer, default=dataclasses.asdict) + "\n")
    answers.flush()


def encoded(argument: Any) -> Any:
    """Return an argument as JSON: a query as an object, and a list of documents as an array of objects."""
    if isinstance(argument, (list, tuple)):
        return [encoded(item) for item in argument]
    return dataclasses.asdict(argument) if dataclasses.is_dataclass(argument) else argument  # type: ignore[arg-type]


def decoded(argument: Any) -> Any:
    if isinstance(argument, list):
        return [decoded(item) for item in argument]
    if isinstance(argument, dict) and "chunks" in argument:
        return Document(**{**argument, "chunks": [Chunk(**chunk) for chunk in argument["chunks"]]})
    return Query(**argument) if isinstance(argument, dict) else argument


if __name__ == "__main__":
    main()
