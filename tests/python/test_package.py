"""Test the names that `import pgbraid` offers, and how few modules a search loads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pgbraid

pytestmark = pytest.mark.any_version

MOST_LINES = 2_919
# The program prints the names of all modules loaded after the import and after the search, and pgbraid's files.
SEARCH = """
import json, sys
import pgbraid
imported = sorted(sys.modules)
with pgbraid.connect(sys.argv[1]) as client:
    {search}
modules = {{name: module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "pgbraid"}}
print(json.dumps([imported, modules, sorted(sys.modules)]))
"""


def loaded(dsn: str, search: str) -> tuple[set[str], dict[str, str], set[str]]:
    """Return a fresh interpreter's modules after the import, pgbraid's modules after a search, and all modules after
    it."""
    script = SEARCH.format(search=search)
    done = subprocess.run([sys.executable, "-c", script, dsn], capture_output=True, text=True, check=True)
    imported, modules, every = json.loads(done.stdout)
    return set(imported), modules, set(every)


def test_a_search_loads_the_client_and_one_embedder(dsn: str) -> None:
    imported, modules, _ = loaded(dsn, "client.search('fox')")
    assert {name for name in imported if name.startswith("pgbraid")} == {"pgbraid", "pgbraid._lazy", "pgbraid._version"}
    lines = {name: len(Path(file).read_text().splitlines()) for name, file in modules.items()}
    assert sum(lines.values()) <= MOST_LINES, (
        f"a search loads more lines than it did: move what it does not need out of {lines}"
    )
    folders = {name.split(".")[1] for name in modules if name.count(".") > 1}
    assert folders == {"client", "embedders", "install"}
    assert {name for name in modules if name.startswith("pgbraid.install")} <= {
        "pgbraid.install",
        "pgbraid.install.compatibility",
        "pgbraid.install.resources",
    }
    assert "pgbraid.embedders.local" in modules
    assert not {"pgbraid.embedders.openai", "pgbraid.embedders.adapted"} & modules.keys()
    assert not {"pgbraid.streams", "pgbraid.client.streaming", "pgbraid._background"} & modules.keys()


def test_a_search_by_full_text_loads_no_numbers(dsn: str) -> None:
    imported, modules, every = loaded(dsn, "client.search('fox', mode='full_text')")
    assert not {"numpy", "psycopg", "pgvector", "click"} & imported
    assert not {"numpy", "click", "asyncio.runners"} & (every - {"asyncio.runners"})
    assert not any(name.startswith("pgbraid.embedders") for name in modules)


def test_an_embedding_in_a_list_needs_no_numpy(dsn: str) -> None:
    _, _, every = loaded(dsn, "client.search('fox', embedding=[1.0] + [0.0] * 383)")
    assert "numpy" not in every


def test_all_names_are_listed_before_they_are_used() -> None:
    script = "import pgbraid; print(*sorted(set(pgbraid.__all__) - set(dir(pgbraid))))"
    for package in (
        "pgbraid",
        "pgbraid.embedders",
        "pgbraid_tools.embedders",
        "pgbraid_tools.rerankers",
        "pgbraid.install",
    ):
        done = subprocess.run(
            [sys.executable, "-c", script.replace("pgbraid", package)], capture_output=True, text=True, check=True
        )
        assert done.stdout == "\n", package


def test_every_name_is_there() -> None:
    for name in pgbraid.__all__:
        assert getattr(pgbraid, name) is not None
    unknown: Any = pgbraid
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        unknown.nothing  # noqa: B018
