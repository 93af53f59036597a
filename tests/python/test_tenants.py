"""Test a tenant's life in Python: created, exported, imported, dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

import pgbraid
from pgbraid import errors
from support import HashEmbedder

pytestmark = pytest.mark.any_version


def test_a_tenant_moves(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents(
        {"external_id": f"d{number}", "content": f"Object number {number}.", "metadata": {"n": 10**30 + number}}
        for number in range(450)
    )
    client.embed_pending()
    exported = list(client.export_tenant())
    assert len(exported) == 451
    assert str(10**30 + 7) in "".join(exported)
    client.create_tenant("copy")
    counts: list[int] = []
    with pgbraid.connect(dsn, tenant="copy", embedder=HashEmbedder()) as copy:
        lines = [f"{record}\n" for record in exported]
        assert copy.import_tenant([*lines, "\n"], progress=counts.append) == 450
        assert counts == sorted(counts) and counts[-1] == 450
        for query in ("object 7", "number"):
            found, expected = copy.search(query), client.search(query)
            assert [(r.external_id, r.content) for r in found] == [(r.external_id, r.content) for r in expected]
            # The mean of similarities is summed in the order of rows, which may differ.
            assert [r.score for r in found] == pytest.approx([r.score for r in expected], rel=1e-12)
        assert list(copy.export_tenant()) == exported
        with pytest.raises(errors.InvalidArgumentError, match="record 1"):
            copy.import_tenant(["{}"])
        with pytest.raises(errors.InvalidArgumentError):
            copy.import_tenant(["no JSON"])
        with pytest.raises(errors.InvalidArgumentError, match="confirm_tenant") as caught:
            client.drop_tenant("copy", "kopy")
        assert "twice" in str(caught.value.hint)
        assert client.drop_tenant("copy", "copy") is True
        assert client.drop_tenant("copy", "copy") is False
        with pytest.raises(errors.PermissionDeniedError):
            list(copy.export_tenant())
    assert client.maintain()["documents_reaped"] == 450


def test_an_export_may_be_broken_off(client: pgbraid.Client) -> None:
    client.add_documents({"external_id": f"d{number}", "content": "x"} for number in range(3))
    records = client.export_tenant()
    next(records)
    assert isinstance(records, Generator)
    records.close()
    assert client.status()["tenant"] == "default"


def test_without_a_thread_in_between(client: pgbraid.Client, dsn: str) -> None:
    client.add_documents([{"external_id": "d", "content": "x"}])

    async def export() -> list[str]:
        async with await pgbraid.connect_async(dsn) as connected:
            return [record async for record in connected.export_tenant()]

    assert asyncio.run(export()) == list(client.export_tenant())
