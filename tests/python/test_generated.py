"""The sync client is what the async one gives, and both are one whole of their parts."""

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
        methods = inspect.getmembers(client, inspect.isfunction)
        return {name: list(inspect.signature(method).parameters) for name, method in methods if name[0] != "_"}

    assert signatures(pgbraid.Client) == signatures(pgbraid.AsyncClient)
    assert len(signatures(pgbraid.Client)) >= 12


def test_no_part_of_the_client_hides_a_method_of_another() -> None:
    names = [name for part in pgbraid.Client.__mro__[:-1] for name in vars(part) if not name.startswith("__")]
    assert sorted(names) == sorted(set(names))
