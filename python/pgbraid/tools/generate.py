"""Write all files that are made from other files.

The headers of `sql/` give the functions that standbys answer; options.json gives the list of options and the client's
type. The async client's modules, some made by client_calls.py, give its methods and the sync client. All of these give
docs/reference. An installed database gives types for TypeScript, and privileges.

`--check` only says whether the files are up to date that need no database.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import client_calls
import reference

from pgbraid.install.headers import read_header
from pgbraid.install.resources import resources

ROOT = Path(__file__).parents[3]
READS = ROOT / "python" / "pgbraid" / "src" / "pgbraid" / "_reads.py"
PART_OF = READS.with_name("_part_of.py")
CLIENT = ROOT / "python" / "pgbraid" / "src" / "pgbraid" / "async_client" / "methods.py"
LINE = 120
# Methods that call no function of the API themselves.
OTHER_METHODS = ("read_after", "retrieve", "search_stream", "wal_position")
PUBLIC = ROOT / "python" / "pgbraid" / "src" / "pgbraid" / "__init__.py"
# The public names of the package, by module.
NAMES = {
    "async_client": "AsyncClient connect_async",
    "client": "Client connect",
    "contexts": "Context Passage",
    "embedders": "AdaptedEmbedder Embedder HttpEmbedder LocalEmbedder OpenAIEmbedder",
    "errors": "PgbraidError",
    "explanation": "Explanation ScorePart",
    "reranker": "Reranker",
    "results": "SearchResult SearchResults",
    "retrieval": "AsyncRetriever Retriever ScoredChunk",
    "search_options": "SearchOptions",
    "stored": "Completion Document DocumentChunk EmbeddingBacklog FacetValue IndexProblem LearnedProfile "
    "ListedDocument ListedProfile Profile WriteSummary",
    "streams": "RankChanges StreamedResults",
    "timelines": "Timeline TimelineTurn",
}


def reads() -> str:
    """Return the module that lists the functions which standbys answer."""
    headers = filter(None, (read_header(file.text) for file in resources().repeatable))
    names = sorted(header.name.partition(".")[2] for header in headers if header.runs_on_standbys)
    return (
        '"""Functions and views that standbys answer. Made from sql/ by tools/generate.py. DO NOT CHANGE."""\n\n'
        "# fmt: off\nREADS = frozenset({\n" + "".join(f'    "{name}",\n' for name in names) + "})\n"
    )


def parts() -> str:
    """Return the module that names the part of each function and view of the API outside the core."""
    found = [(read_header(file.text), file.owner) for file in resources().repeatable if file.owner != "core"]
    names = {header.name: part for header, part in found if header is not None and header.name.startswith("braid.")}
    lines = [f'    "{name.removeprefix("braid.")}": "{part}",\n' for name, part in sorted(names.items())]
    return (
        '"""Which part has a function or view of the API. Made from sql/ by tools/generate.py. DO NOT CHANGE."""\n\n'
        "# fmt: off\nPART_OF = {\n" + "".join(lines) + "}\n"
    )


def client() -> str:
    """Return the module of the async client's methods: one for each function of the modules beside it that names its
    function of the API."""
    methods: dict[str, list[str]] = {}
    for path in sorted(CLIENT.parent.glob("[a-z]*.py")):
        names = [
            function.name
            for function in ast.parse(path.read_text()).body
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            and not function.name.startswith("_")
            and [argument.arg for argument in function.args.args[:1]] == ["client"]
            and (function.name in OTHER_METHODS or re.search(r"\bbraid\.\w", ast.get_docstring(function) or ""))
        ]
        if names:
            methods[path.stem] = names
    lazy = textwrap.fill(" ".join(methods), 100).splitlines()
    lines = [
        '"""The methods of the client. Made by tools/generate.py. DO NOT CHANGE."""',
        "",
        "# fmt: off",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
        "from pgbraid._lazy import lazy_modules",
        "from pgbraid.async_client.base import BaseClient",
        "",
        "if TYPE_CHECKING:",
        "    from pgbraid.async_client import (  # noqa: I001",
        *(f"        {line}" for line in textwrap.wrap("".join(f"{name}, " for name in methods), 100)),
        "    )",
        "else:",
        "    globals().update(lazy_modules(",
        "        __package__,",
        *(f'        "{line} "' for line in lazy[:-1]),
        f'        "{lazy[-1]}",',
        "    ))",
        "",
        "",
        "class Methods(BaseClient):",
        '    """Each is a function of another module, which is imported when it is called first."""',
        "",
        *(f"    {name} = {module}.{name}" for module, names in methods.items() for name in names),
    ]
    return "\n".join(lines) + "\n"


def public() -> str:
    """Return the package's `__init__.py`: its names, for type checkers and for lazy imports."""
    listed = textwrap.wrap(" ".join(sorted(["__version__", *" ".join(NAMES.values()).split()])), 92)
    lines = [
        '"""Hybrid search inside PostgreSQL: BM25 full text, pgvector and their fusion, as SQL functions."""',
        "",
        "# Made by tools/generate.py. DO NOT CHANGE.",
        "# fmt: off",
        "# ruff: noqa: I001",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
        "from pgbraid._lazy import lazy_names",
        "from pgbraid._version import __version__",
        "",
        "if TYPE_CHECKING:",
        *(line for module, names in NAMES.items() for line in _imported(module, names.split())),
        "",
        "__all__ = [",
        *(f"    {', '.join(map(json.dumps, line.split()))}," for line in listed),
        "]",
        "",
        "# A search starts cold, and most commands need none of them.",
        "__getattr__, __dir__ = lazy_names(__name__, {",
        *(f'    "{module}": {_literals(names)},' for module, names in NAMES.items()),
        "})",
    ]
    return "\n".join(lines) + "\n"


