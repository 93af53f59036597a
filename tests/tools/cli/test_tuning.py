"""Test pgbraid tune and pgbraid rankings."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pgbraid

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "flint", "garnet", "hazel"]


@pytest.fixture
def judged(client: pgbraid.Client) -> pgbraid.Client:
    """Store judgments that call documents relevant with the words in the title, which the collection does not
    weight."""
    chance = random.Random(5)
    client.set_ranking("default", {"title_weight": 0})
    documents = [
        {
            "external_id": f"d{n}",
            "title": " ".join(chance.sample(WORDS, 2)),
            "content": " ".join(chance.choices(WORDS, k=7)),
        }
        for n in range(60)
    ]
    client.add_documents(documents)
    queries = [{"query_id": f"q{n:02}", "text": " ".join(chance.sample(WORDS, 2))} for n in range(32)]
    client.create_query_set("asked")
    client.store_queries("asked", queries)
    client.store_judgments(
        "asked",
        [
            {"query_id": query["query_id"], "external_id": document["external_id"], "grade": 1}
            for query in queries
            for document in documents
            if set(query["text"].split()) & set(document["title"].split())
        ],
    )
    return client


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write(tmp_path / "config.json", {"mode": "full_text"})


def write(file: Path, value: Any) -> Path:
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def test_tune_apply_and_restore(run: Run, judged: pgbraid.Client, config: Path, tmp_path: Path) -> None:
    space, file = write(tmp_path / "space.json", {"title_weight": [1, 4], "k1": [2]}), tmp_path / "ranking.json"
    tuning = ["tune", "asked", "--space", space, "--config", config]
    done = run(*tuning, "--output", file)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "asked: 32 judged queries, 6 of 6 combinations tried"
    assert lines[1].startswith("ndcg@10 of queries that did not choose, in 5 folds: 0.")
    assert lines[2].startswith("gain +0.")
    assert [line.split() for line in lines if line.startswith("title_weight")] == [["title_weight", "0", "4"]]
    assert any(line.endswith("as it is") for line in lines)
    assert json.loads(file.read_text())["title_weight"] == 4
    assert [version["version"] for version in judged.list_rankings()] == [2, 1]

    # The client's single statement returns the same.
    found = json.loads(run(*tuning, "--json").out)
    told = judged.tune("asked", {"title_weight": [1, 4], "k1": [2]}, configuration={"mode": "full_text"})
    assert {key: told[key] for key in found if key != "chosen"} == {k: v for k, v in found.items() if k != "chosen"}
    assert found["chosen"] == {**told["chosen"], "configuration": found["chosen"]["configuration"]}

    applied = run(*tuning, "--apply")
    assert applied.code == 0, applied.err
    assert applied.out.splitlines()[-1] == "applied: version 3 of the ranking of default"
    newest = judged.list_rankings()[0]
    assert newest["ranking"] == found["chosen"]["ranking"]
    assert newest["reason"].startswith("tuned on asked: ndcg@10 +0.")
    assert newest["evaluation"]["held_out"] == found["held_out"]

    again = run(*tuning, "--apply", "--reason", "once more")
    assert again.code == 1
    assert again.err.splitlines()[-1] == "not applied: the gain on held-out queries may be chance"
    assert "no ranking that was tried is better than the present one" in again.out
    assert len(judged.list_rankings()) == 3

    listed = run("rankings", "list")
    assert listed.code == 0, listed.err
    assert [line.split()[0] for line in listed.out.splitlines()] == ["version", "3", "2", "1"]
    assert "title_weight 0 → 4" in listed.out and "3 *" in listed.out
    assert run("rankings", "restore", "2", "--reason", "for a test").out == "version 4\n"
    assert "restores 2: for a test" in run("rankings", "list").out
    assert run("rankings", "apply", file, "--reason", "as measured").out == "version 5\n"
    assert json.loads(run("rankings", "list", "--json").out) == judged.list_rankings()


def test_what_only_searches_can_give_is_not_applied(
    run: Run, judged: pgbraid.Client, config: Path, tmp_path: Path
) -> None:
    """The gain was measured with boosts, which a collection's ranking cannot hold."""
    some = [f"d{n}" for n in range(10)]
    boosts = [{"factor": 100, "filter": {"external_id": {"$in": some}}}]
    judged.create_query_set("wanted")
    queries = [{"query_id": f"q{n:02}", "text": f"{WORDS[n % 8]} {WORDS[n % 7]}"} for n in range(32)]
    judged.store_queries("wanted", queries)
    judged.store_judgments(
        "wanted",
        [{"query_id": query["query_id"], "external_id": name, "grade": 1} for query in queries for name in some],
    )
    before = judged.list_rankings()
    space, file = write(tmp_path / "space.json", {"boosts": [boosts]}), tmp_path / "ranking.json"
    done = run("tune", "wanted", "--space", space, "--config", config, "--output", file, "--apply")
    assert done.code == 1
    asked = f"each search must give {json.dumps({'options': {'boosts': boosts}})}"
    said = done.err.splitlines()
    assert said[-2:] == [
        f"{file} does not hold everything that was measured: {asked}",
        f"not applied: the ranking alone does not bring this gain, {asked}",
    ]
    assert asked in done.out
    assert judged.list_rankings() == before


def test_what_changed_meanwhile_is_not_undone(
    run: Run, judged: pgbraid.Client, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(*_: Any) -> None:
        judged.set_ranking("default", {"k1": 3}, "by somebody else")

    monkeypatch.setattr("pgbraid_tools.cli.tune._print", change)
    space = write(tmp_path / "space.json", {"title_weight": [4]})
    done = run("tune", "asked", "--space", space, "--config", config, "--apply")
    assert done.code == 2
    assert 'expected_ranking has k1 1.2, and collection "default" has 3' in done.err
    newest = judged.list_rankings()[0]
    assert (newest["reason"], newest["ranking"]["title_weight"]) == ("by somebody else", 0)


def test_bad_input_is_one_line(run: Run, judged: pgbraid.Client, config: Path, tmp_path: Path) -> None:
    def told(*arguments: Any) -> str:
        done = run(*arguments)
        assert done.code == 2 and "Traceback" not in done.err, done.err
        return str(done.err)

    tuning = ["tune", "asked", "--config", config]
    assert "is not JSON" in told(*tuning, "--space", write(tmp_path / "a.json", "{"))
    assert "is no JSON object" in told(*tuning, "--space", write(tmp_path / "b.json", []))
    assert "search_space is empty" in told(*tuning, "--space", write(tmp_path / "c.json", {}))
    assert 'unknown key "k2"' in told(*tuning, "--space", write(tmp_path / "d.json", {"k2": [1]}))
    assert "search_space: k1 has -1" in told(*tuning, "--space", write(tmp_path / "e.json", {"k1": [-1]}))
    assert "--reason is for --apply" in told(*tuning, "--reason", "why")
    assert "501 is not in the range" in told(*tuning, "--budget", "501")
    assert "metrics has 'good'" in told(*tuning, "--metric", "good")
    assert 'query set "none" does not exist' in told("tune", "none")
    assert "have no embedding" in told("tune", "asked", "--budget", "2")
    assert 'by judge "nobody", and tuning needs 20' in told(*tuning, "--judge", "nobody")
    assert "has no version 9" in told("rankings", "restore", "9")
    assert "0 is not in the range" in told("rankings", "restore", "0")
    assert "Missing option '--reason'" in told("rankings", "apply", config)
    assert 'unknown key "mode"' in told("rankings", "apply", config, "--reason", "why")
    assert 'collection "none" does not exist' in told("rankings", "list", "--collection", "none")
