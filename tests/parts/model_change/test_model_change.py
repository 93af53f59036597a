"""While a collection moves to another embedding model, searches always find all documents, in the space that serves."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from support.calls import semantic, set_tenant, upsert, vector
from support.waiting import be_patient, until

Connection = psycopg.Connection[Any]
OLD, NEW = "old-model", "new-model"
DIMENSIONS = {OLD: 3, NEW: 5}


def embed(text: str, model: str) -> list[float]:
    """Return a vector of the model that depends on the text alone."""
    rng = random.Random(f"{model}/{text}")
    return [rng.gauss(0, 1) for _ in range(DIMENSIONS[model])]


def connect(dsn: str, tenant: str = "default") -> Connection:
    connection = psycopg.connect(dsn, autocommit=True)
    set_tenant(connection, tenant)
    return connection


def value(db: Connection, statement: str, *parameters: object) -> Any:
    row = db.execute(statement, parameters).fetchone()
    assert row is not None
    return row[0]


def step(db: Connection, name: str) -> None:
    db.execute(f"select braid.{name}_model_change('moving')")


def start(db: Connection, **arguments: Any) -> None:
    arguments = {"embedding_model": NEW, "dimensions": DIMENSIONS[NEW], **arguments}
    named = "".join(f", {name} => %({name})s" for name in arguments)
    db.execute(f"select braid.start_model_change('moving'{named})", arguments)


def claim(db: Connection, model: str | None, count: int, lease: str = "5 minutes") -> list[tuple[int, str]]:
    return db.execute(
        "select chunk_id, input from braid.claim_embedding_jobs(%s, %s, 'moving', %s)", (count, lease, model)
    ).fetchall()


def work(db: Connection, model: str | None, count: int = 50) -> int:
    """Run one batch of a worker; with `model` None it names no model, like a worker of the old model."""
    jobs = claim(db, model, count)
    vectors = [vector(embed(text, model or OLD)) for _, text in jobs]
    return int(
        value(
            db,
            "select braid.store_embeddings(%s, %s::vector[], 'moving', %s)",
            [chunk_id for chunk_id, _ in jobs],
            vectors,
            model,
        )
    )


def work_off(db: Connection, model: str | None) -> int:
    done = 0
    while stored := work(db, model):
        done += stored
    return done


def maintain(db: Connection, budget: str = "10 seconds") -> dict[str, Any]:
    done: dict[str, Any] = value(db, "select braid.maintain(%s)", budget)
    return done


def progress(db: Connection) -> dict[str, Any] | None:
    found: dict[str, Any] | None = value(db, "select braid.status('moving') #> '{collections,0,model_change}'")
    return found


def serving(db: Connection) -> tuple[str, int]:
    row = db.execute("select embedding_model, dimensions from braid.collections where name = 'moving'").fetchone()
    assert row is not None
    return (row[0], row[1])


def documents(numbers: Iterable[int], version: int = 0) -> list[dict[str, Any]]:
    return [{"external_id": f"d{n}", "content": f"document {n} version {version}"} for n in numbers]


def found(db: Connection, model: str, text: str = "a question") -> list[tuple[str, int, float]]:
    return semantic(db, embed(text, model), collection="moving")


def expected(db: Connection, model: str, text: str = "a question") -> list[tuple[str, float]]:
    """Return (external_id, cosine similarity) of all chunks by the model's vectors, best first."""
    query = embed(text, model)
    rows = db.execute(
        "select d.external_id, c.content from braid_store.chunks c join braid_store.documents d"
        " on d.tenant_id = c.tenant_id and d.id = c.document_id"
        " where c.tenant_id = braid.current_tenant_id() and c.collection_id ="
        " (select id from braid_store.collections where name = 'moving')"
    ).fetchall()

    def cosine(text: str) -> float:
        other = embed(text, model)
        norm = sum(a * a for a in query) ** 0.5 * sum(a * a for a in other) ** 0.5
        return float(sum(a * b for a, b in zip(query, other, strict=True)) / norm)

    return sorted(((external_id, cosine(content)) for external_id, content in rows), key=lambda row: -row[1])


def assert_all_found(db: Connection, model: str, text: str = "a question") -> None:
    rows: list[Any] = [(name, pytest.approx(score, abs=1e-5)) for name, score in expected(db, model, text)]
    assert [(external_id, score) for external_id, _, score in found(db, model, text)] == rows


