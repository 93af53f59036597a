"""Test pgbraid list, pgbraid show and pgbraid delete."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest
from tools.cli.conftest import Run

import pgbraid
from pgbraid_tools.cli import documents

pytestmark = pytest.mark.any_version


@pytest.fixture
def stored(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(
        [
            {"external_id": "a", "title": "Zebras " * 20, "content": "zebra crossing", "metadata": {"legs": 4}},
            {"external_id": "b", "chunks": [{"content": "hello", "speaker": "Ana"}, {"content": "bye"}]},
            {"external_id": "c", "content": "a snake"},
        ]
    )
    return client


@pytest.mark.usefixtures("stored")
def test_list(run: Run) -> None:
    done = run("list")
    assert done.code == 0 and done.err == ""
    lines = done.out.splitlines()
    assert lines[0].split() == ["external_id", "title", "chunks", "updated", "(UTC)"]
    assert [line.split()[0] for line in lines[1:]] == ["a", "b", "c"]
    assert all(len(line) < 100 for line in lines)
    assert lines[2].split()[1] == "2"


@pytest.mark.usefixtures("stored")
def test_list_page_by_page(run: Run) -> None:
    first = run("list", "-k", 2)
    assert first.err == "there may be more: --after b\n"
    rest = json.loads(run("list", "-k", 2, "--after", "b", "--json").out)
    assert [document["external_id"] for document in rest] == ["c"]
    assert run("list", "--after", "c")[:2] == (0, "")


@pytest.mark.usefixtures("stored")
def test_show(run: Run) -> None:
    done = run("show", "b")
    assert (done.code, done.err) == (0, "")
    assert "external_id b\n" in done.out
    assert "  Ana\nhello\n" in done.out and done.out.endswith("bye\n")
    shown = json.loads(run("show", "a", "--json").out)
    assert shown["metadata"] == {"legs": 4}
    assert [chunk["content"] for chunk in shown["chunks"]] == ["zebra crossing"]


def test_a_stored_text_does_not_steer_the_terminal(
    run: Run, client: pgbraid.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = "\x1b[2J\x9b31m\x7f\x07"
    chunk = {"content": f"fox{evil}\r\n\ta hen\rgone", "speaker": f"Ana{evil}"}
    occurred = {"occurred_at": "2025-01-01T00:00:00Z", "metadata": {"mood": evil}, "source_uri": f"a{evil}"}
    client.add_documents([{"external_id": f"id{evil}", "title": f"Foxes{evil}\n", "chunks": [chunk], **occurred}])
    for arguments in (
        ("list", "-k", 1),
        ("show", f"id{evil}"),
        ("show", f"no{evil}"),
        ("search", f"fox{evil}", "--mode", "full_text"),
        ("recall", "fox", "--strategy", "full_text"),
        ("explain", "fox", "--document", f"id{evil}"),
        ("search", "fox", "--json", "--mode", "full_text"),
        ("show", f"id{evil}", "--json"),
        ("list", "--json"),
    ):
        done = run(*arguments)
        assert done.out or done.code == 2
        shown = done.out + done.err
        assert not set(shown) & {*map(chr, range(9)), *map(chr, range(11, 32)), *map(chr, range(127, 160))}, arguments
    assert "fox\ufffd[2J\ufffd31m\ufffd\ufffd\n\ta hen\ufffdgone" in run("show", f"id{evil}").out
    assert json.loads(run("list", "--json").out)[0]["title"] == f"Foxes{evil}\n"


def test_delete_some(run: Run, stored: pgbraid.Client) -> None:
    assert run("delete", "a", "nobody", "a").out == "1 document deleted of 2\n"
    assert run("delete", "b").out == "1 document deleted\n"
    assert [document.external_id for document in stored.list_documents()] == ["c"]


@pytest.mark.parametrize("what", [["--all"], ["a", "b", "c"]])
def test_deleting_much_is_asked_about(
    run: Run, stored: pgbraid.Client, monkeypatch: pytest.MonkeyPatch, what: list[str]
) -> None:
    monkeypatch.setattr(documents, "UNASKED", 2)
    asked: list[str] = []

    def answer(yes: bool) -> None:
        def confirm(question: str, abort: bool) -> Any:
            asked.append(question)
            if not yes:
                raise click.Abort

        monkeypatch.setattr(click, "confirm", confirm)

    answer(False)
    refused = run("delete", *what)
    assert (refused.code, refused.out, refused.err) == (2, "", "pgbraid: nothing was done\n")
    assert stored.count() == 3
    assert asked == ['Delete 3 documents of tenant "default" from collection "default"?']
    answer(True)
    assert run("delete", *what).out == "3 documents deleted\n"
    assert stored.count() == 0 and len(asked) == 2


def test_yes_asks_nothing(run: Run, stored: pgbraid.Client) -> None:
    assert run("delete", "--all", "--yes").out == "3 documents deleted\n"
    assert stored.count() == 0


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["show", "nobody"], "no document 'nobody'"),
        (["show", "a", "--collection", "nowhere"], "nowhere"),
        (["list", "--limit", "0"], "0"),
        (["list", "--tenant", "nobody"], "nobody"),
        (["delete"], "--all"),
        (["delete", "a", "--all"], "not both"),
        (["delete", "nobody"], "none of these documents"),
        (["delete", "--all", "--yes", "--collection", "nowhere"], "nowhere"),
    ],
)
def test_mistakes_are_a_line_and_a_hint(run: Run, stored: pgbraid.Client, arguments: list[str], part: str) -> None:
    refused = run(*arguments)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("pgbraid: ") and part in refused.err.splitlines()[0]
    assert refused.err.count("\n") == 2 and "\nhint: " in refused.err
    assert stored.count() == 3
