"""Test pgbraid ingest: no file, query or program replaces another's documents, in any order of runs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pgbraid
from support.examples import examples
from support.files import xlsx

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


def table(path: Path, rows: dict[str, str], id_name: str = "id") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([(id_name, "text"), *rows.items()])
    return path


def texts(client: pgbraid.Client) -> dict[str, str]:
    """Return the content of each document by external_id."""
    found = {}
    for document in client.list_documents(match_count=1_000):
        whole = client.get_document(document.external_id)
        assert whole is not None
        found[document.external_id] = " ".join(chunk.content for chunk in whole.chunks)
    return found


def test_rows_of_one_id_in_two_files(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    rows: list[list[str | int]] = [[number, f"answer {number}"] for number in range(12)]
    (tmp_path / "faq.xlsx").write_bytes(xlsx([["id", "text"], *rows]))
    table(tmp_path / "products.csv", {str(number): f"product {number}" for number in range(1, 26)})
    assert "12 inserted" in run("ingest", tmp_path / "faq.xlsx", "--no-embed").out
    done = run("ingest", tmp_path / "products.csv", "--no-embed")
    assert done.code == 0
    assert "25 inserted, 0 replaced" in done.out
    assert client.count() == 37
    # Both files in one run conflict as well; a second run finds nothing new.
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 0
    assert "0 inserted, 0 replaced, 0 updated, 37 unchanged" in done.out
    origin = {d.external_id: d.metadata["ingest"] for d in client.list_documents(match_count=100)}
    assert origin[f"{tmp_path}/faq.xlsx#0"] == {"source": str(tmp_path), "path": "faq.xlsx", "row": "0"}


def test_ids_that_the_user_names_replace_nothing_of_another_file(
    run: Run, client: pgbraid.Client, tmp_path: Path
) -> None:
    one = table(tmp_path / "one.csv", {"1": "zebra", "2": "lion"}, "nr")
    two = table(tmp_path / "two.csv", {"2": "lynx", "3": "tiger"}, "nr")
    assert run("ingest", one, "--id-column", "nr", "--no-embed").code == 0
    refused = run("ingest", two, "--id-column", "nr", "--no-embed")
    assert refused.code == 1
    assert f"failed: {two}:2: external_id '2' belongs to a document of {one}" in refused.err
    assert "hint: " in refused.err
    assert texts(client) == {"1": "zebra", "2": "lion", "3": "tiger"}
    tried = run("ingest", two, "--id-column", "nr", "--dry-run")
    assert (tried.code, tried.err.count("failed: ")) == (1, 1)
    assert run("ingest", two, "--id-column", "nr", "--no-embed", "--strict").code == 2
    # The file may change its own rows, also when its folder is given.
    table(one, {"1": "zebra", "2": "wolf"}, "nr")
    assert run("ingest", tmp_path, "--exclude", "two.csv", "--id-column", "nr", "--no-embed").code == 0
    assert texts(client)["2"] == "wolf"
    # A renamed file keeps its documents; in a named source, a file may replace an earlier one.
    one.rename(tmp_path / "three.csv")
    done = run("ingest", tmp_path / "three.csv", "--id-column", "nr", "--no-embed")
    assert done.code == 0, done.err
    client.clear_collection()
    for number in (1, 2):
        path = table(tmp_path / f"export-{number}.csv", {"1": f"export {number}"}, "nr")
        assert run("ingest", path, "--id-column", "nr", "--source", "exports", "--no-embed").code == 0
    assert texts(client) == {"1": "export 2"}


def test_documents_of_a_program_are_kept(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    path = table(tmp_path / "one.csv", {"1": "zebra"})
    (tmp_path / "a.md").write_text("lion")
    (tmp_path / "lines.jsonl").write_text(json.dumps({"external_id": "mine", "content": "wolf"}) + "\n")
    given = {"mine": "tiger", f"{path}#1": "lynx", f"{tmp_path}/a.md": "bear", f"{path}#note": "a note"}
    client.add_documents([{"external_id": name, "content": content} for name, content in given.items()])
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 1
    assert done.err.count("failed: ") == 3
    for name in list(given)[:3]:
        assert f"external_id {name!r} belongs to a document" in done.err
    assert texts(client) == given
    table(path, {"2": "zebra"})
    done = run("ingest", path, "--prune", "--no-embed")
    assert done.code == 0, done.err
    assert texts(client) == {**given, f"{path}#2": "zebra"}


def test_two_queries_with_rows_of_one_id(run: Run, client: pgbraid.Client) -> None:
    assert run("ingest", "--sql", "select 1 as id, 'zebra' as text", "--no-embed").code == 0
    refused = run("ingest", "--sql", "select 1 as id, 'lion' as text", "--no-embed")
    assert refused.code == 1
    assert "external_id '1' belongs to a document of query/query-" in refused.err
    assert texts(client) == {"1": "zebra"}
    assert run("ingest", "--sql", "select 2 as id, 'lion' as text", "--prune", "--no-embed").code == 0
    assert texts(client) == {"1": "zebra", "2": "lion"}


def test_sheets_of_one_workbook(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    """Rows of two sheets may have the same id."""
    (tmp_path / "a.xlsx").write_bytes(xlsx([["id", "text"], [1, "zebra"]], [["id", "text"], [1, "lion"]]))
    assert run("ingest", tmp_path, "--no-embed").code == 0
    assert texts(client) == {f"{tmp_path}/a.xlsx#Sheet1-1": "zebra", f"{tmp_path}/a.xlsx#Sheet2-1": "lion"}


def test_a_file_of_many_problems_tells_some(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("null\n" * 1_000)
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 1
    assert done.err.count("failed: ") == 11
    assert f"failed: {tmp_path}/a.jsonl: and 990 more" in done.err


NAMES = st.sampled_from(["a/t.csv", "b/t.csv", "b/deep/u.jsonl", "c.md"])
IDS = st.sampled_from(["1", "2", "row-1"])
WORDS = st.sampled_from(["zebra", "lion", "lynx", "wolf"])
STEPS = st.one_of(
    st.tuples(st.just("write"), NAMES, st.dictionaries(IDS, WORDS, max_size=3)),
    st.tuples(st.just("remove"), NAMES),
    st.tuples(st.just("rename"), NAMES, NAMES),
    st.tuples(st.just("program"), IDS, WORDS),
    st.tuples(
        st.just("ingest"),
        st.sampled_from([".", "a", "b", "b/deep", "a/t.csv", "b/t.csv", "link"]),
        st.sampled_from([None, "S"]),
        st.booleans(),
        st.booleans(),
    ),
)


def said_by(path: Path) -> dict[str, str]:
    """Return the texts of a file by the ids of its rows."""
    if not path.is_file():
        return {}
    if path.suffix == ".md":
        return {"": path.read_text()}
    lines = path.read_text().splitlines()
    rows = csv.DictReader(lines) if path.suffix == ".csv" else map(json.loads, lines)
    return {row["id"]: row["text"] for row in rows}


Stored = dict[str, tuple[str, dict[str, str] | None, Path]]


def stored(client: pgbraid.Client) -> Stored:
    """Return each document's text, origin and file."""
    contents = texts(client)
    return {
        d.external_id: (
            contents[d.external_id],
            d.metadata.get("ingest"),
            Path((d.source_uri or "").removeprefix("file://")).resolve(),
        )
        for d in client.list_documents(match_count=1_000)
    }


