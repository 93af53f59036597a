"""Test pgbraid ingest with folders that mix kinds of files and hold tables that nobody has described."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from pgbraid.stored import Document
from support.documents import contents, own

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]

PRODUCTS = """sku,name,description,price,added,link,status
7f3a,Lamp,"A lamp for the desk, with an arm",20.5,2026-01-02,https://example.com/a,new
7f3b,Chair,,30,2026-01-03,https://example.com/b,old
7f3c,,"A table of oak, for six",99,2026-01-04,https://example.com/c,old
"""


def test_columns_of_text_are_found(ingested: Callable[..., list[Document]]) -> None:
    """Every column of text is found, the longest comes last, and facts stay metadata."""
    one, two, three = ingested("products.csv", PRODUCTS)
    assert contents(one) == ["7f3a\n\nLamp\n\nnew\n\nA lamp for the desk, with an arm"]
    assert own(one)["price"] == "20.5"
    assert own(one)["status"] == "new"
    assert "description" not in own(one)
    assert contents(two) == ["7f3b\n\nChair\n\nold"]
    assert contents(three) == ["7f3c\n\nold\n\nA table of oak, for six"]


def test_columns_of_text_of_other_tables(ingested: Callable[..., list[Document]]) -> None:
    parquet, arrow = import_module("pyarrow.parquet"), import_module("pyarrow")
    import io

    made = io.BytesIO()
    parquet.write_table(
        arrow.table({"id": [1, 2], "question": ["Why?", "How?"], "answer": ["As it is so.", "Thus and so."]}), made
    )
    one, _ = ingested("faq.parquet", made.getvalue())
    assert (one.external_id, contents(one)) == ("s/faq.parquet#1", ["Why?\n\nAs it is so."])
    lines = [{"id": 1, "summary": "A zebra crossed", "n": 1}, {"id": 2, "summary": "A lion slept", "n": 2}]
    found = ingested("events.json", json.dumps(lines))
    assert contents(found[0]) == ["A zebra crossed"]
    found = ingested("log.jsonl", "\n".join(map(json.dumps, lines)))
    assert {contents(document)[0] for document in found if "log" in document.external_id} == {
        "A zebra crossed",
        "A lion slept",
    }


def test_lines_without_ids(ingested: Callable[..., list[Document]]) -> None:
    one, two = ingested("a.jsonl", '{"text": "zebra"}\n{"body": "lion", "n": 1}\n')
    assert (one.external_id, two.external_id) == ("s/a.jsonl#row-1", "s/a.jsonl#row-2")
    assert (contents(one), contents(two)) == (["zebra"], ["lion"])


def test_columns_of_text_of_a_query(run: Run, client: pgbraid.Client) -> None:
    query = "select 1 as id, 'Why?'::text as question, 'As it is so.'::text as answer, '0044-01-01 BC'::date as day"
    done = run("ingest", "--sql", query, "--no-embed")
    assert done.code == 0, done.err
    found = client.get_document("1")
    assert found is not None
    assert (contents(found), own(found)["day"]) == (["Why?\n\nAs it is so."], "0044-01-01 BC")


def test_values_of_a_query_that_python_does_not_have(run: Run, client: pgbraid.Client) -> None:
    number = f"1{'0' * 5_000}"
    query = f"select 1 as id, 'zebra' as text, 'infinity'::timestamptz as seen, '[{number}]'::json as numbers"
    done = run("ingest", "--sql", query, "--no-embed")
    assert done.code == 0, done.err
    found = client.get_document("1")
    assert found is not None
    assert own(found) == {"seen": "infinity", "numbers": [Decimal(number)]}


def test_a_long_number_in_metadata_is_imported(run: Run, client: pgbraid.Client) -> None:
    client.connection.execute(
        "create table animals as select 7 as id, 'zebra' as body,"
        " ('{\"n\": 1' || repeat('0', 5000) || '}')::jsonb as more"
    )
    done = run(
        "import",
        "animals",
        "--id-column",
        "id",
        "--text-column",
        "body",
        "--metadata-column",
        "more",
    )
    assert done.code == 0, done.err
    found = client.get_document("7")
    assert found is not None
    assert own(found) == {"n": Decimal(f"1{'0' * 5_000}")}


def test_settings_for_some_files(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    (tmp_path / "faq.csv").write_text("nr,question,answer\n1,Why is that so?,Thus\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "staff.csv").write_text("nr,person,story\n1,Ana,Came early\n")
    (tmp_path / "a.md").write_text("zebra")
    options = ("--text-column", "faq*.csv=answer", "--title-column", "faq.csv=question", "--id-column", "deep/*=nr")
    done = run("ingest", tmp_path, *options, "--source", "s", "--no-embed")
    assert (done.code, "warning" in done.err) == (0, False), done.err
    found = {
        document.external_id: document for document in map(client.get_document, ("s/faq.csv#row-1", "1")) if document
    }
    faq, staff = found["s/faq.csv#row-1"], found["1"]
    assert (faq.title, contents(faq), own(faq)) == ("Why is that so?", ["Thus"], {"nr": "1"})
    assert contents(staff) == ["Ana\n\nCame early"]
    done = run("ingest", tmp_path, "--text-column", "fap*.csv=answer", "--source", "t", "--no-embed")
    assert "warning: no file has a name like 'fap*.csv'" in done.err


def test_a_folder_of_everything_ends_well(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    pytest.importorskip("striprtf")
    (tmp_path / "products.csv").write_text(PRODUCTS)
    (tmp_path / "package.json").write_text(
        json.dumps({"name": "zebra", "description": "Counts zebras", "private": True})
    )
    (tmp_path / "NOTES-2026").write_text("A lynx was seen.\n")
    (tmp_path / "program").write_bytes(b"\x7fELF\x02\x01\x01\x00\x00")
    (tmp_path / "a.rtf").write_text(r"{\rtf1\ansi\ansicpg1252{\fonttbl\f0 Arial;}\f0 A caf\'e9 in K\'f6ln.\par Next.}")
    cells = [
        {"cell_type": "markdown", "source": ["# Counting\n", "Wolves are counted."]},
        {"cell_type": "code", "source": "count = 1", "outputs": [{"text": "hidden output"}]},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}))
    done = run("ingest", tmp_path, "--source", "s", "--no-embed")
    assert done.code == 0, done.err
    assert "unknown kind" in done.err and "program" in done.err
    documents = {name: client.get_document(f"s/{name}") for name in ("NOTES-2026", "a.rtf", "a.ipynb")}
    text = {name: "\n".join(contents(document)) for name, document in documents.items() if document is not None}
    assert text["NOTES-2026"] == "A lynx was seen."
    assert "A café in Köln." in text["a.rtf"]
    assert "Wolves are counted." in text["a.ipynb"] and "count = 1" in text["a.ipynb"]
    assert "hidden output" not in text["a.ipynb"]
    assert documents["a.ipynb"] is not None and documents["a.ipynb"].title == "Counting"


@pytest.mark.parametrize("name", ["a.rtf", "a.ipynb", "a.pptx"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff\x00", b'{"cells": [1]}'])
def test_damaged_files_are_named(ingested: Callable[..., list[Document]], name: str, content: bytes) -> None:
    if name == "a.pptx":
        pytest.importorskip("pptx")
    ingested(name, content, code=0 if (name, content) == ("a.ipynb", b"") else 1)
    assert name in ingested.err  # type: ignore[attr-defined]


def test_slides(ingested: Callable[..., list[Document]], tmp_path: Path) -> None:
    pptx = pytest.importorskip("pptx")
    made = pptx.Presentation()
    made.core_properties.title, made.core_properties.author = "Of animals", "Ana"
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Zebras"
    slide.placeholders[1].text = "They have stripes.\nThey run."
    slide.notes_slide.notes_text_frame.text = "Say how fast."
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Numbers"
    table = slide.shapes.add_table(2, 2, 0, 0, 100, 100).table
    for place, text in enumerate(("kind", "legs", "zebra", "4")):
        table.cell(place // 2, place % 2).text = text
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 10, 10).text_frame.text = "In a group"
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "The end"
    made.save(tmp_path / "made.pptx")
    (document,) = ingested("2026-03-16-talk.pptx", (tmp_path / "made.pptx").read_bytes())
    assert document.title == "Of animals"
    assert document.occurred_at is not None and document.occurred_at.day == 16
    assert own(document)["author"] == "Ana"
    assert contents(document) == [
        "Zebras\n\nThey have stripes.\nThey run.\n\nSay how fast.",
        "Numbers\n\nkind | legs\nzebra | 4\n\nIn a group",
        "The end",
    ]
    assert [chunk.metadata["slide"] for chunk in document.chunks] == [1, 2, 3]


def test_a_loop_of_links_is_named_as_one(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    folder = tmp_path / "f"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("zebra")
    (folder / "deep" / "up").symlink_to(folder)
    (folder / "self.md").symlink_to("self.md")
    (folder / "there").symlink_to("back")
    (folder / "back").symlink_to("there")
    (folder / "again.md").symlink_to(folder / "a.md")
    done = run("ingest", folder, "--no-embed", "--verbose")
    assert done.code == 0
    for name in ("deep/up", "self.md", "there", "back"):
        assert f"skipped: {folder}/{name}: loop of links" in done.err
    assert "again.md: link to what is read anyway" in done.err
    assert client.count() == 1


def test_a_collection_that_is_not_there(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("zebra")
    refused = run("ingest", tmp_path, "--collection", "my notes", "--no-embed")
    assert refused.code == 2
    assert "hint: add --create" in refused.err
    assert run("ingest", tmp_path, "--collection", "my notes", "--create", "--dry-run").code == 2
    for _ in range(2):
        assert run("ingest", tmp_path, "--collection", "my notes", "--create", "--no-embed").code == 0
    assert client.count("my notes") == 1