@pytest.fixture
def moving(db: Connection) -> Connection:
    """Fill the collection `moving` with 30 embedded documents of `default` and 20 of `other`."""
    db.execute(
        "select braid.create_collection('moving', dimensions => %s, embedding_model => %s)", (DIMENSIONS[OLD], OLD)
    )
    db.execute("select braid.create_tenant('other')")
    for tenant, count in (("other", 20), ("default", 30)):
        set_tenant(db, tenant)
        upsert(db, documents(range(count)), "moving")
        assert work_off(db, None) == count
    return db


def embed_all(db: Connection) -> None:
    assert maintain(db)["complete"]
    for tenant in ("other", "default"):
        set_tenant(db, tenant)
        work_off(db, NEW)


@contextmanager
def refused(state: str, message: str, hint: str) -> Iterator[None]:
    with pytest.raises(psycopg.Error, match=message) as raised:
        yield
    assert raised.value.sqlstate == state
    assert hint in str(raised.value.diag.message_hint)


def left_of(db: Connection, model: str) -> int:
    """Return the number of rows in a model's space: vectors, jobs, and shards that are not retired."""
    return int(
        value(
            db,
            "select (select count(*) from braid_store.chunk_vectors v where v.vector_space_id = s.id)"
            " + (select count(*) from braid_store.embedding_jobs j where j.vector_space_id = s.id)"
            " + (select count(*) from braid_store.vector_shards h where h.vector_space_id = s.id)"
            " from braid_store.vector_spaces s where s.embedding_model = %s",
            model,
        )
    )


def test_from_start_to_finish(moving: Connection) -> None:
    start(moving)
    assert serving(moving) == (OLD, 3)
    # Nothing changes for searches, and for workers that do not name their model.
    assert_all_found(moving, OLD)
    assert work(moving, None) == 0 and work(moving, NEW) == 0
    assert progress(moving) == {
        "state": "filling",
        "from_model": OLD,
        "from_dimensions": 3,
        "to_model": NEW,
        "to_dimensions": 5,
        "embedded_chunks": 0,
        "pending_embeddings": 0,
        "failed_embeddings": 0,
    }

    done = maintain(moving)
    assert done["chunks_enqueued"] == 50 and done["complete"]
    assert maintain(moving)["chunks_enqueued"] == 0
    assert work(moving, NEW, 10) == 10
    state = progress(moving)
    assert state is not None and (state["embedded_chunks"], state["pending_embeddings"]) == (10, 20)
    assert_all_found(moving, OLD)
    with refused("22023", "40 chunks of 2 tenants", "status"):
        step(moving, "cut_over")
    assert work_off(moving, NEW) == 20
    with refused("22023", "20 chunks of 1 tenants", "status"):
        step(moving, "cut_over")
    set_tenant(moving, "other")
    assert work_off(moving, NEW) == 20

    step(moving, "cut_over")
    assert serving(moving) == (NEW, 5)
    for tenant in ("other", "default"):
        set_tenant(moving, tenant)
        assert_all_found(moving, NEW)
    state = progress(moving)
    assert state is not None and (state["state"], state["embedded_chunks"]) == ("cut_over", 30)

    step(moving, "finish")
    assert progress(moving) is None
    assert moving.execute("select * from braid.model_changes").fetchall() == []
    assert maintain(moving)["complete"]
    assert left_of(moving, OLD) == 0
    assert value(moving, "select count(*) from braid_store.dropped_spaces") == 0
    assert_all_found(moving, NEW)
    upsert(moving, documents([1], 2), "moving")
    assert work_off(moving, NEW) == 1
    assert_all_found(moving, NEW)
    assert left_of(moving, OLD) == 0


@pytest.mark.any_version
def test_writes_go_to_both(moving: Connection) -> None:
    start(moving)
    upsert(moving, documents([1, 100], 1), "moving")
    moving.execute("select braid.delete_document('d2', 'moving')")
    # The two documents have jobs for both models before maintain(), which adds the other documents' jobs.
    assert (work(moving, OLD), work(moving, NEW)) == (2, 2)
    assert maintain(moving)["chunks_enqueued"] == 48
    moving.execute("select braid.delete_document('d3', 'moving')")
    embed_all(moving)
    assert_all_found(moving, OLD)
    step(moving, "cut_over")
    assert_all_found(moving, NEW)

    upsert(moving, documents([4, 101], 1), "moving")
    moving.execute("select braid.delete_documents('{d5,d6}', 'moving')")
    assert (work_off(moving, NEW), work_off(moving, OLD)) == (2, 2)
    assert_all_found(moving, NEW)
    step(moving, "roll_back")
    assert_all_found(moving, OLD)
    step_before = left_of(moving, NEW)
    assert step_before > 0
    maintain(moving)
    assert left_of(moving, NEW) == 0
    assert_all_found(moving, OLD)


