"""Check the messages about parts that a database lacks, and that absent parts cost nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

import pgbraid
from pgbraid._part_of import PART_OF
from pgbraid.cli import main
from pgbraid.errors import InvalidArgumentError, PartNotInstalledError
from pgbraid.install import choice, install, resources
from support import JsonServer
from support.calls import one
from support.parts import DEFAULT, MANIFESTS, SQL, part_of

Connection = psycopg.Connection[Any]
# The names come from the parts' folders, independently of the installation.
NAMES = {
    "options": {
        name: part_of(file)
        for file in sorted(SQL.glob("parts/**/options.json"))
        for name in json.loads(file.read_text())
    },
    **{
        kind: {name: part for part, manifest in MANIFESTS.items() for key in keys for name in manifest.get(key, ())}
        for kind, keys in (
            ("settings", ["settings"]),
            ("records", ["records", "chunk_records"]),
            ("fields", ["chunk_records"]),
        )
    },
}
assert all(NAMES.values())


@pytest.fixture(autouse=True)
def _defaults_of_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "default_parts", DEFAULT)


@pytest.fixture(scope="module")
def core(server: Any) -> Iterator[str]:
    """Yield a database with the core alone."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        connection.execute("create database absent")
    dsn = server.dsn_for("absent")
    install(dsn, only=["core"])
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "select braid.upsert_document('a', 'the quick brown fox'), braid.upsert_document('b', 'a slow fox')"
        )
    yield dsn
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        connection.execute("drop database absent with (force)")


@pytest.fixture
def core_db(core: str) -> Iterator[Connection]:
    with psycopg.connect(core) as connection:
        yield connection
        connection.rollback()


def refused(connection: Connection, call: str, *values: object) -> str:
    with pytest.raises(psycopg.errors.InvalidParameterValue) as caught, connection.transaction():
        connection.execute(call.encode(), values)
    return caught.value.diag.message_hint or ""


# Options and names of absent parts are refused


@pytest.mark.any_version
@pytest.mark.parametrize("name", NAMES["options"])
def test_an_option_is_refused_with_the_command_that_brings_it(core_db: Connection, name: str) -> None:
    hint = refused(core_db, "select braid.hybrid_search('fox', options => %s)", json.dumps({name: {}}))
    assert hint.endswith(f"which is not installed. Run: pgbraid init --with {NAMES['options'][name]}")


@pytest.mark.any_version
@pytest.mark.parametrize("name", NAMES["settings"])
def test_a_setting_is_refused_with_the_command_that_brings_it(core_db: Connection, name: str) -> None:
    given = json.dumps({name: "x"})
    command = f"pgbraid init --with {NAMES['settings'][name]}"
    for call in (
        "select braid.set_collection('default', %s)",
        "select braid.create_collection('new', dimensions => 2, settings => %s)",
        "select braid.create_collection('new', dimensions => 2, ranking => %s)",
        "select braid.set_ranking('default', %s)",
        "select braid.hybrid_search('fox', options => jsonb_build_object('ranking', %s::jsonb))",
    ):
        assert refused(core_db, call, given).endswith(command), call


@pytest.mark.any_version
@pytest.mark.parametrize("name", NAMES["fields"])
def test_a_field_of_a_chunk_is_refused_with_the_command_that_brings_it(core_db: Connection, name: str) -> None:
    chunk = {"content": "fox", name: [[1, 0]]}
    command = f"pgbraid init --with {NAMES['fields'][name]}"
    for document in ({"external_id": "c", **chunk}, {"external_id": "c", "chunks": [chunk]}):
        hint = refused(core_db, "select braid.upsert_documents(%s)", json.dumps([document]))
        assert hint.endswith(command), document


@pytest.mark.any_version
def test_names_that_nobody_knows_are_refused_as_ever(core_db: Connection) -> None:
    for call in (
        "select braid.hybrid_search('fox', options => '{\"shine\": 1}')",
        "select braid.set_collection('default', '{\"shine\": 1}')",
        "select braid.set_ranking('default', '{\"shine\": 1}')",
        'select braid.upsert_documents(\'[{"external_id": "c", "content": "fox", "shine": 1}]\')',
    ):
        hint = refused(core_db, call)
        assert "pgbraid init" not in hint and "The keys are: " in hint


