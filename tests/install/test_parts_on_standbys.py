"""Test a client that reads on a standby while parts of the database come and go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from core.standby.conftest import Database
from core.standby.conftest import pair as pair
from core.standby.test_reading import paused

import pgbraid
from pgbraid.errors import PartNotInstalledError
from pgbraid.install import install, uninstall_parts
from support import HashEmbedder, clone
from support.replication import Replicated

pytestmark = pytest.mark.any_version


@pytest.fixture
def core(pair: Replicated) -> Iterator[Database]:
    """Yield a database with the core alone, on both servers."""
    with clone(pair.primary, "template1") as name:
        database = Database(pair, name)
        install(database.primary, only=["core"])
        pair.caught_up()
        yield database


def test_parts_come_and_go_while_a_client_reads(core: Database) -> None:
    with pgbraid.connect(core.primary, read_dsn=core.standby, embedder=HashEmbedder()) as client:
        client.add_documents([{"external_id": "fox", "content": "The quick fox jumps."}])
        client.embed_pending()
        core.pair.caught_up()

        def found() -> list[str]:
            return [result.external_id for result in client.search("fox")]

        assert found() == ["fox"]
        with pytest.raises(PartNotInstalledError, match="memory"):
            client.recall("fox")
        with paused(core.pair):
            install(core.primary, with_parts=["memory"])
            # The standby has not replayed the change yet, so the primary answers.
            assert [result.external_id for result in client.recall("fox")] == ["fox"]
            assert found() == ["fox"]
        core.pair.caught_up()
        assert [result.external_id for result in client.recall("fox")] == ["fox"]
        uninstall_parts(core.primary, ["memory"])
        core.pair.caught_up()
        with pytest.raises(PartNotInstalledError, match="memory"):
            client.recall("fox")
        assert found() == ["fox"]
    # A new client finds the parts of both servers.
    with pgbraid.connect(core.primary, read_dsn=core.standby, embedder=HashEmbedder()) as client:
        assert [result.external_id for result in client.search("fox")] == ["fox"]
