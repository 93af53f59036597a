"""After any history of writes, in and out of transactions, the index answers as if it had just been built."""

from __future__ import annotations

import copy
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from psycopg.types.json import Jsonb

from support.bm25_model import Bm25Model, Chunk, Tokenizer, approximately, indexed_body
from support.calls import full_text, set_tenant, upsert
from support.examples import examples

Connection = psycopg.Connection[Any]

# HYPOTHESIS_PROFILE=deep tries other histories each time, and shortens one that fails, which takes minutes.
PROFILES = {
    "default": settings(
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        max_examples=examples(14),
        stateful_step_count=15,
        derandomize=True,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    ),
}
PROFILES["deep"] = settings(
    PROFILES["default"],
    max_examples=500,
    stateful_step_count=40,
    derandomize=False,
    phases=[Phase.generate, Phase.shrink],
)

# The words are few, so that documents share them: plain words, stop words, compounds, unspaced script, capitals and
# accents.
WORDS = ["river", "rivers", "amber", "the", "who", "ORA-00942", "ora", "fooBar", "bar", "17.2.1", "京都", "東京都"]
WORDS += ["Café", "cafe", "zebra"]
# The ids are in "C" order, and no other collation agrees with it.
IDS = ["A", "Z", "a", "a b", "b", "z", "Ä", "é", "京", "10", "9", ""]
CATEGORIES = ["x", "y", None]

texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=12).map(" ".join)
ids = st.sampled_from(IDS[:-1])
optional = st.one_of(st.none(), texts)
chunk_lists = st.lists(
    st.fixed_dictionaries(
        {"content": texts},
        optional={
            "category": st.sampled_from(CATEGORIES),
            "speaker": st.sampled_from(["Ana", "Who"]),
            "metadata": st.just({"own": 1}),
        },
    ),
    min_size=1,
    max_size=3,
)
attributes = {
    "title": optional,
    "speaker": st.sampled_from(["Ana", None]),
    "category": st.sampled_from(CATEGORIES),
    "metadata": st.fixed_dictionaries({"k": st.integers(0, 1)}),
}
documents = st.one_of(
    st.fixed_dictionaries({"external_id": ids, "content": texts}, optional=attributes),
    st.fixed_dictionaries({"external_id": ids, "chunks": chunk_lists}, optional=attributes),
)
batches = st.lists(documents, min_size=1, max_size=6)
FILTERS: list[dict[str, Any]] = [
    {"category": "x"},
    {"k": 1},
    {"own": 1, "category": {"$ne": "y"}},
    {"speaker": "Ana"},
    {"external_id": {"$gt": "a"}},
]
queries = st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=6).map(" ".join)
PARTS = [("default", 0), ("default", 1), ("other", 0)]
TITLE_WEIGHTS = (1.0, 2.5)


@dataclass
class Document:
    """Hold a document as the tables should hold it."""

    given: dict[str, Any]
    metadata: dict[str, Any]

    def chunks(self) -> Iterator[Chunk]:
        given = self.given
        rows = given.get("chunks")
        if rows is None:
            content = given["content"]
            # A document with only a title has one chunk; an empty document has none.
            rows = [{"content": content}] if content or given.get("title") else []
        for index, row in enumerate(rows):
            found = {name: row.get(name) or given.get(name) for name in ("speaker", "category")}
            found["metadata"] = {**self.metadata, **row.get("metadata", {})}
            body = indexed_body(found["speaker"], row["content"])
            yield Chunk(given["external_id"], index, given.get("title") or "", body, found)


def accepts(filters: dict[str, Any], chunk: Chunk) -> bool:
    """Evaluate one of the few filters above in Python."""
    attributes = chunk.attributes
    if filters == {"category": "x"}:
        return bool(attributes["category"] == "x")
    if filters == {"k": 1}:
        return bool(attributes["metadata"].get("k") == 1)
    if "own" in filters:
        return "own" in attributes["metadata"] and attributes["category"] != "y"
    if filters == {"speaker": "Ana"}:
        return bool(attributes["speaker"] == "Ana")
    return chunk.external_id.encode() > b"a"


Part = tuple[str, int]
State = dict[Part, dict[str, Document]]