@pytest.mark.any_version
def test_given_embeddings_go_where_they_fit(moving: Connection) -> None:
    given = [
        {"external_id": "old", "content": "a", "embedding": embed("a", OLD)},
        {"external_id": "new", "content": "b", "embedding": embed("b", NEW)},
        {"external_id": "chunks", "chunks": [
            {"content": "c", "embedding": embed("c", NEW)},
            {"content": "e", "embedding": embed("e", OLD)},
            {"content": "f"},
        ]},
    ]  # fmt: skip
    message = 'embedding of document "new" has 5 dimensions, collection "moving" has 3'
    with refused("22023", message, "Use the collection's model"):
        upsert(moving, given, "moving")
    start(moving)
    with refused("22023", 'embedding of document "x" has 2 dimensions', "model change from old-model"):
        upsert(moving, [given[1], {"external_id": "x", "content": "x", "embedding": [1, 2]}], "moving")
    upsert(moving, given, "moving")
    assert (work(moving, OLD), work(moving, NEW)) == (3, 3)
    embed_all(moving)
    moving.execute("select braid.delete_document('chunks', 'moving')")
    assert_all_found(moving, OLD)
    step(moving, "cut_over")
    assert_all_found(moving, NEW)


@pytest.mark.any_version
def test_the_serving_space_gets_what_fits_both(moving: Connection) -> None:
    start(moving, dimensions=3)
    upsert(moving, [{"external_id": "x", "content": "x", "embedding": embed("x", OLD)}], "moving")
    assert work(moving, OLD) == 0
    assert [text for _, text in claim(moving, NEW, 10)] == ["x"]


@pytest.mark.any_version
def test_a_query_of_the_other_dimensions(moving: Connection) -> None:
    start(moving)
    embed_all(moving)
    with refused("22023", "query_embedding has 5 dimensions", "the old model until the cut-over"):
        found(moving, NEW)
    with refused("22023", "embedding 1 has 5 dimensions", "model change"):
        moving.execute("select braid.store_embeddings('{1}', %s::vector[], 'moving')", ([vector(embed("a", NEW))],))
    step(moving, "cut_over")
    with refused("22023", "query_embedding has 3 dimensions", "the new model since the cut-over"):
        found(moving, OLD)
    step(moving, "finish")
    with pytest.raises(psycopg.errors.InvalidParameterValue) as raised:
        found(moving, OLD)
    assert "model change" not in str(raised.value.diag.message_hint)


@pytest.mark.any_version
def test_pause_and_resume(moving: Connection) -> None:
    start(moving)
    step(moving, "pause")
    assert maintain(moving)["chunks_enqueued"] == 0
    upsert(moving, documents([100]), "moving")
    assert (work(moving, NEW), work(moving, OLD)) == (0, 1)
    with refused("22023", "not all chunks", "Resume"):
        step(moving, "cut_over")
    step(moving, "resume")
    assert maintain(moving)["chunks_enqueued"] == 50
    assert work(moving, NEW, 5) == 5
    step(moving, "pause")
    step(moving, "pause")
    state = progress(moving)
    assert state is not None and (state["state"], state["embedded_chunks"]) == ("paused", 5)
    assert work(moving, NEW) == 0
    # Jobs that were claimed before the pause may still be answered.
    step(moving, "resume")
    claimed = claim(moving, NEW, 1)
    step(moving, "pause")
    vectors = [vector(embed(text, NEW)) for _, text in claimed]
    store = "select braid.store_embeddings(%s, %s::vector[], 'moving', %s)"
    assert value(moving, store, [chunk_id for chunk_id, _ in claimed], vectors, NEW) == 1
    step(moving, "resume")
    embed_all(moving)
    step(moving, "cut_over")
    assert_all_found(moving, NEW)


