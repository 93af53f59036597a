"""pgbraid work: the outbox of all tenants, and maintenance."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from cli.conftest import Run
from pgbraid.cli import work
from support.calls import set_tenant, upsert

pytestmark = pytest.mark.any_version


@pytest.fixture
def tenants(db: psycopg.Connection[Any]) -> None:
    """Two tenants whose documents wait, and a collection of a model that nobody here has."""
    db.execute("select braid.create_tenant('a'), braid.create_tenant('b')")
    db.execute("select braid.create_collection('foreign', dimensions => 3, embedding_model => 'elsewhere')")
    for tenant in ("a", "b"):
        set_tenant(db, tenant)
        upsert(db, [{"external_id": str(n), "content": f"Document {n} of {tenant}."} for n in range(3)])
    upsert(db, [{"external_id": "x", "content": "Of another model."}], "foreign")


def waiting(db: psycopg.Connection[Any]) -> list[tuple[str, str, int]]:
    return db.execute(
        "select t.key, c.name, count(*) from braid_store.embedding_jobs"
        " join braid_store.tenants t on t.id = tenant_id join braid_store.collections c on c.id = collection_id"
        " group by 1, 2 order by 1, 2"
    ).fetchall()


def test_it_embeds_for_every_tenant(tenants: None, db: psycopg.Connection[Any], run: Run) -> None:
    assert waiting(db) == [("a", "default", 3), ("b", "default", 3), ("b", "foreign", 1)]
    code, out, err = run("work", "--once")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["a, default: 3 chunks embedded", "b, default: 3 chunks embedded"]
    assert waiting(db) == [("b", "foreign", 1)]


def test_no_tenant_holds_the_others_up(
    tenants: None, db: psycopg.Connection[Any], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "ROUND", work.BATCH)
    set_tenant(db, "a")
    upsert(db, [{"external_id": f"more{n}", "content": f"More {n}."} for n in range(70)])
    _, out, _ = run("work", "--once")
    assert [line.split(",")[0] for line in out.splitlines()] == ["a", "b", "a"]
    assert waiting(db) == [("b", "foreign", 1)]


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("attempts = 3, last_error = 'the service said no'", "last error: the service said no"),
        ("attempts = 0", "claimed by another worker"),
    ],
)
def test_what_cannot_be_embedded_now_is_told_and_is_no_success(
    tenants: None, db: psycopg.Connection[Any], run: Run, state: str, reason: str
) -> None:
    db.execute(
        f"update braid_store.embedding_jobs set claimed_until = now() + interval '1 hour', {state}"
        " where tenant_id = (select id from braid_store.tenants where key = 'a')"
    )
    code, out, err = run("work", "--once")
    assert code == 1
    assert out.splitlines() == ["b, default: 3 chunks embedded"]
    assert err.splitlines() == [f"a, default: 3 chunks not embedded, {reason}"]


def test_a_service_needs_its_model(run: Run) -> None:
    code, _, err = run("work", "--once", "--embedding-url", "http://127.0.0.1:1/v1")
    assert code == 2 and "--embedding-model" in err
