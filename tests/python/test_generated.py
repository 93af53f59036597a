"""Test that the sync client is generated from the async client, and that both are one flat class."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import pgbraid

TOOL = Path(__file__).parents[2] / "python" / "pgbraid" / "tools" / "async_to_sync.py"

pytestmark = pytest.mark.any_version


def test_the_sync_client_is_up_to_date() -> None:
    assert subprocess.run([sys.executable, TOOL, "--check"], check=False).returncode == 0


def test_both_clients_have_the_same_methods_and_arguments() -> None:
    def signatures(client: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(client, inspect.isfunction)
        return {name: list(inspect.signature(method).parameters) for name, method in methods if name[0] != "_"}

    assert signatures(pgbraid.Client) == signatures(pgbraid.AsyncClient)
    assert len(signatures(pgbraid.Client)) >= 12


@pytest.mark.parametrize("client", [pgbraid.Client, pgbraid.AsyncClient])
def test_the_clients_methods_are_functions_of_their_names(client: type) -> None:
    assert [part.__name__ for part in client.__mro__] == [client.__name__, "Methods", "BaseClient", "object"]
    named = {name: method.__name__ for name, method in inspect.getmembers(client, inspect.isfunction)}
    assert named == {name: name for name in named}
    # Each method has documentation and takes the client as its first argument.
    assert [name for name, method in inspect.getmembers(client, inspect.isfunction) if not method.__doc__] == [
        "__aenter__" if client is pgbraid.AsyncClient else "__enter__",
        "__aexit__" if client is pgbraid.AsyncClient else "__exit__",
        "__init__",
    ]