@pytest.mark.any_version
def test_failed_jobs_are_of_one_space(moving: Connection) -> None:
    start(moving)
    upsert(moving, documents([100]), "moving")
    chunk_id = value(moving, "select max(id) from braid_store.chunks")
    fail = "select braid.fail_embedding_jobs(%s, 'no', 'moving', %s)"
    assert value(moving, fail, [chunk_id], NEW) == 1
    state = progress(moving)
    assert state is not None and (state["pending_embeddings"], state["failed_embeddings"]) == (1, 1)
    assert (work(moving, NEW), work(moving, OLD)) == (0, 1)
    assert value(moving, fail, [chunk_id], None) == 0


@pytest.mark.any_version
def test_roll_back_before_the_cut_over_and_start_again(moving: Connection) -> None:
    start(moving)
    embed_all(moving)
    step(moving, "roll_back")
    assert progress(moving) is None
    assert_all_found(moving, OLD)
    upsert(moving, documents([100, 101]), "moving")
    moving.execute("select braid.delete_document('d1', 'moving')")
    assert work(moving, OLD) == 2
    # Vectors that have not been deleted yet are used again.
    start(moving)
    assert maintain(moving)["chunks_enqueued"] == 2
    assert work(moving, NEW) == 2
    step(moving, "cut_over")
    assert_all_found(moving, NEW)
    step(moving, "finish")
    maintain(moving)
    # The collection changes back to the first model.
    start(moving, embedding_model=OLD, dimensions=3)
    assert maintain(moving)["chunks_enqueued"] == 51
    for tenant in ("other", "default"):
        set_tenant(moving, tenant)
        work_off(moving, OLD)
    step(moving, "cut_over")
    assert_all_found(moving, OLD)


@pytest.mark.any_version
def test_steps_out_of_order_and_wrong_values(moving: Connection) -> None:
    for name in ("pause", "resume", "cut_over", "roll_back", "finish"):
        with refused("22023", "in no model change", "start_model_change"):
            step(moving, name)
        with refused("42704", "does not exist", "create_collection"):
            moving.execute(f"select braid.{name}_model_change('nowhere')")
    for wrong in ({"dimensions": 0}, {"embedding_model": ""}, {"distance": "near"}, {"vector_storage": "tape"}):
        with refused("22023", f"{next(iter(wrong))} is", "Use" if "embedding_model" not in wrong else "Name"):
            start(moving, **wrong)
    with refused("22023", "embedding_model is 'old-model', which collection \"moving\" uses already", "old-model@5"):
        start(moving, embedding_model=OLD)
    with refused(
        "22023",
        "'third', but collection \"moving\" has no vectors of",
        "Use 'old-model', or create a collection for 'third'",
    ):
        work(moving, "third")
    start(moving)
    with refused("22023", "in a model change already", "finish_model_change"):
        start(moving, embedding_model="third")
    with refused("22023", "'third', but collection", "'old-model' or 'new-model'"):
        work(moving, "third")
    with refused("22023", "not cut over yet", "cut_over_model_change"):
        step(moving, "finish")
    embed_all(moving)
    step(moving, "cut_over")
    for name in ("pause", "resume", "cut_over"):
        with refused("22023", "cut over already", "finish_model_change"):
            step(moving, name)
    with moving.transaction(force_rollback=True):
        moving.execute("set transaction isolation level repeatable read")
        with refused("0A000", "isolation level", "read committed"):
            step(moving, "finish")
    moving.execute("select braid.drop_collection('moving')")
    assert maintain(moving)["complete"]
    assert left_of(moving, OLD) == left_of(moving, NEW) == 0


@pytest.mark.any_version
def test_storage_and_distance_change_with_the_space(db: Connection) -> None:
    db.execute("select braid.create_collection('moving', dimensions => 3, embedding_model => %s)", (OLD,))
    upsert(db, [{"external_id": "x", "content": "x", "embedding": [3, 0, 0]}], "moving")
    start(db, dimensions=3000, distance="inner_product")
    maintain(db)
    chunk_id = value(db, "select max(id) from braid_store.chunks")
    wide = vector([2.0] + [0.0] * 2999)
    assert value(db, "select braid.store_embeddings(%s, %s::vector[], 'moving', %s)", [chunk_id], [wide], NEW) == 1
    settings = "select dimensions, distance, vector_storage from braid.collections where name = 'moving'"
    assert db.execute(settings).fetchone() == (3, "cosine", "vector")
    step(db, "cut_over")
    assert db.execute(settings).fetchone() == (3000, "inner_product", "halfvec")
    assert semantic(db, [1.0] + [0.0] * 2999, collection="moving") == [("x", 0, 2.0)]
    step(db, "roll_back")
    assert db.execute(settings).fetchone() == (3, "cosine", "vector")
    assert semantic(db, [1, 0, 0], collection="moving") == [("x", 0, 1.0)]