def _imported(module: str, names: list[str]) -> list[str]:
    line = f"    from pgbraid.{module} import {', '.join(names)}"
    if len(line) <= LINE:
        return [line]
    wrapped = textwrap.wrap(", ".join(names) + ",", LINE - 8)
    return [f"    from pgbraid.{module} import (", *(f"        {part}" for part in wrapped), "    )"]


def _literals(names: str) -> str:
    parts = textwrap.wrap(names, LINE - 34)
    return "\n        ".join(f'"{part} "' for part in parts[:-1]) + "\n        " * (len(parts) > 1) + f'"{parts[-1]}"'


def wrote(made: Mapping[Path, str], is_check: bool) -> bool:
    """Write outdated files, or with `is_check` name them; return whether all were up to date."""
    stale = {path: text for path, text in made.items() if not path.exists() or path.read_text() != text}
    for path, text in stale.items():
        if is_check:
            print(f"{path} is out of date: run make generate ({Path(__file__).name})", file=sys.stderr)
        else:
            path.write_text(text)
    return not (is_check and stale)


def main() -> int:
    is_check = "--check" in sys.argv[1:]
    wrong = client_calls.main() != 0
    made = {READS: reads(), PART_OF: parts(), CLIENT: client(), PUBLIC: public()}
    wrong = not wrote(made, is_check) or wrong
    tools = ["python/pgbraid/tools/search_options.py", "python/pgbraid/tools/async_to_sync.py"]
    commands = [[tool, *sys.argv[1:]] for tool in tools]
    if not is_check:
        privileges = "tests/core/catalog/test_privileges.py"
        commands += [["python/pgbraid/tools/typescript_types.py"], ["-m", "pytest", privileges, "-q", "-k", "golden"]]
    environment = {**os.environ, "WRITE_PRIVILEGES": "1"}
    for command in commands:
        wrong = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment).returncode != 0 or wrong
    # The reference pages come last, because they show the sync client.
    return int(not wrote(reference.pages(), is_check) or wrong)


if __name__ == "__main__":
    sys.exit(main())
