"""Each argument is accepted at its limit. One past the limit, the error names the argument and has a hint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg.types.json import Jsonb

from pgbraid import embedded
from support import clone
from support.calls import named, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
Connection = psycopg.Connection[Any]


class Limit(NamedTuple):
    """Hold a function, its arguments for a size, the limit, and the message for one past the limit."""

    function: str
    arguments: Callable[[int], dict[str, Any]]
    most: int
    message: str
    least: int | None = None


def nested(depth: int) -> dict[str, Any]:
    condition: dict[str, Any] = {"speaker": "Ana"}
    for _ in range(depth - 1):
        condition = {"$not": condition}
    return condition


def searched(**more: Any) -> dict[str, Any]:
    return {"query_text": "leeds", **more}


LIMITS = {
    "match_count": Limit(
        "full_text_search",
        lambda n: searched(match_count=n),
        10_000,
        "match_count is 10001",
        1,
    ),
    "candidate_count": Limit(
        "hybrid_search",
        lambda n: searched(candidate_count=n),
        100_000,
        "candidate_count is 100001",
        1,
    ),
    "filters, conditions": Limit(
        "full_text_search",
        lambda n: searched(filters={"$or": [{"speaker": "Ana"}] * (n - 1)}),
        1_000,
        "filters have more than 1000 conditions",
    ),
    "filters, levels": Limit(
        "full_text_search",
        lambda n: searched(filters=nested(n)),
        32,
        "filters are nested more than 32 deep",
    ),
    "filters, bytes": Limit(
        "full_text_search",
        lambda n: searched(filters={"speaker": "x" * (n - len('{"speaker": ""}'))}),
        1_000_000,
        "filters is 1000001 bytes long; the most allowed is 1000000",
    ),
    "boosts": Limit(
        "full_text_search",
        lambda n: searched(options={"boosts": [{"filter": {"speaker": "Ana"}, "factor": 2}] * n}),
        8,
        "boosts",
    ),
    "start_tag": Limit("highlight", lambda n: searched(start_tag="<" * n), 255, "start_tag"),
    "stop_tag": Limit("highlight", lambda n: searched(stop_tag="<" * n), 255, "stop_tag"),
    "fragment_separator": Limit(
        "highlight",
        lambda n: searched(fragment_separator="…" * n),
        255,
        "fragment_separator",
    ),
    "fragment_count": Limit(
        "highlight",
        lambda n: searched(fragment_count=n),
        20,
        "fragment_count is '21'",
        1,
    ),
    "fragment_words": Limit(
        "highlight",
        lambda n: searched(fragment_words=n),
        1_000,
        "fragment_words is '1001'",
        1,
    ),
    "ef_search": Limit(
        "full_text_search",
        lambda n: searched(options={"ef_search": n}),
        1_000,
        "ef_search is 1001",
        1,
    ),
    "group_by.size": Limit(
        "full_text_search",
        lambda n: searched(options={"group_by": {"key": "document", "size": n}}),
        100,
        "group_by: size is 101",
        1,
    ),
    "keys": Limit(
        "facets",
        lambda n: {"keys": [f"k{i}" for i in range(n)]},
        20,
        "keys has 21 elements",
        1,
    ),
    "value_count": Limit(
        "facets",
        lambda n: {"keys": ["speaker"], "value_count": n},
        10_000,
        "value_count is 10001",
        1,
    ),
    "chunk_ids to explain": Limit(
        "explain_score",
        lambda n: searched(chunk_ids=list(range(n))),
        10_000,
        "chunk_ids has 10001 elements",
    ),
    "lists to fuse": Limit("fuse", lambda n: {"lists": Jsonb([["a"]] * n)}, 16, "lists is an array of 17", 1),
    "chunk_ids to arrange": Limit(
        "arrange_results",
        lambda n: {"chunk_ids": list(range(n)), "scores": [1.0] * n},
        100_000,
        "chunk_ids has 100001 elements",
    ),
    "job_count": Limit(
        "claim_embedding_jobs",
        lambda n: {"job_count": n},
        10_000,
        "job_count is 10001",
        1,
    ),
    "synonyms": Limit(
        "set_synonyms",
        lambda n: {"word": "car", "synonyms": [f"s{i}x" for i in range(n)]},
        63,
        "synonyms has 64 words",
    ),
    "indexed_attributes": Limit(
        "set_indexed_attributes",
        lambda n: {"indexed_attributes": {f"k{i}": "text" for i in range(n)}},
        32,
        "indexed_attributes has more than 32 keys",
    ),
    "dimensions": Limit(
        "create_collection",
        lambda n: {"collection": f"c{n}", "dimensions": n, "embedding_model": "test"},
        16_000,
        "dimensions is '16001'",
        1,
    ),
    "external_id": Limit(
        "upsert_document",
        lambda n: {"external_id": "x" * n, "content": "y"},
        1_024,
        "external_id",
        1,
    ),
}


@pytest.fixture(scope="module")
def module_db(server: embedded.Server, template: str) -> Iterator[Connection]:
    with (
        clone(server, template) as name,
        psycopg.connect(server.dsn_for(name), autocommit=True) as connection,
    ):
        upsert(connection, [{"external_id": "a", "content": "The committee met in Leeds", "speaker": "Ana"}])
        yield connection


def call(db: Connection, function: str, arguments: dict[str, Any]) -> None:
    if function == "highlight":
        row = db.execute("select min(id) from braid_store.chunks").fetchone()
        assert row
        arguments = {"chunk_id": row[0], **arguments}
    values = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in arguments.items()}
    # The function counts the chunks before it looks them up, and these do not exist.
    with suppress(psycopg.errors.UndefinedObject), db.transaction(force_rollback=True):
        db.execute(f"select * from braid.{function}({named(arguments)})", values)


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_kept_and_named(module_db: Connection, name: str) -> None:
    function, arguments, most, message, least = LIMITS[name]
    call(module_db, function, arguments(most))
    with pytest.raises((psycopg.errors.ProgramLimitExceeded, psycopg.errors.InvalidParameterValue)) as caught:
        call(module_db, function, arguments(most + 1))
    said = caught.value.diag
    assert message in (said.message_primary or "")
    assert len(said.message_primary or "") < 300
    assert said.message_hint
    if least is not None:
        call(module_db, function, arguments(least))
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            call(module_db, function, arguments(least - 1))
        assert caught.value.diag.message_hint