def test_an_old_snapshot_reads_the_old_space(moving: Connection, dsn: str) -> None:
    start(moving)
    embed_all(moving)
    maintain(moving)
    with connect(dsn) as old:
        old.execute("begin isolation level repeatable read")
        before = found(old, OLD)
        assert len(before) == 30
        step(moving, "cut_over")
        step(moving, "finish")
        upsert(moving, documents([1], 3), "moving")
        for _ in range(3):
            maintain(moving)
        assert left_of(moving, OLD) == 0
        assert found(old, OLD) == before
        assert_all_found(old, OLD)
        # The old transaction does not know of the end, so it writes to both spaces; no row of the old space stays.
        upsert(old, documents([200]), "moving")
        old.execute("commit")
    assert left_of(moving, OLD) == 1
    maintain(moving)
    assert left_of(moving, OLD) == 0
    assert work_off(moving, NEW) == 2
    assert_all_found(moving, NEW)


def test_a_writer_who_does_not_know_of_the_start(moving: Connection, dsn: str) -> None:
    with connect(dsn) as old:
        old.execute("begin isolation level repeatable read")
        assert len(found(old, OLD)) == 30
        start(moving)
        embed_all(moving)
        # Its chunk has no job for the new space, so no cut-over is possible before maintenance has found this out.
        upsert(old, documents([200]), "moving")
        assert maintain(moving)["complete"]
        with refused("22023", "not all chunks", "transactions that began before the model change"):
            step(moving, "cut_over")
        old.execute("commit")
    work_off(moving, OLD)
    assert maintain(moving)["chunks_enqueued"] == 1
    with refused("22023", "1 chunks of 1 tenants", "workers"):
        step(moving, "cut_over")
    work_off(moving, NEW)
    step(moving, "cut_over")
    assert_all_found(moving, NEW)


def test_a_start_waits_for_writers_and_writers_for_a_cut_over(moving: Connection, dsn: str) -> None:
    be_patient(moving)
    with connect(dsn) as other, connect(dsn) as third:
        other.execute("begin")
        upsert(other, documents([200]), "moving")
        starting = threading.Thread(target=start, args=(moving,))
        starting.start()
        until(lambda: waiting(third) == 1)
        assert value(third, "select count(*) from braid.model_changes") == 0
        other.execute("commit")
        starting.join()
        work_off(other, OLD)
        embed_all(moving)

        moving.execute("begin")
        step(moving, "cut_over")
        # The writer waits for the cut-over, and then sees the new space.
        given = [{"external_id": "x", "content": "x", "embedding": embed("x", NEW)}]
        writing = threading.Thread(target=upsert, args=(other, given, "moving"))
        writing.start()
        until(lambda: waiting(third) == 1)
        assert_all_found(third, OLD)
        moving.execute("commit")
        writing.join()
        assert_all_found(third, NEW)
        assert work_off(third, OLD) == 1

        moving.execute("begin")
        step(moving, "roll_back")
        writing = threading.Thread(target=upsert, args=(other, documents([201]), "moving"))
        writing.start()
        until(lambda: waiting(third) == 1)
        assert_all_found(third, NEW)
        moving.execute("commit")
        writing.join()
        assert work_off(third, OLD) == 1
        assert_all_found(third, OLD)


def test_chunks_that_are_being_deleted_are_not_missed(moving: Connection, dsn: str) -> None:
    with connect(dsn) as other:
        start(moving)
        other.execute("begin")
        other.execute("select braid.delete_documents('{d1,d2}', 'moving')")
        assert maintain(moving)["chunks_enqueued"] == 48
        with refused("22023", "not all chunks", "maintain"):
            step(moving, "cut_over")
        other.execute("rollback")
        assert maintain(moving)["chunks_enqueued"] == 2
        embed_all(moving)
        step(moving, "cut_over")
        assert_all_found(moving, NEW)


