"""Check that adding a function to the API takes five edits; the rest is generated or derived from the function's
file."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
ROOT = Path(__file__).parents[2]
COPIED = ("sql", "migrations", "python", "docs", "tests", "docker", "CHANGELOG.md", "README.md", "Makefile")
HEADER = """-- role: reader
-- example: braid.document_exists(external_id => 'doc1', collection => 'small')
-- page: guide/documents.md#read
"""
# The five edits by hand: the file, the line behind which text is added (or the end), and the text.
PLACES = {
    "sql/core/90_documents/3_documents/document_exists.sql": (
        "",
        HEADER
        + """create or replace function braid.document_exists(external_id text, collection text default 'default')
returns boolean
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid.get_document(document_exists.external_id, document_exists.collection) is not null;
$$;

comment on function braid.document_exists(text, text) is
  'Tells whether the tenant has a document with that external_id in a collection.';
""",
    ),
    "tests/core/documents/test_document_exists.py": (
        "",
        """import pytest

import pgbraid
from pgbraid.errors import NotFoundError


def test_a_document_that_is_there_and_one_that_is_not(client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": "a", "content": "A fox."}])
    assert client.document_exists("a") and not client.document_exists("b")
    with pytest.raises(NotFoundError):
        client.document_exists("a", "missing")
""",
    ),
    "docs/guide/documents.md": ("\n## Read\n", "\n`braid.document_exists('call-1')` tells whether it is there.\n"),
    "CHANGELOG.md": (
        "# Changelog\n",
        "\n## Unreleased\n\n### Documents\n\n"
        "- [`document_exists`](docs/guide/documents.md) tells whether a document is there.\n",
    ),
    "python/pgbraid/tools/client_methods.pyi": (
        "",
        """
def document_exists(external_id: str, collection: str = "default") -> bool:
    \"\"\"Raises NotFoundError for a collection that does not exist.\"\"\"
""",
    ),
}
GENERATED = {
    "docker/supabase/functions/_shared/braid.ts",
    "docs/reference/functions.md",
    "docs/reference/python.md",
    "python/pgbraid/src/pgbraid/_reads.py",
    "python/pgbraid/src/pgbraid/async_client/calls_documents.py",
    "python/pgbraid/src/pgbraid/async_client/methods.py",
    "python/pgbraid/src/pgbraid/client/calls_documents.py",
    "python/pgbraid/src/pgbraid/client/methods.py",
    "tests/core/catalog/privileges.txt",
}
CACHES = {"__pycache__", ".pytest_cache"}
ATTACK = """
from core.isolation.attack.calls import Function
call = Function("document_exists", True, 1, {"external_id": "text", "collection": "text"}).call({})
assert call == "braid.document_exists(external_id => ('doc1')::text, collection => ('small')::text)", call
"""


class Checkout:
    """Copy this checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "*.egg-info", "*.xz")
                shutil.copytree(source, folder / name, symlinks=True, ignore=ignored)
            else:
                shutil.copy(source, folder / name)

    def add(self) -> None:
        for name, (place, text) in PLACES.items():
            path = self.folder / name
            before = path.read_text() if path.exists() else ""
            assert place in before, name
            end = before.index(place) + len(place) if place else len(before)
            path.write_text(before[:end] + text + before[end:])

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        folders = ("python/pgbraid/src", "python/pgbraid-tools/src", "tests")
        path = os.pathsep.join(str(self.folder / name) for name in folders)
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True
        )

    def test(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)

    def hashes(self) -> dict[str, str]:
        paths = (path for path in self.folder.rglob("*") if path.is_file() and not CACHES & set(path.parts))
        return {p.relative_to(self.folder).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in paths}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Yield a checkout with a new function."""
    folder = tmp_path_factory.mktemp("checkout")
    made = Checkout(folder)
    before = made.hashes()
    made.add()
    generated = made.run("python/pgbraid/tools/generate.py")
    assert generated.returncode == 0, generated.stdout + generated.stderr
    after = made.hashes()
    changed = {name for name in after.keys() | before.keys() if after.get(name) != before.get(name)}
    assert changed - PLACES.keys() == GENERATED
    yield made
    shutil.rmtree(folder)


def test_five_places_are_written_by_hand(checkout: Checkout) -> None:
    assert len(PLACES) == 5
    catalog = [
        f"tests/core/catalog/test_{name}.py" for name in ("functions", "generated", "layers", "privileges", "sql_files")
    ]
    tested = checkout.test(*catalog, "tests/core/documents/test_document_exists.py", "tests/python/test_generated.py")
    assert tested.returncode == 0, tested.stdout
    each = [
        f"tests/core/{name}.py" for name in ("isolation/test_calls", "isolation/test_roles", "standby/test_functions")
    ]
    tested = checkout.test(*each, "-k", "document_exists")
    assert tested.returncode == 0, tested.stdout
    assert "passed" in tested.stdout and "skipped" not in tested.stdout
    attacked = checkout.run("-c", ATTACK)
    assert attacked.returncode == 0, attacked.stderr


def test_a_function_that_says_nothing_of_itself_is_noticed(checkout: Checkout) -> None:
    file = checkout.folder / next(iter(PLACES))
    text = file.read_text()
    file.write_text(text.removeprefix(HEADER))
    try:
        tested = checkout.test("tests/core/catalog/test_functions.py", "tests/core/catalog/test_privileges.py")
    finally:
        file.write_text(text)
    assert tested.returncode == 1
    for failed in ("the_api_says_who_runs_it", "every_function_can_be_executed", "the_privileges_are_those"):
        assert failed in tested.stdout