class Histories(RuleBasedStateMachine):
    """Run one writer with transactions and savepoints, one reader, and one reader with an old snapshot."""

    writer: Connection
    reader: Connection
    old_reader: Connection
    tokenizer: Tokenizer
    numbers = itertools.count()

    parts = Bundle("parts")

    @initialize()
    def begin_example(self) -> None:
        self.names = [f"c{next(self.numbers)}" for _ in TITLE_WEIGHTS]
        for name, weight in zip(self.names, TITLE_WEIGHTS, strict=True):
            self.writer.execute(
                "select braid.create_collection(%s, ranking => jsonb_build_object('title_weight', %s::float8))",
                (name, weight),
            )
        self.committed: State = {part: {} for part in PARTS}
        # The stack holds the states to return to: the transaction's begin, then its savepoints. It is empty outside a
        # transaction.
        self.stack: list[State] = []
        self.state = copy.deepcopy(self.committed)
        self.snapshot: State | None = None

    def collection(self, part: Part) -> str:
        set_tenant(self.writer, part[0])
        return self.names[part[1]]

    @rule(part=st.sampled_from(PARTS), batch=batches)
    def upsert(self, part: Part, batch: list[dict[str, Any]]) -> None:
        upsert(self.writer, batch, self.collection(part))
        for given in batch:
            self.state[part][given["external_id"]] = Document(given, given.get("metadata", {}))

    @rule(part=st.sampled_from(PARTS), batch=st.lists(documents, min_size=9, max_size=12))
    def upsert_one_by_one(self, part: Part, batch: list[dict[str, Any]]) -> None:
        for given in batch:
            self.upsert(part, [given])

    @rule(part=st.sampled_from(PARTS), data=st.data())
    def upsert_unchanged(self, part: Part, data: st.DataObject) -> None:
        here = self.state[part]
        if here:
            document = here[data.draw(st.sampled_from(sorted(here)))]
            given = {**document.given, "metadata": document.metadata}
            status = upsert(self.writer, [given], self.collection(part))
            assert set(status.values()) <= {"unchanged", "updated", "replaced"}
            document.given = given

    @rule(part=st.sampled_from(PARTS), gone=st.lists(ids, min_size=1, max_size=4))
    def delete(self, part: Part, gone: list[str]) -> None:
        for external_id in gone:
            row = self.writer.execute(
                "select braid.delete_document(%s, %s)", (external_id, self.collection(part))
            ).fetchone()
            assert row == (self.state[part].pop(external_id, None) is not None,)

    @rule(part=st.sampled_from(PARTS), external_id=ids, number=st.integers(0, 2), replace=st.booleans())
    def update_metadata(self, part: Part, external_id: str, number: int, replace: bool) -> None:
        change = {"k": number if number < 2 else None, "other": number}
        self.writer.execute(
            "select braid.update_metadata(%s, %s, %s, %s)",
            (external_id, Jsonb(change), replace, self.collection(part)),
        )
        if document := self.state[part].get(external_id):
            merged = change if replace else {**document.metadata, **change}
            document.metadata = {key: value for key, value in merged.items() if value is not None}

    @rule(part=st.sampled_from(PARTS))
    def clear(self, part: Part) -> None:
        row = self.writer.execute("select braid.clear_collection(%s)", (self.collection(part),)).fetchone()
        assert row == (len(self.state[part]),)
        self.state[part] = {}

    @rule()
    def maintain(self) -> None:
        self.writer.execute("select braid.maintain()")

    @rule()
    def begin(self) -> None:
        if not self.stack:
            self.writer.execute("begin")
        else:
            self.writer.execute(f"savepoint s{len(self.stack)}")
        self.stack.append(copy.deepcopy(self.state))

    @precondition(lambda self: self.stack)
    @rule()
    def roll_back(self) -> None:
        self.state = self.stack.pop()
        self.writer.execute(f"rollback to savepoint s{len(self.stack)}" if self.stack else "rollback")

    @precondition(lambda self: self.stack)
    @rule()
    def commit(self) -> None:
        self.writer.execute("commit")
        self.stack = []

    @precondition(lambda self: self.snapshot is None)
    @rule()
    def take_snapshot(self) -> None:
        self.old_reader.execute("begin isolation level repeatable read")
        self.old_reader.execute("select 1")
        self.snapshot = copy.deepcopy(self.committed)

    @precondition(lambda self: self.snapshot is not None)
    @rule()
    def drop_snapshot(self) -> None:
        self.old_reader.execute("rollback")
        self.snapshot = None

    @invariant()
    def statistics_and_a_search_are_exact(self) -> None:
        if not self.stack:
            self.committed = copy.deepcopy(self.state)
        for part in PARTS:
            assert statistics(self.writer, part, self.names) == self.model(self.state, part).statistics
            assert statistics(self.reader, part, self.names) == self.model(self.committed, part).statistics
            self.search(part, "river amber ORA-00942 京都 cafe 17.2", "any", None)

    @rule(
        part=st.sampled_from(PARTS),
        query=queries,
        match=st.sampled_from(["any", "all", "75%"]),
        filters=st.sampled_from([None, *FILTERS]),
    )
    def search(self, part: Part, query: str, match: str, filters: dict[str, Any] | None) -> None:
        views = [(self.writer, self.state)]
        if self.stack:
            # Outside a transaction, the writer would see the same state.
            views.append((self.reader, self.committed))
        if self.snapshot is not None:
            views.append((self.old_reader, self.snapshot))
        for connection, state in views:
            model = self.model(state, part)
            expected = model.search(query, match, lambda chunk: filters is None or accepts(filters, chunk))
            set_tenant(connection, part[0])
            found = full_text(connection, query, match=match, filters=filters, collection=self.names[part[1]])
            assert found == approximately(expected)

    def teardown(self) -> None:
        for connection in (self.writer, self.old_reader):
            connection.rollback()

    def model(self, state: State, part: Part) -> Bm25Model:
        chunks = [chunk for document in state[part].values() for chunk in document.chunks()]
        return Bm25Model(chunks, self.tokenizer, title_weight=TITLE_WEIGHTS[part[1]])


def statistics(connection: Connection, part: Part, names: list[str]) -> tuple[int, int, int]:
    row = connection.execute(
        "select s.* from braid_store.tenants t, braid_store.collections c, "
        "braid_store.index_statistics(t.id, c.id) s where t.key = %s and c.name = %s",
        (part[0], names[part[1]]),
    ).fetchone()
    assert row is not None
    return (row[0], row[1], row[2])


def test_any_history(db: Connection, dsn: str) -> None:
    db.execute("select braid.create_tenant('other')")
    with (
        psycopg.connect(dsn, autocommit=True) as reader,
        psycopg.connect(dsn, autocommit=True) as old_reader,
        psycopg.connect(dsn, autocommit=True) as tokens,
    ):

        class Machine(Histories):
            pass

        Machine.writer, Machine.reader, Machine.old_reader = db, reader, old_reader
        Machine.tokenizer = Tokenizer(tokens)
        profile = PROFILES[os.environ.get("HYPOTHESIS_PROFILE", "default")]
        run_state_machine_as_test(Machine, settings=profile)