@pytest.mark.any_version
def test_enqueueing_goes_on_where_it_stopped(moving: Connection) -> None:
    upsert(moving, documents(range(30, 2500)), "moving")
    start(moving)
    enqueued = []
    while not (done := maintain(moving, "1 microsecond"))["complete"] or done["chunks_enqueued"]:
        enqueued.append(done["chunks_enqueued"])
    assert max(enqueued) <= 1000 and sum(enqueued) == 2520
    assert value(moving, "select count(*) from braid.model_changes where is_enqueued") == 1


@pytest.mark.any_version
def test_clearing_a_part(moving: Connection) -> None:
    start(moving)
    maintain(moving)
    work(moving, NEW, 10)
    assert value(moving, "select braid.clear_collection('moving')") == 30
    assert work(moving, NEW) == 0
    set_tenant(moving, "other")
    work_off(moving, NEW)
    step(moving, "cut_over")
    assert_all_found(moving, NEW)
    set_tenant(moving, "default")
    assert found(moving, NEW) == []


def test_tenants_see_their_own_progress_alone(moving: Connection, make_login: Any, connect_as: Any) -> None:
    login = make_login("ana", "braid_writer")
    moving.execute("select braid.add_tenant_member('other', %s)", (login,))
    start(moving)
    maintain(moving)
    work_off(moving, NEW)
    ana = connect_as(login)
    state = progress(ana)
    assert state is not None and (state["embedded_chunks"], state["pending_embeddings"]) == (0, 20)
    theirs = [row[0] for row in moving.execute("select id from braid_store.chunks where tenant_id = 1")]
    store = "select braid.store_embeddings(%s, %s::vector[], 'moving', %s)"
    assert value(ana, store, theirs, [vector(embed("x", NEW))] * len(theirs), NEW) == 0
    assert value(ana, "select braid.fail_embedding_jobs(%s, 'no', 'moving', %s)", theirs, NEW) == 0
    assert work_off(ana, NEW) == 20
    assert ana.execute("select collection, to_model from braid.model_changes").fetchall() == [("moving", NEW)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        step(ana, "cut_over")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        ana.execute("select * from braid_store.dropped_spaces")


def waiting(db: Connection) -> int:
    """Return how many sessions wait for a collection's lock."""
    return int(
        value(
            db,
            "select count(*) from pg_locks l join pg_class c on c.oid = l.relation"
            " where c.relnamespace = 'braid_locks'::regnamespace and not l.granted",
        )
    )


def maintain_all(db: Connection) -> None:
    """Maintain until nothing is due."""
    for _ in range(50):
        done = maintain(db)
        if done["complete"] and not done["vector_steps"]:
            return
    raise AssertionError(done)


def test_the_new_space_is_indexed_before_it_serves(moving: Connection) -> None:
    moving.execute("update braid_store.vector_settings set exact_rows = 30")
    upsert(moving, documents(range(30, 300)), "moving")
    work_off(moving, OLD)
    maintain_all(moving)
    start(moving)
    embed_all(moving)
    maintain_all(moving)

    def shards() -> set[tuple[str, str | None]]:
        found = value(moving, "select braid.status('moving') #> '{collections,0,vectors,shards}'")
        return {(shard["state"], shard.get("embedding_model")) for shard in found}

    def mode(model: str) -> str:
        query = "select braid.search_json(query_embedding => %s, match_count => 5, collection => 'moving')"
        return str(value(moving, query, vector(embed("x", model)))["stats"]["semantic_mode"])

    assert shards() == {("serving", None), ("serving", NEW)}
    assert mode(OLD) == "hnsw"
    step(moving, "cut_over")
    assert shards() == {("serving", None), ("serving", OLD)}
    assert mode(NEW) == "hnsw"
    assert_all_found(moving, NEW)
    moving.execute("select braid.delete_documents('{d5,d6}', 'moving')")
    upsert(moving, documents([7], 1), "moving")
    work_off(moving, NEW)
    step(moving, "roll_back")
    assert work_off(moving, OLD) == 1
    assert_all_found(moving, OLD)
    maintain_all(moving)
    assert left_of(moving, NEW) == 0
    start(moving)
    embed_all(moving)
    step(moving, "cut_over")
    step(moving, "finish")
    maintain_all(moving)
    assert left_of(moving, OLD) == 0
    assert_all_found(moving, NEW)


class Load:
    """Run writers, readers and workers of two tenants until told to stop."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.stopping = threading.Event()
        self.errors: list[BaseException] = []
        self.reads: set[tuple[str, str]] = set()
        self.threads = [
            threading.Thread(target=self._run, args=(doing, tenant))
            for tenant in ("default", "other")
            for doing in (self._write, self._read, self._work)
        ]

    def __enter__(self) -> Load:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def _run(self, doing: Callable[[Connection, str, random.Random], None], tenant: str) -> None:
        rng = random.Random(f"{doing.__name__}/{tenant}")
        try:
            with connect(self.dsn, tenant) as db:
                while not self.stopping.is_set():
                    doing(db, tenant, rng)
        except BaseException as error:
            self.errors.append(error)
            self.stopping.set()

    def _write(self, db: Connection, tenant: str, rng: random.Random) -> None:
        changed = documents(rng.sample(range(40), 4), rng.randrange(9))
        upsert(db, [{**document, "external_id": f"x{document['external_id']}"} for document in changed], "moving")
        text = f"text {rng.randrange(99)}"
        try:
            upsert(db, [{"external_id": "given", "content": text, "embedding": embed(text, OLD)}], "moving")
        except psycopg.errors.InvalidParameterValue as error:
            assert "has 3 dimensions" in str(error) and serving(db)[0] == NEW
        gone = [f"xd{n}" for n in rng.sample(range(40), 3)]
        db.execute("select braid.delete_documents(%s, 'moving')", (gone,))

    def _read(self, db: Connection, tenant: str, rng: random.Random) -> None:
        """Check that all documents embedded before are found, by the model that serves in the snapshot."""
        with db.transaction():
            db.execute("set transaction isolation level repeatable read")
            model, dimensions = serving(db)
            assert DIMENSIONS[model] == dimensions
            rows = {external_id for external_id, _, _ in found(db, model, f"question {rng.random()}")}
        missing = {f"d{n}" for n in range(30 if tenant == "default" else 20)} - rows
        assert not missing, (model, missing)
        self.reads.add((tenant, model))

    def _work(self, db: Connection, tenant: str, rng: random.Random) -> None:
        for model in (OLD, NEW):
            try:
                work(db, model, 20)
            except psycopg.errors.InvalidParameterValue as error:
                # A worker may find that the model change has not begun, or is over.
                assert "has no vectors of" in str(error)


def cut_over_in_time(db: Connection, load: Load) -> None:
    """Cut over as soon as it is allowed: writers go on, so sometimes the last chunks are not embedded yet."""

    def is_over() -> bool:
        assert not load.errors
        maintain(db)
        try:
            step(db, "cut_over")
        except psycopg.errors.InvalidParameterValue as error:
            assert "wait for an embedding" in str(error) or "not all chunks" in str(error)
            return False
        return True

    until(is_over)


def test_under_load(moving: Connection, dsn: str) -> None:
    moving.execute("update braid_store.vector_settings set exact_rows = 10")
    set_tenant(moving, "default")
    with Load(dsn) as load:
        start(moving)
        maintain(moving)
        step(moving, "pause")
        time.sleep(0.2)
        step(moving, "resume")
        # A worker dies with claimed jobs and a half-finished answer.
        worker = connect(dsn)
        claimed = claim(worker, NEW, 10, lease="200 milliseconds")
        worker.execute("begin")
        worker.execute(
            "select braid.store_embeddings(%s, %s::vector[], 'moving', %s)",
            ([chunk_id for chunk_id, _ in claimed], [vector(embed(text, NEW)) for _, text in claimed], NEW),
        )
        moving.execute("select pg_terminate_backend(%s)", (worker.info.backend_pid,))
        worker.close()
        cut_over_in_time(moving, load)
        until(lambda: {("default", NEW), ("other", NEW)} <= load.reads or bool(load.errors))
        maintain(moving)
        step(moving, "roll_back")
        load.reads.clear()
        until(lambda: {("default", OLD), ("other", OLD)} <= load.reads or bool(load.errors))
        maintain(moving)
        start(moving)
        cut_over_in_time(moving, load)
        maintain(moving)
        step(moving, "finish")
        load.reads.clear()
        until(lambda: {("default", NEW), ("other", NEW)} <= load.reads or bool(load.errors))
        maintain(moving)
    moving.execute("update braid_store.embedding_jobs set claimed_until = null")
    maintain_all(moving)
    assert left_of(moving, OLD) == 0
    for tenant in ("default", "other"):
        set_tenant(moving, tenant)
        work_off(moving, NEW)
        assert_all_found(moving, NEW)
        assert moving.execute("select * from braid.check_index('moving')").fetchall() == []