@pytest.mark.any_version
def test_records_and_search_spaces(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn()
    install(dsn, only=["transfer", "evaluation"])
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("select braid.upsert_document('a', 'the quick brown fox')")
        records = [json.loads(row) for (row,) in db.execute("select braid.export_tenant()::text").fetchall()]
        (collection,) = [record for record in records if "collection" in record]
        (document,) = [record for record in records if "document" in record]
        document["document"]["chunks"][0]["token_vectors"] = {}
        collection["collection"]["sparse_encoder"] = "splade"
        for record, part in (({"profile": {}}, "reranking"), (document, "reranking"), (collection, "sparse_encoders")):
            hint = refused(db, "select braid.import_tenant(%s)", json.dumps([record]))
            assert hint.endswith(f"pgbraid init --with {part}"), record
        # An import accepts null for an absent part's settings.
        collection["collection"] |= {"sparse_encoder": None, "ranking_model": None, "name": "new"}
        db.execute("select braid.import_tenant(%s)", (json.dumps([collection]),))
        assert one(db, "select count(*) from braid.collections") == 2
        db.execute("select braid.set_ranking('new', '{\"ranking_model\": null, \"k1\": 2}')")

        db.execute("select braid.create_query_set('q')")
        db.execute('select braid.store_queries(\'q\', \'[{"query_id": "1", "text": "fox"}]\')')
        hint = refused(db, "select braid.tune('q', search_space => '{\"ranking_model\": [\"m\"]}')")
        assert hint.endswith("pgbraid init --with reranking")


@pytest.mark.any_version
def test_a_collection_that_keeps_settings_of_an_absent_part_is_searched(core_db: Connection) -> None:
    before = core_db.execute("select braid.hybrid_search('fox')").fetchall()
    core_db.execute(
        'update braid_store.collections set parts = \'{"search_log": "all", "sparse_encoder": "splade",'
        ' "ranking_model": "m", "query_embedding_count": 5, "token_vector_model": "t"}\''
    )
    assert core_db.execute("select braid.hybrid_search('fox')").fetchall() == before
    assert core_db.execute("select braid.logged_search('fox')").fetchall() != []
    assert one(core_db, "select parts ->> 'search_log' from braid.collections") == "all"
    core_db.execute("select braid.set_ranking('default', '{\"k1\": 2}'), braid.upsert_document('c', 'another fox')")
    assert one(core_db, "select count(*) from braid.full_text_search('fox')") == 3


# Clients name the part


@pytest.mark.any_version
def test_a_client_says_which_part_has_a_method(core: str) -> None:
    with pgbraid.connect(core) as client:
        for call, part in (
            (lambda: client.recall("fox"), "memory"),
            (lambda: client.list_profiles(), "reranking"),
            (lambda: list(client.export_tenant()), "transfer"),
            (lambda: client.sync_status(), "sync"),
            (lambda: client.list_query_sets(), "evaluation"),
            (lambda: client.embedding_usage(), "monitoring"),
            (lambda: client.embed_token_vectors(), "reranking"),
        ):
            with pytest.raises(PartNotInstalledError, match=f"part {part}") as caught:
                call()
            assert (caught.value.part, caught.value.hint) == (part, f"run: pgbraid init --with {part}")
        # The error is the same in a transaction, which an upgrade would have ended.
        with pytest.raises(PartNotInstalledError), client.connection.transaction():
            client.recall("fox")
        with pytest.raises(InvalidArgumentError, match="profile") as refusal:
            client.search("fox", options={"profile": "ana"})
        assert str(refusal.value.hint).endswith("pgbraid init --with reranking")


@pytest.mark.any_version
def test_a_client_that_is_open_finds_what_was_added(bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn()
    install(dsn, only=["core"])
    with pgbraid.connect(dsn) as client:
        with pytest.raises(PartNotInstalledError):
            client.recall("fox")
        install(dsn, with_parts=["memory"])
        assert [*client.recall("fox")] == []


@pytest.mark.any_version
@pytest.mark.parametrize(
    "command, part",
    [
        (["recall", "fox"], "memory"),
        (["export-tenant", "-"], "transfer"),
        (["ranking-models", "list"], "reranking"),
    ],
)
def test_a_command_says_which_part_it_needs(
    core: str, command: list[str], part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pgbraid", *command, "--dsn", core])
    with pytest.raises(SystemExit) as caught:
        main()
    error = capsys.readouterr().err
    assert caught.value.code == 2
    assert f"which this database lacks\nhint: run: pgbraid init --dsn URL --with {part}\n" in error


@pytest.mark.any_version
def test_status_and_doctor_name_the_parts(
    core: str, bare_dsn: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [*resources.resources().parts][1:]
    some = bare_dsn()
    install(some, only=["sync", "memory"])
    absent = [name for name in parts if name not in ("memory", "sync")]
    for dsn, there, missing in ((core, [], parts), (some, ["memory", "sync"], absent)):
        for command in ("status", "doctor"):
            found = json.loads(said(command, "--json", "--dsn", dsn, monkeypatch=monkeypatch, capsys=capsys))
            assert (found["installed_parts"], found["absent_parts"]) == (there, missing)
        text = said("status", "--dsn", dsn, monkeypatch=monkeypatch, capsys=capsys)
        assert f"\nparts       {', '.join(there) or 'none'}; not installed: {', '.join(missing)}\n" in text
        assert "functions   as in this package\n" in text
    with psycopg.connect(some) as connection:
        assert one(connection, "select braid.status() -> 'parts'") == ["memory", "sync"]
    # Only installed parts are compared.
    with psycopg.connect(some, autocommit=True) as connection:
        connection.execute("update braid_store.parts set content_hash = 'x' where name = 'memory'")
    text = said("status", "--dsn", some, monkeypatch=monkeypatch, capsys=capsys)
    assert "functions   not those of this package: memory\n" in text


def said(*command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(sys, "argv", ["pgbraid", *command])
    with pytest.raises(SystemExit):
        main()
    return capsys.readouterr().out


@pytest.mark.any_version
def test_each_function_of_a_part_is_known(core_db: Connection) -> None:
    there = {
        name for (name,) in core_db.execute("select proname from pg_proc where pronamespace = 'braid'::regnamespace")
    }
    assert there & PART_OF.keys() == set()
    assert {*PART_OF.values()} <= resources.resources().parts.keys()


# Absent parts cost nothing


SEARCHES = (
    "select braid.hybrid_search('quick fox')",
    "select braid.full_text_search('quick fox')",
    "select braid.search_json('quick fox')",
    "select braid.logged_search('quick fox')",
)


def functions_run(dsn: str, search: str) -> set[str]:
    with psycopg.connect(dsn) as connection:
        connection.execute("set track_functions = 'all'")
        connection.execute(search.encode())
        rows = connection.execute(
            "select schemaname || '.' || funcname from pg_stat_xact_user_functions where schemaname ~ '^braid'"
        ).fetchall()
    return {name for (name,) in rows}


@pytest.mark.parametrize("search", SEARCHES)
def test_a_plain_search_calls_nothing_of_parts(core: str, dsn: str, search: str) -> None:
    """A plain search runs the same functions with all parts as without; it calls no function or extension point of a
    part."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "select braid.upsert_document('a', 'the quick brown fox'), braid.upsert_document('b', 'a slow fox')"
        )
    alone, together = functions_run(core, search), functions_run(dsn, search)
    of_parts = {
        file.name.rpartition("/")[2].removesuffix(".sql")
        for file in resources.resources().repeatable
        if file.owner != "core"
    }
    assert {name for name in alone if name.partition(".")[2] in of_parts} == set()
    assert {name for name in alone if ".extend_" in name} == set()
    assert alone == together


def test_a_worker_embeds_and_maintain_keeps_up_without_parts(
    bare_dsn: Callable[..., str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without parts, no usage is recorded and no changes of synced tables are looked for."""
    dsn = bare_dsn()
    install(dsn, only=["core"])

    def answer(body: Any) -> Any:
        vectors = [{"index": place, "embedding": [1, 0, 0]} for place, _ in enumerate(body["input"])]
        return {"data": vectors, "usage": {"total_tokens": 10}}

    with JsonServer(answer) as service, psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select braid.create_collection('papers', dimensions => 3, embedding_model => 'theirs')")
        connection.execute("select braid.upsert_document('a', 'a paper', collection => 'papers')")
        commands = [
            ["work", "--once", "--embedding-url", service.url, "--embedding-model", "theirs"],
            ["maintain", "--seconds", "60"],
        ]
        for command in commands:
            monkeypatch.setattr(sys, "argv", ["pgbraid", *command, "--dsn", dsn])
            with pytest.raises(SystemExit) as caught:
                main()
            assert caught.value.code == 0, capsys.readouterr().err
        found = connection.execute("select external_id from braid.semantic_search('[1,0,0]', collection => 'papers')")
        assert found.fetchall() == [("a",)]
