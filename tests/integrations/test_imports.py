"""Check that no integration loads another's framework, and that their shared code loads none."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.any_version

FRAMEWORKS = {
    "haystack_integrations.components.retrievers.pgbraid": "haystack",
    "langchain_pgbraid": "langchain_core",
    "llama_index.vector_stores.pgbraid": "llama_index",
}
LOADED = "import sys; {}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"


def loaded(statement: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LOADED.format(statement)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("module", FRAMEWORKS)
def test_an_integration_loads_its_framework_alone(module: str) -> None:
    assert loaded(f"import {module}") & set(FRAMEWORKS.values()) == {FRAMEWORKS[module]}


def test_what_they_share_loads_none() -> None:
    shared = "import pgbraid_stores.async_store, pgbraid_stores.store, pgbraid_stores.connections"
    assert not loaded(shared) & set(FRAMEWORKS.values())
