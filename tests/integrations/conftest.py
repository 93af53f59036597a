"""Provide a tenant for each test, in a database for each file, and an embedding model that can fail."""

from __future__ import annotations

import asyncio
import inspect
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import psycopg
import pytest

from support import HashEmbedder

# Haystack sends usage data to its makers unless it is told not to.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"


def pytest_configure(config: pytest.Config) -> None:
    for marker in ("asyncio", "benchmark", "vcr"):
        config.addinivalue_line("markers", f"{marker}: of the frameworks' standard tests, and without effect here")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run tests that are coroutines, as the frameworks' standard tests are."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in arguments}))
    return True


@pytest.fixture(scope="module")
def shared_dsn(new_database: Callable[[], AbstractContextManager[str]]) -> Iterator[str]:
    with new_database() as dsn:
        yield dsn


@pytest.fixture
def tenant(shared_dsn: str) -> str:
    name = uuid.uuid4().hex
    with psycopg.connect(shared_dsn, autocommit=True) as connection:
        connection.execute("select braid.create_tenant(%s)", (name,))
    return name


class Model:
    """Embed for a framework, record the texts, and fail while `is_down` is set."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.queries: list[str] = []
        self.is_down = False
        self._hashes = HashEmbedder()

    def documents(self, texts: list[str]) -> list[list[float]]:
        self._answer()
        self.texts += texts
        return [[float(number) for number in row] for row in self._hashes.embed_documents(texts)]

    def query(self, text: str) -> list[float]:
        self._answer()
        self.queries.append(text)
        return [float(number) for number in self._hashes.embed_query(text)]

    def _answer(self) -> None:
        if self.is_down:
            raise ConnectionError("the embedding service is down")


@pytest.fixture
def model() -> Model:
    return Model()


# The notes of an office share only one word with the query.
OFFICE = [
    "The office is closed on Fridays in summer.",
    "Keys of the office are at the reception.",
    "The printer of the office is out of toner.",
    "Plants in the office are watered on Mondays.",
    "Parking is behind the office, for six cars.",
    "The office has a new coffee machine.",
]
NOTHING = "office of the president of France"