def row_of(name: str, origin: dict[str, str], file: Path) -> str:
    return "" if file.suffix == ".md" else origin.get("row", name)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(STEPS, min_size=4, max_size=14))
def test_a_document_changes_with_its_file_alone(
    run: Run, client: pgbraid.Client, tmp_path: Path, steps: list[Any]
) -> None:
    """A run changes only documents of the files that it read, to what these files say, and stores all of their rows."""
    root = tmp_path / "root"
    shutil.rmtree(root, ignore_errors=True)
    client.clear_collection()
    for folder in ("a", "b/deep"):
        (root / folder).mkdir(parents=True)
    (root / "link").symlink_to(root / "b")
    for step in steps:
        path = root / str(step[1])
        if step[0] == "write" and path.suffix == ".csv":
            table(path, step[2])
        elif step[0] == "write":
            lines = [json.dumps({"id": name, "text": text}) for name, text in step[2].items()]
            path.write_text("\n".join(lines) if path.suffix == ".jsonl" else " ".join(step[2].values()) or "empty")
        elif step[0] == "remove":
            path.unlink(missing_ok=True)
        elif step[0] == "rename" and path.exists() and path.suffix == Path(step[2]).suffix:
            path.rename(root / step[2])
        elif step[0] == "program" and step[1] not in stored(client):
            client.add_documents([{"external_id": step[1], "content": step[2]}])
        elif step[0] == "ingest" and path.exists():
            _, _, source, named_ids, prune = step
            options = [*(["--source", source] if source else []), *(["--prune"] if prune else [])]
            options += ["--id-column", "id", "--exclude", "c.md"] if named_ids else []
            before = stored(client)
            done = run("ingest", path, *options, "--no-embed")
            now = stored(client)
            read = {path.resolve()} if path.is_file() else {f.resolve() for f in path.rglob("*") if f.is_file()}
            read -= {root / "c.md"} if named_ids else set()
            check(before, now, read, prune=prune)
            if done.code == 0:
                texts_now = {
                    (file, row_of(name, origin, file)): text for name, (text, origin, file) in now.items() if origin
                }
                for file in read:
                    for row, text in said_by(file).items():
                        # In a named source, another file may have replaced the document.
                        assert texts_now.get((file, row)) == text or (source and named_ids)


def check(before: Stored, now: Stored, read: set[Path], *, prune: bool) -> None:
    for name, (text, origin, file) in before.items():
        if name in now and now[name][0] == text:
            continue
        # A program's documents stay.
        assert origin is not None, name
        if name not in now:
            moved = any(
                other[2] == file and row_of(n, other[1], file) == row_of(name, origin, file)
                for n, other in now.items()
                if n not in before and other[1]
            )
            assert moved or (prune and row_of(name, origin, file) not in said_by(file)), name
            continue
        new_text, new_origin, new_file = now[name]
        assert new_origin is not None and new_file in read
        assert said_by(new_file)[row_of(name, new_origin, new_file)] == new_text
        assert new_file == file or not file.exists() or origin["source"] == new_origin["source"] == "S", name
