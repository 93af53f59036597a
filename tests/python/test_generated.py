"""The sync client is what the async one gives."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pgbraid

TOOL = Path(__file__).parents[2] / "python" / "tools" / "async_to_sync.py"

pytestmark = pytest.mark.any_version


def test_the_sync_client_is_up_to_date() -> None:
    assert subprocess.run([sys.executable, TOOL, "--check"], check=False).returncode == 0


def test_both_clients_have_the_same_methods_and_arguments() -> None:
    def signatures(client: type) -> dict[str, list[str]]:
        methods = {name: method for name, method in vars(client).items() if not name.startswith("_")}
        return {name: list(inspect.signature(method).parameters) for name, method in methods.items()}

    assert signatures(pgbraid.Client) == signatures(pgbraid.AsyncClient)
    assert len(signatures(pgbraid.Client)) >= 12
