"""Every call of the API that reads shows nothing of documents that have expired, and counts none of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from core.isolation.test_calls import CALLS, ECHOED, run
from core.isolation.world import ALPHA, BETA, PRIVATE, Connection, World

from pgbraid import embedded
from support.api import ADMINISTRATIVE, API, READING

# The same tenant has these documents, under other ids than its own, and nothing has deleted them yet.
EXPIRED = [
    {
        **document,
        "external_id": document["external_id"].replace("doc", "beta-only"),
        "metadata": {**document.get("metadata", {}), "expires_at": "2024-01-01"},
    }
    for document in BETA
]


class Expired(World):
    def chunk_ids(self, tenant: str) -> list[int]:
        """Return the chunks of alpha's expired documents in place of beta's."""
        rows = self.admin.execute("select id from braid_store.chunks where metadata ? 'expires_at' order by id")
        return [row[0] for row in rows]


@pytest.fixture(scope="module")
def world(server: embedded.Server, template: str) -> Iterator[Expired]:
    created = Expired(server.dsn_for("postgres"), template)
    try:
        created.definitions.execute("select braid.set_validity('small')")
        created.ingest("alpha", ALPHA)
        created.ingest("alpha", EXPIRED)
        created.like("alpha", "Ana")
        created.judge("alpha", "discount")
        created.search("alpha", "discount")
        created.learn("alpha", 0.5)
        yield created
    finally:
        created.close()


# Workers embed what is stored, and words and counts of the index are of what is stored, until maintain() deletes it.
OF_WHAT_IS_STORED = {"claim_embedding_jobs", "list_embedding_jobs", "missing_token_vectors", "health", "status"}
WORDS = {"logged_recall", "logged_search", "recall_json", "search_json"}


def shown(world: Expired, connection: Connection, function: str) -> list[str]:
    """Return what the calls of a function show, without what they repeat."""
    found = []
    for call in CALLS[function]:
        with connection.transaction(force_rollback=True):
            text, _ = run(connection, world, call)
        said = [*ECHOED.get(function, ()), *(["zebrafish"] if function in WORDS else [])]
        found += [f"{word} in {call}: {text}" for word in PRIVATE if word in text and word not in said]
    return found


def test_calls_show_nothing_that_has_expired(world: Expired) -> None:
    connection = world.connect("postgres", braid__tenant="alpha")
    checked = API.keys() - ADMINISTRATIVE - OF_WHAT_IS_STORED
    assert [line for function in sorted(checked) for line in shown(world, connection, function)] == []
    learned = world.call("alpha", "select braid.learn_profile('x', '{doc1,beta-only}', '{}', '{speaker}', 'small')")
    assert (learned["liked"], learned["not_found"]) == (1, ["beta-only"])
    # The same calls would show it.
    world.definitions.execute("select braid.set_validity('small', false)")
    reading = API.keys() & READING - ADMINISTRATIVE - OF_WHAT_IS_STORED
    assert len([function for function in sorted(reading) if shown(world, connection, function)]) >= 15
