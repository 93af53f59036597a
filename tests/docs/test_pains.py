"""Check that the suite of pains tells who fails: on an engine that does everything wrong, and on pgbraid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from benchmarks.pains import page as pains_page
from benchmarks.pains.complaints import PAINS
from benchmarks.pains.complaints.documents import ModelChange, Permissions, StaleDocuments
from benchmarks.pains.complaints.ranking import ExactNames, Rerankers
from benchmarks.pains.complaints.vectors import EqualVectors, ShortPages
from benchmarks.pains.complaints.words import MixedScripts
from benchmarks.pains.engine import Document, Engine, Hit, Query, UnsupportedError
from benchmarks.pains.engines.braid import READER, Pgbraid
from benchmarks.pains.measure import measure
from benchmarks.pains.page import ABSENT, FAILS, NOTHING, PAGE, PASSES, Results, section, write_page
from benchmarks.pains.place import Place
from benchmarks.pains.texts import Texts
from benchmarks.pains.worker import decoded, encoded
from pgbraid.reranker import Scores
from support import HashEmbedder

pytestmark = pytest.mark.any_version
# With less, fewer than ten rows match the rarest filter.
SMALL = 0.15


class Careless(Engine):
    """Search by vectors only. Filters apply to the ten nearest rows, and a write replaces rows of the same key."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, tuple[Document, str, list[float], str | None]]] = {}
        self._left: list[Document] = []

    def about(self) -> str:
        return "Careless 1.0"

    def create(self, collection: str, dimensions: int, language: str) -> None:
        self._rows[collection] = {}

    def write(self, collection: str, documents: Sequence[Document], tenant: str | None) -> None:
        for document in documents:
            for key, text, vector in document.rows():
                self._rows[collection][key] = (document, text, vector, tenant)

    def settle(self, collection: str) -> None:
        pass

    def delete(self, collection: str, documents: Sequence[Document]) -> None:
        for document in documents:
            for key, _, _ in document.rows():
                del self._rows[collection][key]

    def search(self, collection: str, query: Query) -> list[Hit]:
        if query.reranked:
            raise UnsupportedError
        rows = list(self._rows[collection].values())
        scores = np.array([vector for _, _, vector, _ in rows]) @ np.array(query.vector)
        nearest = [(rows[place], scores[place]) for place in np.argsort(-scores)[: query.count]]
        return [
            Hit(document.id, text, float(score))
            for (document, text, _, tenant), score in nearest
            if query.kind in (None, document.kind) and (query.forgetful or query.tenant in (None, tenant))
        ]

    def begin_change(self, collection: str, documents: Sequence[Document]) -> None:
        self._left = list(documents)

    def continue_change(self, count: int) -> int:
        self.write("moving", self._left[:count], None)
        done, self._left = len(self._left[:count]), self._left[count:]
        return done

    def finish_change(self) -> None:
        pass


class Longest:
    """Score by length."""

    model_name = "longest"

    def rerank(self, query: str, texts: list[str]) -> Scores:
        return np.array([len(text) for text in texts], np.float64)

    def warm_up(self) -> None:
        pass


@pytest.fixture(scope="module")
def texts() -> Texts:
    return Texts(HashEmbedder().embed_documents, share=12)


@pytest.fixture
def braid(dsn: str) -> Iterator[Pgbraid]:
    with closing(Pgbraid(Place(Path(), dsn), str(conninfo_to_dict(dsn)["dbname"]))) as engine:
        yield engine
    with psycopg.connect(dsn, autocommit=True) as db:
        for statement in ("drop owned by {} cascade", "drop role {}"):
            db.execute(sql.SQL(statement).format(sql.Identifier(READER)))


def test_a_careless_engine_fails_and_the_page_says_so(
    texts: Texts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rerankers, "reranker", Longest())
    results = Results({"Careless": "Careless 1.0"}, {"pgbraid": "not asked"}, "the longest first")
    measure(PAINS, {"Careless": Careless()}, texts, results, SMALL)
    verdicts = {pain.__name__: results.cell(pain, "Careless") for pain in PAINS}
    for pain in (ShortPages, StaleDocuments, ModelChange, Permissions):
        assert verdicts[pain.__name__] == FAILS, verdicts
    assert verdicts[EqualVectors.__name__] == PASSES
    assert verdicts[Rerankers.__name__] == NOTHING
    stale = results.figures[StaleDocuments]["Careless"]
    assert stale is not None
    # Two of four passages are overwritten.
    assert stale["still found"] == stale["passages replaced"] / 2

    written = tmp_path / "pains.md"
    written.write_text(PAGE.read_text(encoding="utf-8"))
    monkeypatch.setattr(pains_page, "PAGE", written)
    write_page(results)
    lines = written.read_text(encoding="utf-8").splitlines()
    row = next(line for line in lines if line.startswith(f"| [{ShortPages.title}]"))
    assert row.endswith(f"| {FAILS} | {ABSENT} |")
    assert f"## {ShortPages.title}" in lines
    assert re.search(rf"^No peer of this run fails, .*{EqualVectors.title.lower()}", section(results), re.MULTILINE)


def test_pgbraid_is_measured_on_a_real_database(texts: Texts, braid: Pgbraid) -> None:
    pains = (ExactNames, ShortPages, StaleDocuments, ModelChange, MixedScripts, Permissions)
    results = Results({"pgbraid": braid.about()}, {}, "none")
    measure(pains, {"pgbraid": braid}, texts, results, SMALL)
    assert {pain.__name__: results.figures[pain] for pain in pains if results.cell(pain, "pgbraid") != PASSES} == {}


def test_calls_reach_another_process_as_they_are(texts: Texts) -> None:
    documents = texts.help[:2]
    query = texts.query("with", count=3, kind="a")
    assert [decoded(argument) for argument in encoded(["help", documents, query, None, 3])] == [
        "help", documents, query, None, 3,
    ]  # fmt: skip


def test_each_pain_names_its_thread() -> None:
    assert len(PAINS) == 10
    for pain in PAINS:
        assert all(thread.startswith("https://github.com/") for thread in pain.threads)
        assert pain.threads
        assert pain.question.endswith("?")
