"""Test pgbraid learn and pgbraid ranking-models."""

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
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "flint"]


@pytest.fixture
def judged(client: pgbraid.Client) -> pgbraid.Client:
    """Store judgments that call important documents relevant, which search ignores; return the client."""
    chance = random.Random(5)
    client.add_documents(
        [
            {
                "external_id": f"d{n}",
                "content": " ".join(chance.choices(WORDS, k=6)),
                "importance": chance.randrange(10),
            }
            for n in range(60)
        ]
    )
    documents = client.list_documents(match_count=100)
    queries = [{"query_id": f"q{n:02}", "text": " ".join(chance.sample(WORDS, 2))} for n in range(40)]
    client.create_query_set("asked")
    client.store_queries("asked", queries)
    important = {
        external_id
        for (external_id,) in client.connection.execute(
            "select d.external_id from braid_store.documents d join braid_store.chunks c on c.document_id = d.id"
            " where c.importance > 7"
        )
    }
    assert len(documents) == 60 and important
    client.store_judgments(
        "asked",
        [
            {"query_id": query["query_id"], "external_id": external_id, "grade": 1}
            for query in queries
            for external_id in important
        ],
    )
    return client


def test_learn_and_store(run: Run, judged: pgbraid.Client, tmp_path: Path) -> None:
    config, file = tmp_path / "config.json", tmp_path / "model.json"
    config.write_text('{"mode": "full_text"}')
    done = run("learn", "asked", "--config", config, "--store", "--name", "important", "--output", file)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "asked: 40 judged queries, 40 of them to learn from"
    assert lines[1].startswith("nDCG@10 of queries left out, in 5 folds: 0.")
    assert lines[2].startswith("gain +0.")
    assert any(line.startswith("importance") for line in lines)
    assert lines[-1] == 'stored: searches rank by it with the option "ranking_model": "important"'
    model = judged.get_ranking_model("important")
    assert model is not None and model == json.loads(file.read_text())
    assert model["mode"] == "full_text" and model["learned"]["query_set"] == "asked"
    rows = judged.search("amber cedar", mode="full_text", options={"ranking_model": "important"})
    assert [row.importance for row in rows][:3] == [9, 9, 9]

    options = json.dumps({"ranking_model": "important"})
    explained = run("explain", "amber cedar", "--options", options)
    assert explained.code == 0, explained.err
    assert explained.out.count("    model     important: sum ") == 5

    learned = run("learn", "asked", "--config", config, "--store", "--name", "again", "--json")
    assert learned.code == 0, learned.err
    assert json.loads(learned.out) == judged.get_ranking_model("again")
    assert run("ranking-models", "drop", "again").out == "dropped\n"

    listed = run("ranking-models", "list").out.splitlines()
    assert listed[1].split()[:2] == ["important", "full_text"]
    assert run("ranking-models", "store", "again", file).out == "stored\n"
    assert run("ranking-models", "store", "again", file).out == "replaced\n"
    file.write_text(file.read_text().replace('"version": 1', '"version": 2'))
    refused = run("ranking-models", "store", "again", file)
    assert refused.code == 2 and "checksum" in refused.err and "hint:" in refused.err
    assert run("ranking-models", "drop", "again").out == "dropped\n"
    assert run("ranking-models", "drop", "again").code == 2


def test_nothing_is_stored_that_gains_nothing(run: Run, judged: pgbraid.Client, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"mode": "full_text"}')
    judged.store_judgments(
        "asked", [{"query_id": f"q{n:02}", "external_id": f"d{d}", "grade": 1} for n in range(40) for d in range(60)]
    )
    refused = run("learn", "asked", "--config", config, "--store")
    assert refused.code == 2 and "fewer than 30" in refused.err and "hint:" in refused.err
    assert run("learn", "none", "--config", config).code == 2
    assert judged.list_ranking_models() == []
