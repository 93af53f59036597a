"""Test pgbraid judgments and pgbraid eval."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from pgbraid.errors import LimitExceededError
from pgbraid_tools.cli import eval as eval_command
from pgbraid_tools.cli.judgments import sample as sample_command
from pgbraid_tools.evaluation import report as report_module
from pgbraid_tools.evaluation.report import interpolated_precision
from support.embedder import HashEmbedder

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]
HOSTILE = "<script>alert('x')</script> \"quoted\" & fox"


@pytest.fixture
def texts(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(
        [
            {"external_id": "fox", "content": "the quick fox jumps", "title": HOSTILE},
            {"external_id": "dog", "content": "the lazy dog sleeps"},
            {"external_id": "both", "content": "a fox and a dog", "speaker": "Ana"},
        ]
    )
    return client


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    queries = [{"_id": "q1", "text": "fox"}, {"_id": "q2", "text": "lazy dog"}, {"_id": "q3", "text": "unjudged"}]
    with gzip.open(folder / "queries.jsonl.gz", "wt") as file:
        file.writelines(f"{json.dumps(query)}\n" for query in queries)
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tfox\t2\nq1\tdog\t0\nq2\tdog\t1\nq2\tboth\t-1\nq9\tfox\t1\n"
    )
    return folder


def grades(client: pgbraid.Client, query: str) -> dict[str, int]:
    rows = client.connection.execute("select external_id, grade from braid.list_judgments('asked', %s)", (query,))
    return dict(rows.fetchall())


def test_a_beir_folder_is_loaded(run: Run, texts: pgbraid.Client, beir: Path) -> None:
    done = run("judgments", "load", "asked", beir, "--no-embed", "--judge", "beir")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "2 queries, 4 judgments stored",
        "left out: 1 queries without judgments",
        "left out: the judgments of 1 queries whose text is not there",
    ]
    assert grades(texts, "q1") == {"fox": 2, "dog": 0}
    assert grades(texts, "q2") == {"dog": 1, "both": -1}
    assert [(found["judges"], found["query_count"]) for found in texts.list_query_sets()] == [(["beir"], 2)]
    assert run("judgments", "load", "asked", beir, "--no-embed", "--judge", "beir").out.startswith(
        "2 queries, 4 judgments unchanged"
    )
    assert texts.drop_query_set("asked")


def test_a_set_that_is_loaded_again_keeps_what_files_do_not_have(run: Run, texts: pgbraid.Client, beir: Path) -> None:
    texts.create_query_set("asked", description="what sales asks")
    texts.store_queries("asked", [{"query_id": "q1", "text": "foxes", "filters": {"speaker": "Ana"}}])
    assert run("judgments", "load", "asked", beir, "--no-embed").code == 0
    assert [found["description"] for found in texts.list_query_sets()] == ["what sales asks"]
    kept = [(query["query_text"], query["filters"]) for query in texts.list_queries("asked")]
    assert kept == [("fox", {"speaker": "Ana"}), ("lazy dog", None)]


TOPICS = {
    "trec": "<top>\n<num> Number: q1\n<title> a fox\n<desc> Description:\nmore\n</top>\n\n"
    "<top>\n<num> Number: q2\n<title> Topic: lazy\n dog\n<narr> x\n</top>\n",
    "closed": "<topics><top><num>q1</num><title>a fox</title></top>\n"
    "<top><num>q2</num>\n<title>\nlazy dog\n</title></top></topics>",
    "tabs": "q1\ta fox\nq2\tlazy dog\n",
    "json": '{"id": "q1", "text": "a fox"}\n{"id": "q2", "text": "lazy dog"}\n',
}


@pytest.mark.parametrize("kind", TOPICS)
def test_trec_files_are_loaded(run: Run, texts: pgbraid.Client, tmp_path: Path, kind: str) -> None:
    (tmp_path / "qrels").write_text("q1 0 fox 2\nq1 0 dog 0\nq2 Q0 dog 1\n")
    (tmp_path / "topics").write_text(TOPICS[kind])
    files = ("--qrels", tmp_path / "qrels", "--topics", tmp_path / "topics")
    done = run("judgments", "load", "asked", "--no-embed", *files)
    assert (done.code, done.out) == (0, "2 queries, 3 judgments stored\n")
    assert [query["query_text"] for query in texts.list_queries("asked")] == ["a fox", "lazy dog"]


@pytest.mark.parametrize(
    ("qrels", "topics", "message"),
    [
        ("q1 0 fox\tx\n", "q1\tfox\n", "qrels:1: is no judgment"),
        ("q1 0 fox 1\nq1 0 fox 2\n", "q1\tfox\n", 'qrels:2: gives document "fox" a second grade'),
        ("q1 0 fox 1\n", "q1 fox\n", "topics:1: is no query"),
        ("q1 0 fox 1\n", "q1\tfox\nq1\tdog\n", 'topics:2: has query "q1" again'),
        ("q1 0 fox 1\n", "q1\t\n", "topics:1: has a query without id or text"),
        ("q1 0 fox 1\n", '{"text": "fox"}\n', "topics:1: is no query"),
        ("q1 0 fox 1\n", '{"id": "q1", "text": null}\n', "topics:1: is no query"),
        ("q1 0 fox 1\n", '{"id": null, "text": "fox"}\n', "topics:1: is no query"),
        ("q1 0 fox 1\n", "q2\tfox\n", "no query has both a text and judgments"),
        ("q1 0 fox 1\n", "", "no query has both"),
    ],
)
def test_files_with_errors_store_nothing(
    run: Run, client: pgbraid.Client, tmp_path: Path, qrels: str, topics: str, message: str
) -> None:
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "topics").write_text(topics)
    done = run("judgments", "load", "asked", "--qrels", tmp_path / "qrels", "--topics", tmp_path / "topics")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert "--exclude" not in done.err
    assert client.list_query_sets() == []


def test_a_damaged_file_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl.gz").write_bytes(gzip.compress(b"")[:10] + b"\xff" * 20)
    done = run("judgments", "load", "asked", tmp_path)
    assert done.code == 2
    assert "queries.jsonl.gz: cannot be unpacked" in done.err
    assert "fetch the file again" in done.err


def test_what_to_load_must_be_given(run: Run, tmp_path: Path) -> None:
    assert "give a folder, or --qrels and --topics" in run("judgments", "load", "asked").err
    done = run("judgments", "load", "asked", tmp_path)
    assert done.code == 2
    assert "queries.jsonl: is not there" in done.err


@pytest.fixture
def asked(run: Run, texts: pgbraid.Client, beir: Path) -> pgbraid.Client:
    assert run("judgments", "load", "asked", beir, "--no-embed").code == 0
    return texts


@pytest.fixture
def configurations(tmp_path: Path) -> list[Path]:
    made = {"now": {"mode": "full_text"}, "new": {"mode": "full_text", "filters": {"speaker": "Ana"}}}
    for name, configuration in made.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(configuration))
    return [tmp_path / f"{name}.json" for name in made]


@pytest.mark.usefixtures("asked")
def test_configurations_are_measured_and_compared(run: Run, configurations: list[Path]) -> None:
    now, new = configurations
    done = run("eval", "asked", "--config", now, "--config", new, "--metric", "recall@10", "--metric", "mrr@10")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "asked: 2 judged queries"
    assert re.fullmatch(r" +recall@10 +mrr@10 +p95 ms", lines[2])
    assert re.fullmatch(r"now +1\.0000 +1\.0000 +[\d.]+", lines[3])
    assert re.fullmatch(r"new +0\.0000 +0\.0000 +[\d.]+", lines[4])
    assert re.fullmatch(r"new - now +difference +95 % +p +better +worse +same", lines[6])
    assert re.fullmatch(r"recall@10 +-1\.0000 +-1\.0000 to -1\.0000 +[\d.]+ +0 +2 +0", lines[7])
    assert "now: 2 of 4 results are not judged, and count as not relevant." in lines


@pytest.mark.usefixtures("asked")
def test_a_floor_decides_the_exit_code(run: Run, configurations: list[Path]) -> None:
    now, new = configurations
    assert run("eval", "asked", "--config", now, "--fail-under", "success@1=0.9").code == 0
    done = run("eval", "asked", "--config", now, "--config", new, "--fail-under", "success@1=0.9")
    assert done.code == 1
    assert done.err == "new: success@1 is 0.0000, below 0.9\n"
    assert "success@1" in done.out


@pytest.mark.usefixtures("asked")
def test_json_has_all(run: Run, configurations: list[Path]) -> None:
    done = run("eval", "asked", *(part for file in configurations for part in ("--config", file)), "--json")
    answer = json.loads(done.out)
    assert answer["evaluations"].keys() == {"now", "new"}
    assert answer["comparisons"]["new"]["metrics"]["ndcg@10"]["losses"] == 2
    assert answer["below"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-under", "ndcg@10"], "is not like ndcg@10=0.62"),
        (["--fail-under", "ndcg@10=much"], "is not like ndcg@10=0.62"),
        (["--fail-under", "ndcg@10=0.6", "--fail-under", "ndcg@10=0.5"], "ndcg@10 comes twice"),
        (["--report", "nowhere/report.html"], "nowhere is no folder"),
        (["--metric", "ndgc@10"], "metrics has 'ndgc@10'"),
        (["--judge", "nobody"], 'no judgments of judge "nobody"'),
        ([], "2 of 2 judged queries have no embedding"),
        (["--config", "list.json"], "list.json is no JSON object"),
        (["--config", "broken.json"], "broken.json is not JSON"),
        (["--config", "wrong.json"], 'configuration has the unknown key "limit"'),
    ],
)
@pytest.mark.usefixtures("asked")
def test_what_cannot_be_measured_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"list": "[]", "broken": "{", "wrong": '{"limit": 3}'}.items():
        Path(f"{name}.json").write_text(text)
    done = run("eval", "asked", *arguments)
    assert done.code == 2
    assert message in done.err


@pytest.mark.usefixtures("asked")
def test_many_queries_are_compared_with_fewer_samples(
    run: Run, configurations: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, new = configurations
    monkeypatch.setattr(eval_command, "MOST_DRAWS", 2 * 6 * 150)
    arguments = ("eval", "asked", "--config", now, "--config", new, "--json")
    assert json.loads(run(*arguments).out)["comparisons"]["new"]["resample_count"] == 150
    monkeypatch.setattr(eval_command, "MOST_DRAWS", 1)
    assert json.loads(run(*arguments).out)["comparisons"]["new"]["resample_count"] == 100


def test_configurations_see_the_same_documents(
    run: Run, asked: pgbraid.Client, configurations: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    again = tmp_path / "again.json"
    again.write_text(configurations[0].read_text())
    evaluate = pgbraid.Client.evaluate

    def then_delete(client: pgbraid.Client, *arguments: Any, **more: Any) -> dict[str, Any]:
        found = evaluate(client, *arguments, **more)
        asked.delete_document("fox")
        return found

    monkeypatch.setattr(pgbraid.Client, "evaluate", then_delete)
    done = run("eval", "asked", "--config", configurations[0], "--config", again, "--json")
    assert json.loads(done.out)["comparisons"]["again"]["metrics"]["recall@10"]["ties"] == 2


@pytest.mark.usefixtures("asked")
def test_means_are_printed_before_what_fails(
    run: Run, configurations: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now, new = configurations

    def full(*_: Any, **__: Any) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        done = run("eval", "asked", "--config", now, "--report", tmp_path / "report.html")
    assert done.code == 2
    assert "No space left" in done.err
    assert "ndcg@10" in done.out

    def limited(*_: Any, **__: Any) -> Any:
        raise LimitExceededError("too many draws")

    monkeypatch.setattr(pgbraid.Client, "compare_evaluations", limited)
    done = run("eval", "asked", "--config", now, "--config", new)
    assert done.code == 2
    assert "too many draws" in done.err
    assert "ndcg@10" in done.out


def test_comparisons_are_sent_without_rows(
    run: Run, asked: pgbraid.Client, configurations: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compare = pgbraid.Client.compare_evaluations
    sent: list[dict[str, Any]] = []

    def watched(client: pgbraid.Client, *evaluations: dict[str, Any], **more: Any) -> dict[str, Any]:
        sent.extend(evaluations)
        return compare(client, *evaluations, **more)

    monkeypatch.setattr(pgbraid.Client, "compare_evaluations", watched)
    now, new = configurations
    assert run("eval", "asked", "--config", now, "--config", new, "--report", tmp_path / "report.html").code == 0
    assert [query.keys() & {"rows", "missed"} for found in sent for query in found["queries"]] == [set()] * 4


class Page(HTMLParser):
    """Collect the tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: dict[str, list[str | None]] = {}
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br", "rect"):
            self.open.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value)

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag


def test_the_report_is_one_page_that_loads_nothing(
    run: Run, asked: pgbraid.Client, configurations: list[Path], tmp_path: Path
) -> None:
    asked.store_queries("asked", [{"query_id": "q1", "text": HOSTILE}])
    configurations[0].rename(tmp_path / "<b>.json")
    arguments = ("--config", tmp_path / "<b>.json", "--config", configurations[1])
    assert run("eval", "asked", *arguments, "--report", tmp_path / "report.html").code == 0
    text = (tmp_path / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    assert not {"src", "href", "onclick"} & page.attributes.keys()
    assert "url(" not in text and "@import" not in text
    assert text.count("&lt;script&gt;") == 2  # once as the query and once as a title
    assert "new against &lt;b&gt;" in text
    assert page.tags.count("polyline") == 2
    # The two are the details of q1 and q2; each row that the words of q2 found explains why.
    assert page.tags.count("details") == 2 + text.count("<summary>why</summary>")
    assert text.count("<summary>why</summary>") >= 3
    assert "<td class=text>lazi</td>" in text
    assert "Relevant, and not found: fox (2)" in text
    assert "not judged" in text


def test_what_is_explained_is_bounded(
    run: Run, asked: pgbraid.Client, configurations: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    explain = pgbraid.Client.explain_score
    explained: list[tuple[str, int]] = []

    def watched(client: pgbraid.Client, query: str, chunk_ids: list[int], **more: Any) -> Any:
        explained.append((query, len(chunk_ids)))
        return explain(client, query, chunk_ids, **more)

    monkeypatch.setattr(pgbraid.Client, "explain_score", watched)
    monkeypatch.setattr(report_module, "MOST_EXPLAINED", 1)
    monkeypatch.setattr(report_module, "MOST_EXPLAINED_ROWS", 1)
    assert run("eval", "asked", "--config", configurations[0], "--report", tmp_path / "report.html").code == 0
    assert len(explained) == 1
    assert explained[0][1] == 1


@pytest.mark.usefixtures("asked")
def test_rows_scored_by_other_statistics_are_not_explained(run: Run, tmp_path: Path) -> None:
    given = {"mode": "full_text", "filters": {"speaker": "Ana"}}
    for scope, words in {"collection": 2, "filter": 0}.items():
        (tmp_path / "now.json").write_text(json.dumps({**given, "options": {"ranking": {"statistics_scope": scope}}}))
        assert run("eval", "asked", "--config", tmp_path / "now.json", "--report", tmp_path / "report.html").code == 0
        assert (tmp_path / "report.html").read_text().count("<summary>why</summary>") == words


def test_precision_by_recall_is_that_of_trec_eval() -> None:
    trec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec-eval-terrier is not installed: make build")
    chance = random.Random(4)
    measures = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
    for _ in range(200):
        grades = [chance.choice([0, 0, 1, 2]) for _ in range(chance.randrange(1, 30))]
        missed = chance.randrange(1, 5)
        qrels = {f"d{place}": grade for place, grade in enumerate(grades)} | {f"m{n}": 1 for n in range(missed)}
        shown = [place for place in range(len(grades)) if chance.random() < 0.9]
        rows = [{"rank": rank, "grade": grades[place]} for rank, place in enumerate(shown, 1)]
        found = interpolated_precision({"rows": rows, "relevant": sum(grade > 0 for grade in qrels.values())})
        run = {"q": {f"d{place}": -float(rank) for rank, place in enumerate(shown)}}
        if not shown:
            continue
        expected = trec_eval.RelevanceEvaluator({"q": qrels}, {"iprec_at_recall"}).evaluate(run)["q"]
        assert found == pytest.approx([expected[name] for name in measures], abs=1e-9)


def test_queries_of_the_search_log_are_sampled_and_embedded(
    run: Run, texts: pgbraid.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts.connection.execute("select braid.set_search_log('default', 'all')")
    for query in ("fox", "fox", "dog"):
        texts.connection.execute("select braid.logged_search(%s)", (query,))
    done = run("judgments", "sample", "asked", "--method", "frequency", "--count", 1, "--no-embed")
    assert (done.code, done.out) == (0, "1 queries stored\n")
    monkeypatch.setattr(sample_command, "embedders", lambda *_: [HashEmbedder()])
    assert run("judgments", "sample", "asked").out == "1 queries stored, 2 embedded\n"
    found = texts.list_queries("asked")
    assert sorted(query["query_text"] for query in found) == ["dog", "fox"]
    assert all(query["embedding_models"] for query in found)
    done = run("judgments", "sample", "asked")
    assert (done.code, done.out) == (0, "0 queries stored\n")
    assert done.err.startswith("the search log of default has no query text that is not in the set already\n")
    done = run("judgments", "sample", "asked", "--collection", "none")
    assert done.code == 2
    assert "none" in done.err
    assert texts.judgments_from_clicks("asked")["searches"] == 3
    assert texts.sample_queries("asked", method="worst") == 0
