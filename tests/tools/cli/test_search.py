"""Test pgbraid search."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import pgbraid
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]

DOCUMENTS = [
    {"external_id": "z", "title": "Zebras", "content": "zebra crossing", "metadata": {"legs": 4}},
    {"external_id": "s", "content": "a zebra and a snake", "metadata": {"legs": 0}},
]


@pytest.fixture
def searchable(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(DOCUMENTS)
    return client


@pytest.mark.usefixtures("searchable")
def test_results_show_both_legs(run: Run) -> None:
    done = run("search", "zebra", "-k", 1)
    assert (done.code, done.err) == (0, "")
    assert "Zebras" in done.out
    assert "full text #1" in done.out
    assert "semantic –" in done.out
    assert "\x1b" not in done.out
    assert " 2." not in done.out


@pytest.mark.usefixtures("searchable")
def test_json(run: Run, client: pgbraid.Client) -> None:
    answer = json.loads(run("search", "zebra", "--json", "--mode", "full_text").out)
    expected = client.search("zebra", mode="full_text")
    assert [row["external_id"] for row in answer["results"]] == [row.external_id for row in expected]
    assert answer["results"][0]["score"] == expected[0].score
    assert answer["stats"]["mode"] == "full_text"
    assert answer["warnings"] == []


@pytest.mark.usefixtures("searchable")
def test_filters_and_mode(run: Run) -> None:
    rows = json.loads(run("search", "zebra", "--filters", '{"legs": {"$gt": 0}}', "--json").out)["results"]
    assert [row["external_id"] for row in rows] == ["z"]
    assert "no results" in run("search", "zebra", "--mode", "semantic").out


@pytest.mark.usefixtures("searchable")
def test_reranking(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = json.loads(run("search", "zebra", "--reranker", "late-interaction", "--json").out)
    scores = [row["blended_score"] for row in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    replaced = json.loads(run("search", "zebra", "--reranker", "late-interaction", "--blend", "1", "--json").out)
    by_model = [row["rerank_score"] for row in replaced["results"]]
    assert by_model == sorted(by_model, reverse=True)
    assert replaced["stats"]["rerank"]["blend"] == 1
    assert answer["stats"]["rerank"]["candidates"] == len(scores) == 2
    assert "rerank " in run("search", "zebra", "--reranker", "late-interaction").out
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    shown = run("search", "zebra", "--reranker", "some/cross-encoder").out
    assert "Zebras" in shown
    assert "warning: ranked by fusion only; CrossEncoderReranker needs" in shown


@pytest.mark.usefixtures("searchable")
def test_colours_are_for_terminals(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    assert "\x1b[1m" in run("search", "zebra", "--mode", "full_text").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("search", "zebra", "--mode", "full_text").out


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["x", "--filters", "{legs: 4}"], "not JSON"),
        (["x", "--filters", '"{}"'], "filters"),
        (["x", "--limit", "0"], "0"),
        (["x", "--match-count", "many"], "many"),
        (["x", "--rerank", "late-interaction"], "hint: its name is now: --reranker"),
        (["x", "--rerank=late-interaction"], "hint: its name is now: --reranker"),
        (["x", "--mode", "vector"], "vector"),
        (["x", "--collection", "nowhere"], "nowhere"),
        (["x", "--tenant", "nobody"], "nobody"),
        ([""], "query"),
    ],
)
def test_mistakes_are_a_line_and_a_hint(run: Run, arguments: list[str], part: str) -> None:
    refused = run("search", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("pgbraid: ")
    assert part in refused.err
    assert "\nhint: " in refused.err


def test_a_misspelt_filter_is_told_of(run: Run, searchable: pgbraid.Client) -> None:
    filters = {"$or": [{"speker": "Ana"}, {"legs": 4}]}
    message = 'No chunk has the metadata keys ["speker"]'
    for command in ("search", "recall", "explain"):
        for asked in (filters, {"speker": "Ana"}):
            assert message in run(command, "zebra", "--filters", json.dumps(asked)).out, command
    for search in (searchable.search, searchable.recall, searchable.explain_search):
        answer = search("zebra", filters=filters)
        assert [warning["code"] for warning in answer.warnings if "filter" in warning["code"]] == ["unknown_filter_key"]


def act_between_searches(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> list[float]:
    """Run acts in place of the pauses of --watch, then press Ctrl-C; return the list of the pauses' seconds."""
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) > len(acts):
            raise KeyboardInterrupt
        acts[len(pauses) - 1]()

    monkeypatch.setattr("pgbraid_tools.cli.watch.sleep", sleep)
    return pauses


