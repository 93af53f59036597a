"""No framework loads another, and pgbraid none."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.any_version

FRAMEWORKS = {"haystack": "haystack", "langchain": "langchain_core", "llamaindex": "llama_index"}
LOADED = "import sys; {}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"


def loaded(statement: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOADED.format(statement)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_integration_loads_its_framework_alone(framework: str) -> None:
    found = loaded(f"import pgbraid.integrations.{framework}")
    assert found & set(FRAMEWORKS.values()) == {FRAMEWORKS[framework]}


def test_what_they_share_loads_none() -> None:
    shared = "import pgbraid.integrations.async_store, pgbraid.integrations.store, pgbraid.integrations.connections"
    assert not loaded(shared) & set(FRAMEWORKS.values())
    assert not loaded("import pgbraid.integrations") & {"psycopg", "numpy", *FRAMEWORKS.values()}
