"""Kill the primary, promote its standby and check that clients go on and acknowledged writes are there."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid.errors import ConnectionLostError
from pgbraid.install import install
from support.calls import one
from support.replication import Replicated, promote, replicated, set_on
from support.waiting import until

WRITERS = 3


@pytest.fixture
def pair(pg_version: int) -> Any:
    with replicated(pg_version) as pair:
        install(pair.primary.dsn)
        pair.caught_up()
        yield pair


def either(pair: Replicated, attribute: str) -> str:
    """Return a DSN of both servers; libpq takes the server with this target_session_attrs."""
    folders = ",".join(str(server.socket_dir) for server in (pair.primary, pair.standby))
    return f"host={folders} port=5432 dbname=pgbraid user=postgres target_session_attrs={attribute}"


def write_until_lost(dsn: str, name: str, acknowledged: dict[str, str]) -> None:
    with pgbraid.connect(dsn) as client:
        number = 0
        try:
            while True:
                number += 1
                external_id = f"{name}-{number}"
                client.add_documents([{"external_id": external_id, "content": f"The fox of {external_id}"}])
                acknowledged[external_id] = f"The fox of {external_id}"
                if number % 5 == 0:
                    client.delete_document(f"{name}-{number - 3}")
                    del acknowledged[f"{name}-{number - 3}"]
        except ConnectionLostError:
            # Nobody knows whether the interrupted call was committed.
            acknowledged.pop(f"{name}-{number - 3}", None)


def test_nothing_acknowledged_is_lost(pair: Replicated) -> None:
    set_on(pair.primary, synchronous_standby_names="*")
    acknowledged: dict[str, str] = {}
    dsn = either(pair, "read-write")
    with pgbraid.connect(dsn, read_dsn=either(pair, "prefer-standby"), consistency="eventual") as client:
        threads = [
            threading.Thread(target=write_until_lost, args=(dsn, f"writer{number}", acknowledged))
            for number in range(WRITERS)
        ]
        for thread in threads:
            thread.start()
        until(lambda: len(acknowledged) > 60)
        assert client.search("fox", mode="full_text")
        pair.kill_primary()
        for thread in threads:
            thread.join()
        # Without a primary, searches go on and writes fail.
        assert client.search("fox", mode="full_text")
        with pytest.raises(ConnectionLostError):
            client.add_documents([{"external_id": "new", "content": "Nowhere to write it."}])
        promote(pair.standby)
        assert client.search("fox", mode="full_text")
    with pgbraid.connect(dsn) as client:
        assert not one(client.connection, "select pg_is_in_recovery()")
        for external_id, content in acknowledged.items():
            document = client.get_document(external_id)
            assert document is not None and [chunk.content for chunk in document.chunks] == [content]
        assert client.check_index() == []
        client.add_documents([{"external_id": "new", "content": "Written to the new primary."}])
        assert [row.external_id for row in client.search("new primary", mode="full_text")][:1] == ["new"]
        assert client.maintain(5)["warnings"] == []


def test_without_synchronous_replication_the_last_may_be_lost(pair: Replicated) -> None:
    with psycopg.connect(pair.standby.dsn, autocommit=True) as standby:
        # The standby receives nothing more, as if the network failed a moment before the primary.
        standby.execute("alter system set primary_conninfo = ''")
        standby.execute("select pg_reload_conf()")
        until(lambda: one(standby, "select not exists (select from pg_stat_wal_receiver)"))
        with pgbraid.connect(pair.primary.dsn) as client:
            client.add_documents([{"external_id": "late", "content": "Acknowledged by the primary alone."}])
    pair.kill_primary()
    promote(pair.standby)
    with pgbraid.connect(pair.standby.dsn) as client:
        assert client.get_document("late") is None
        assert client.check_index() == []