def test_watch_shows_what_changes(searchable: pgbraid.Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    searchable.set_search_log("default", "all")
    more = [{"external_id": "y\x1b[2J", "title": "zebra zebra", "content": "zebra zebra"}]
    pauses = act_between_searches(
        monkeypatch,
        lambda: None,
        lambda: searchable.add_documents(more),
        lambda: searchable.delete_document("z"),
        lambda: searchable.clear_collection(),
    )
    done = run("search", "zebra", "--watch", "--mode", "full_text", "--interval", 7)
    assert (done.code, done.err.strip()) == (130, "pgbraid: interrupted")
    assert pauses == [7.0] * 5
    first, *_, added, removed, cleared = done.out.split("\n\n")
    assert first.startswith(" 1. Zebras  z\n")
    lines = added.splitlines()
    assert lines[0][8:] == "  1 new, 2 moved" and lines[0][2:6:3] == "::"
    assert lines[1].startswith("+  1. zebra zebra  y\ufffd[2J")
    assert lines[-2:] == ["   2. Zebras  z  (was 1.)", "   3. s  (was 2.)"]
    assert removed.splitlines()[0][8:] == "  1 gone, 1 moved"
    assert removed.splitlines()[1:] == ["-  2. Zebras  z", "   2. s  (was 3.)"]
    assert cleared.splitlines()[0][8:] == "  2 gone"
    assert cleared.splitlines()[1:3] == ["-  1. zebra zebra  y\ufffd[2J", "-  2. s"]
    assert cleared.splitlines()[3].startswith("warning: No word that the query asks for occurs")
    count = searchable.connection.execute("select count(*) from braid_store.search_log").fetchone()
    assert count == (1,)


def test_watch_in_json(searchable: pgbraid.Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add = {"external_id": "y", "content": "zebra zebra zebra"}
    pauses = act_between_searches(
        monkeypatch, lambda: searchable.add_documents([add]), lambda: searchable.delete_document("z")
    )
    done = run("search", "zebra", "--watch", "--json", "--mode", "full_text")
    assert done.code == 130 and pauses == [2.0] * 3
    first, added, removed = map(json.loads, done.out.splitlines())
    assert [(row["rank"], row["external_id"]) for row in first["new"]] == [(1, "z"), (2, "s")]
    assert (first["gone"], first["moved"]) == ([], [])
    (new,) = added["new"]
    z, s = (row["chunk_id"] for row in first["new"])
    ranks = {z: 1, s: 2} | {move["chunk_id"]: move["to"] for move in added["moved"]} | {new["chunk_id"]: new["rank"]}
    assert sorted(ranks.values()) == [1, 2, 3] and added["gone"] == []
    assert removed["gone"] == [{"chunk_id": z, "external_id": "z"}] and removed["new"] == []


def test_watch_with_a_reranker(searchable: pgbraid.Client, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    add = {"external_id": "y", "content": "a zebra"}
    act_between_searches(monkeypatch, lambda: searchable.add_documents([add]))
    done = run("search", "zebra", "--watch", "--json", "--reranker", "late-interaction", "--mode", "full_text")
    assert json.loads(done.out.splitlines()[1])["new"][0]["rerank_score"] > 0


def test_watch_ends_by_an_interrupt(dsn: str, searchable: pgbraid.Client) -> None:
    program = [sys.executable, "-c", "from pgbraid.cli import main; main()", "search", "zebra", "--dsn", dsn]
    command = [*program, "--watch", "--interval", "0.2", "--json", "--mode", "full_text"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert len(json.loads(process.stdout.readline())["new"]) == 2
            searchable.delete_document("s")
            assert json.loads(process.stdout.readline())["gone"][0]["external_id"] == "s"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, out, err.strip()) == (130, "", "pgbraid: interrupted")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--interval", "5"), "--interval needs --watch"),
        (("--watch", "--interval", "0"), "0.2<=x<=86400"),
        (("--watch", "--interval", "nan"), "not a finite number"),
        (("--watch", "--interval", "soon"), "soon"),
        (("--watch", "--collection", "nowhere"), "nowhere"),
        (("--watch", "--filters", "{"), "not JSON"),
    ],
)
def test_bad_input_of_watch(run: Run, arguments: tuple[str, ...], part: str) -> None:
    done = run("search", "zebra", *arguments)
    assert (done.code, done.out) == (2, "")
    assert part in done.err and "Traceback" not in done.err and len(done.err.splitlines()) <= 2


@pytest.mark.parametrize("command", ["search", "recall", "explain", "vector"])
def test_a_query_that_begins_with_a_minus(run: Run, searchable: pgbraid.Client, command: str) -> None:
    for query in ("-x", "-5 degrees", "--verbose"):
        refused = run(command, query)
        assert (refused.code, refused.out) == (2, "") and "write -- before QUERY" in refused.err
    assert "Write -- before a query" in run(command, "--help").out
    assert run(command, "--", "-x").code == 0


@pytest.mark.parametrize("command", ["search", "recall", "explain"])
def test_ranking_options(run: Run, searchable: pgbraid.Client, command: str) -> None:
    given = ["zebra snake", "--fusion", "rrf", "--weights", "2,1", "--option", "rrf_k=0", "--json"]
    (best, *_) = json.loads(run(command, *given).out)["results"]
    assert (best["external_id"], best["score"]) == ("s", 2.0)
    options = ["--option", "group_by=external_id", "--option", 'boosts=[{"filter": {"legs": 4}, "factor": 9}]']
    assert json.loads(run(command, *given, *options).out)["results"][0]["external_id"] == "z"
    rows = json.loads(run(command, *given, "--option", "match=all").out)["results"]
    assert [row["external_id"] for row in rows] == ["s"]
    for wrong, part in (
        (["--weights", "2"], "two numbers"),
        (["--weights", "a,b"], "two numbers"),
        (["--weights", "-1,1"], "full_text_weight"),
        (["--fusion", "none"], "fusion"),
        (["--option", "collapse"], "NAME=VALUE"),
        (["--option", "rrf_k=many"], "not a number"),
        (["--option", "colapse=true"], "colapse"),
    ):
        refused = run(command, "zebra", *wrong)
        assert refused.code == 2 and part in refused.err and "\nhint: " in refused.err, wrong


def test_csv(run: Run, searchable: pgbraid.Client) -> None:
    searchable.add_documents([{"external_id": "q", "content": 'a "zebra",\nand more', "metadata": {"a": [1, "é"]}}])
    done = run("search", "zebra", "--mode", "full_text", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    found = searchable.search("zebra", mode="full_text")
    assert [(row["rank"], row["external_id"]) for row in rows] == [
        (str(rank), row.external_id) for rank, row in enumerate(found, 1)
    ]
    assert [float(row["score"]) for row in rows] == [row.score for row in found]
    (odd,) = (row for row in rows if row["external_id"] == "q")
    assert odd["content"] == 'a "zebra",\nand more' and json.loads(odd["metadata"]) == {"a": [1, "é"]}
    assert odd["title"] == "" and odd["semantic_rank"] == ""
    assert run("search", "zebra", "--csv", "--json").code == run("search", "zebra", "--csv", "--watch").code == 2
    assert "warning: " in run("search", "zebar", "--csv").err


def test_what_others_call_a_mode(run: Run) -> None:
    assert "'vector' is called 'semantic' here" in run("search", "x", "--mode", "vector").err
    assert "'full-text' is called 'full_text' here" in run("recall", "x", "--strategy", "full-text").err
