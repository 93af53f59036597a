"""Test pgbraid ingest with each kind of file. The files are made here."""

from __future__ import annotations

import io
import json
import random
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pgbraid
from pgbraid.stored import Document
from pgbraid_tools.files.chunks import Block, pack, split, token_cost
from pgbraid_tools.files.markdown import blocks_of_lines
from support.documents import contents, own
from support.examples import examples
from support.files import docx, epub, pdf, xlsx

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


LONG = "The zebra crosses the road again and again. " * 12


def test_front_matter_and_headings_of_markdown(ingested: Callable[..., list[Document]], client: pgbraid.Client) -> None:
    (document,) = ingested(
        "guide.md",
        f"---\ntitle: The guide\ndate: 2026-03-01\ntags: [road, animal]\nauthor: Ana\nlevel: 3\n---\n\n"
        f"Intro.\n\n# Install\n\n{LONG}\n\n## Linux\n\n{LONG}{LONG}\n\n```sh\n# no heading\nmake\n```\n\n"
        f"## macOS\n\n{LONG}\n\n# Use\n\n- one\n- two\n",
    )
    assert (document.external_id, document.title) == ("s/guide.md", "The guide")
    assert document.occurred_at is not None
    assert document.occurred_at.date().isoformat() == "2026-03-01"
    assert own(document) == {"date": "2026-03-01", "tags": ["road", "animal"], "author": "Ana", "level": 3}
    texts = contents(document)
    assert texts[0].startswith("Intro.\n\n# Install\n\nThe zebra")
    assert texts[1].startswith("Install\n\n## Linux\n\nThe zebra")
    (code,) = [text for text in texts if "make" in text]
    assert code.startswith(("Install > Linux\n\n", "Install\n\n## Linux"))
    assert "```sh\n# no heading\nmake\n```" in code
    assert any("# Use\n\n- one\n- two" in text for text in texts)
    # Both search modes read the path of headings: a heading's words find text far below it.
    below = [chunk.chunk_id for chunk in document.chunks if chunk.content.startswith("Install > Linux")]
    assert below
    found = {row.chunk_id for row in client.search("linux", mode="full_text")}
    assert set(below) <= found
    jobs = client.connection.execute("select input from braid.claim_embedding_jobs(100)").fetchall()
    assert any("The guide\nInstall > Linux\n\n" in text for (text,) in jobs)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_markdown_that_fit_are_whole_in_a_chunk(ingested: Callable[..., list[Document]], seed: int) -> None:
    rng = random.Random(seed)

    def words(most: int) -> str:
        return " ".join(rng.choices(["zebra", "lion", "an ox.", "a b", "x = 1", "e.g."], k=rng.randint(1, most)))

    def lines(form: str, most: int) -> str:
        return "\n".join(form.format(words(5)) for _ in range(rng.randint(1, most)))

    made = {
        "heading": lambda: "#" * rng.randint(1, 4) + " " + words(4),
        "fence": lambda: f"```py\n# {words(3)}\n\n{lines('    {}', 8)}\n```",
        "tildes": lambda: f"~~~~\n{lines('# {}', 4)}\n~~~\n\n~~~~",
        "table": lambda: f"| a | b |\n|---|---|\n{lines('| {} | c |', 6)}",
        "list": lambda: f"- {words(5)}\n\n  {words(9)}\n{lines('  1. {}', 3)}\n* {words(5)}",
        "paragraph": lambda: lines("{}", 6),
        "long": lambda: lines("{}. ", 150),
    }
    kinds = rng.choices(list(made), k=60)
    blocks = [made[kind]() for kind in kinds]
    (document,) = ingested("a.md", "\n\n".join(blocks))
    texts = contents(document)
    assert len(texts) > 10
    for kind, block in zip(kinds, blocks, strict=True):
        if kind != "long":
            assert any(block in text for text in texts), block
    # The chunks hold the whole file, in order.
    everything, reached = "\n".join(texts), 0
    for line in "\n".join(blocks).split("\n"):
        reached = everything.index(line.strip(), reached)


def test_front_matter_that_is_wrong(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("a.md", "---\ntitle: [\n---\n\nzebra")
    assert (document.title, contents(document)) == ("[", ["zebra"])
    assert "a.md: the front matter is not all YAML" in ingested.err  # type: ignore[attr-defined]
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert ingested("b.md", f"---\n{bomb}---\n\nzebra", code=1) == [document]
    assert "more than 1000 values" in ingested.err  # type: ignore[attr-defined]
    # Two rules with text between them are not front matter.
    (document,) = ingested("a.md", "---\n\nzebra\n\n---\n\nlion")
    assert "zebra" in document.chunks[0].content


def test_html(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested(
        "page.html",
        """<!doctype html><html><head><title>The  page</title><style>p {}</style>
        <meta property="article:published_time" content="2026-02-03T10:00:00Z"></head>
        <body><nav>Menu</nav><main><h1>Animals</h1><p>A <b>ze</b>bra &amp; a lion.<p>Unclosed
        <ul><li>one<li>two<ul><li>deep</ul></ul>
        <table><tr><th>Name<th>Legs<tr><td>Bird<td>2</table>
        <pre>a
  b</pre><script>var x = 1</script></main><footer>Imprint</footer></body></html>""",
    )
    assert document.title == "The page"
    assert document.occurred_at is not None
    assert contents(document) == [
        "# Animals\n\nA zebra & a lion.\n\nUnclosed\n\n- one\n- two\n  - deep\n\n| Name | Legs |\n| Bird | 2 |\n\n"
        "```\na\n  b\n```"
    ]


def test_html_that_is_nested_without_end(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("deep.html", "<div>" * 20_000 + "zebra")
    assert "zebra" in contents(document)[0]


def test_html_in_another_encoding(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("a.html", '<meta charset="iso-8859-1"><p>café'.encode("latin-1"))
    assert contents(document) == ["café"]


def test_csv(ingested: Callable[..., list[Document]]) -> None:
    one, two = ingested(
        "animals.csv",
        'nr;name;about;legs\n7;Zebra;"stripes; ""black""\nand white";4\n8;Bird;wings;2\n\n9;Stone;;0\n',
        "--id-column",
        "nr",
        "--text-column",
        "about",
        "--title-column",
        "name",
    )
    assert (one.external_id, one.title) == ("7", "Zebra")
    assert contents(one) == ['stripes; "black"\nand white']
    assert own(two) == {"legs": "2"}
    assert "1 record without text" in ingested.out  # type: ignore[attr-defined]


def test_csv_without_ids(ingested: Callable[..., list[Document]]) -> None:
    documents = ingested("animals.tsv", "text\tlegs\nzebra\t4\nbird\t2\n")
    assert [document.external_id for document in documents] == ["s/animals.tsv#row-1", "s/animals.tsv#row-2"]
    (document,) = ingested("animals.tsv", "text\tlegs\nzebra\t4\n")
    assert document.external_id == "s/animals.tsv#row-1"


WRONG_TABLES = {
    "no such column": ("a,b\n1,2\n", ("--text-column", "c"), "its columns are 'a', 'b'"),
    "no text": ("a,b\n1,2\n", (), "--text-column NAME"),
    "too many cells": ("id,text\n1,zebra\n2,lion,3\n", (), "t.csv:3: 3 cells, and the header has 2"),
    "an open quote": ('id,text\n1,zebra\n2,"lion\n', (), "not CSV"),
    "no number": ("id,text,importance\n2,lion,high\n1,zebra,3\n", (), "importance"),
}


@pytest.mark.parametrize("name", WRONG_TABLES)
def test_tables_that_are_wrong(ingested: Callable[..., list[Document]], name: str) -> None:
    content, options, message = WRONG_TABLES[name]
    documents = ingested("t.csv", content, *options, code=1)
    assert [document.external_id for document in documents] == (["s/t.csv#1"] if "zebra" in content else [])
    assert message in ingested.err  # type: ignore[attr-defined]


def test_parquet(ingested: Callable[..., list[Document]]) -> None:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    table = arrow.table({"id": [1, 2], "text": ["zebra", "bird"], "legs": [4, 2], "tags": [["a"], []]})
    made = io.BytesIO()
    parquet.write_table(table, made)
    one, _ = ingested("a.parquet", made.getvalue())
    assert (one.external_id, contents(one), own(one)) == ("s/a.parquet#1", ["zebra"], {"legs": 4, "tags": ["a"]})
    assert len(ingested("a.parquet", made.getvalue()[:-9], code=1)) == 2
    assert "no Parquet" in ingested.err  # type: ignore[attr-defined]


def test_excel(ingested: Callable[..., list[Document]]) -> None:
    one, two = ingested("a.xlsx", xlsx([["id", "text", "legs"], [1, "zebra", 4], [2, "bird", 2]]))
    assert (one.external_id, contents(one), own(two)) == ("s/a.xlsx#1", ["zebra"], {"legs": 2})
    assert len(ingested("a.xlsx", b"no archive", code=1)) == 2
    assert "damaged, or no xlsx" in ingested.err  # type: ignore[attr-defined]


def test_json_of_any_form(ingested: Callable[..., list[Document]], tmp_path: Path) -> None:
    records = [{"nr": number, "body": {"html": f"animal{number}"}, "legs": number} for number in range(3)]
    named = ("--id-key", "nr", "--text-key", "body.html", "--metadata-key", "legs")
    for name, content in (
        ("a.json", json.dumps(records, indent=1)),
        ("b.json", json.dumps({"count": 3, "items": records})),
        ("c.json", "\n".join(map(json.dumps, records))),
        ("d.jsonl", "\n".join(map(json.dumps, records))),
    ):
        documents = ingested(name, content, *named)
        assert [document.external_id for document in documents] == ["0", "1", "2"], name
        assert (contents(documents[2]), own(documents[2])) == (["animal2"], {"legs": 2}), name
    ingested("e.json", json.dumps(records), code=1)
    assert "--text-key" in ingested.err  # type: ignore[attr-defined]
    ingested("f.json", json.dumps(records)[:-1], *named, code=1)
    assert "the array has no end" in ingested.err  # type: ignore[attr-defined]


def test_an_array_is_read_one_by_one(tmp_path: Path, run: Run, client: pgbraid.Client) -> None:
    """An array is read whole if it has more and longer elements than one read takes."""
    texts = [f"animal{number} " + "x" * size for number, size in enumerate([10, 700_000, 20, 3_000, 300_000])]
    (tmp_path / "a.json").write_text(json.dumps([{"id": n, "text": text} for n, text in enumerate(texts)], indent=2))
    assert run("ingest", tmp_path, "--no-embed").code == 0
    assert [document.external_id for document in client.list_documents()] == [
        f"{tmp_path}/a.json#{n}" for n in range(5)
    ]


def test_a_beir_folder(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d", "title": "Animals", "text": "zebra", "metadata": {"year": 2026}}\n'
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "lion"}\n')
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 0
    assert "queries and judgments of a BEIR folder" in done.err
    row = client.search("zebra", filters={"year": 2026})[0]
    assert (row.external_id, row.title) == ("d", "Animals")
    assert client.count() == 1


VTT = """WEBVTT

NOTE a comment

intro
00:01.000 --> 00:03.500 align:start
<v Ana>Hello &amp; welcome.</v>

00:03.500 --> 00:05.000
<v Ana>How do you do?

1:00:05.000 --> 1:00:06.000
<v Ben>Well.
<v.loud Ana>Good!
"""


def test_web_vtt(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("call-2026-03-01.vtt", VTT)
    chunks = [
        (chunk.speaker, chunk.content, chunk.metadata["start"], chunk.metadata["end"]) for chunk in document.chunks
    ]
    text = "Ana: Hello & welcome. How do you do?\nBen: Well.\nAna: Good!"
    assert chunks == [("Ana, Ben", text, 1.0, 3606.0)]
    first = document.chunks[0].occurred_at
    assert first is not None
    assert first.isoformat().startswith("2026-03-01T00:00:01")


def test_srt(ingested: Callable[..., list[Document]]) -> None:
    cues = "\n".join(
        f"{number}\n00:{number:02}:00,000 --> 00:{number:02}:30,500\n<i>Cue {number} of many words</i>\n"
        f"{'ends.' if number % 3 == 0 else 'goes on'}\n"
        for number in range(1, 60)
    )
    (document,) = ingested("film.srt", cues.replace("\n", "\r\n"))
    assert len(document.chunks) > 1
    # No sentence is split: each chunk but the last ends with one.
    assert all(text.endswith("ends.") for text in contents(document)[:-1])
    assert " ".join(contents(document)).count("Cue ") == 59
    assert document.chunks[0].metadata["start"] == 60.0
    assert ingested("none.srt", "no cue") and "no cues" in ingested.err  # type: ignore[attr-defined]


TRANSCRIPTS = {
    "labels": "Ana: Hello.\nBen: Hi, how are you?\nAna: Well.\nAnd you?\nBen: Fine.\n",
    "times": "[00:00:01] Ana: Hello.\n[0:00:02] Ben: Hi, how are you?\n"
    "[0:00:03] Ana: Well.\nAnd you?\n[0:04] Ben: Fine.\n",
    "headers": "Ana  0:01\nHello.\n\nBen  0:02\nHi, how are you?\n\nAna  0:03\nWell.\nAnd you?\n\nBen  0:04\nFine.\n",
    "turns": json.dumps(
        {
            "turns": [
                {"speaker": "Ana", "start": 1, "end": 2, "text": " Hello."},
                {"speaker": "Ben", "start": 2, "end": 3, "text": "Hi, how are you?"},
                {"speaker": "Ana", "start": 3, "end": 4, "text": "Well.\nAnd you?"},
                {"speaker": "Ben", "start": 4, "end": 5, "text": "Fine."},
            ]
        }
    ),
}
# Speech recognition writes this key.
TRANSCRIPTS["segments"] = TRANSCRIPTS["turns"].replace('"turns"', '"segments"')


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts(ingested: Callable[..., list[Document]], name: str) -> None:
    (document,) = ingested("call.json" if name in ("turns", "segments") else "call.txt", TRANSCRIPTS[name])
    (chunk,) = document.chunks
    assert chunk.content == "Ana: Hello.\nBen: Hi, how are you?\nAna: Well.\nAnd you?\nBen: Fine."
    assert (chunk.speaker, chunk.metadata["speakers"]) == ("Ana, Ben", ["Ana", "Ben"])
    assert chunk.metadata.get("start") == (None if name == "labels" else 1)


def test_a_transcript_of_many_turns(ingested: Callable[..., list[Document]]) -> None:
    turns = [f"{'AB'[n % 2]}na: Sentence {n} of the talk, and some words more. " * 3 for n in range(40)]
    (document,) = ingested("call.txt", "\n".join(turns))
    assert len(document.chunks) > 5
    for turn in turns:
        assert any(turn.strip() in chunk.content for chunk in document.chunks)


def test_captions_that_are_not_in_order(ingested: Callable[..., list[Document]]) -> None:
    cues = "00:00:09,000 --> 00:00:01,000\nLater.\n\n00:00:02,000 --> 00:00:03,000\nFirst.\n"
    (chunk,) = ingested("a.srt", cues)[0].chunks
    assert (chunk.content, chunk.metadata["start"], chunk.metadata["end"]) == ("First. Later.", 2, 3)


def test_times_of_a_transcript_that_go_back_are_left_out(ingested: Callable[..., list[Document]]) -> None:
    turns = "[12:59] Ana: One.\n[13:00] Ben: Two.\n[01:01] Ana: Three.\n[01:02] Ben: Four.\n"
    (chunk,) = ingested("a.txt", turns)[0].chunks
    assert chunk.content == "Ana: One.\nBen: Two.\nAna: Three.\nBen: Four."
    assert chunk.metadata["start"] == 12 * 60 + 59


def test_documents_with_turns(ingested: Callable[..., list[Document]]) -> None:
    turns = [{"speaker": "Ana", "start": 1, "text": "Hello."}, {"text": "Hi."}]
    (document,) = ingested("a.jsonl", json.dumps({"external_id": "call", "turns": turns}))
    assert contents(document) == ["Ana: Hello.\n?: Hi."]
    ingested("b.jsonl", json.dumps({"external_id": "call", "turns": [{"text": "a", "start": -1}]}), code=1)
    assert "seconds" in ingested.err  # type: ignore[attr-defined]
    ingested("c.jsonl", json.dumps({"external_id": "call", "segments": turns}), code=1)
    assert "it is called turns now" in ingested.err  # type: ignore[attr-defined]


def test_prose_with_colons_is_no_transcript(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("note.txt", "Note: this is a note.\nWarning: hot.\nAnother line.\nTo do: nothing.\n")
    assert [chunk.speaker for chunk in document.chunks] == [None]


MESSAGE = """\
From: =?utf-8?q?Ana_M=C3=BCller?= <ana@example.com>
To: Ben <ben@example.com>, c@example.com
Subject: Prices
Date: Tue, 3 Feb 2026 10:00:00 +0100
Message-ID: <{id}@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p>The price is <b>too high</b>.</p>
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="offer.pdf"

JVBERi0=
--b--
"""


def test_mail(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("a.eml", MESSAGE.format(id=1))
    assert (document.external_id, document.title) == ("s/a.eml", "Prices")
    assert (document.chunks[0].speaker, contents(document)) == ("Ana Müller", ["The price is too high."])
    assert document.occurred_at is not None
    assert own(document) == {
        "from": ["ana@example.com"],
        "to": ["ben@example.com", "c@example.com"],
        "message_id": "<1@example.com>",
        "attachments": ["offer.pdf"],
    }


def test_a_mailbox(ingested: Callable[..., list[Document]]) -> None:
    message = "From x Tue Feb  3 10:00:00 2026\n{}\n"
    both = "".join(message.format(MESSAGE.format(id=number)) for number in (1, 2, 2))
    documents = ingested("a.mbox", both)
    assert [d.external_id for d in documents] == ["s/a.mbox#<1@example.com>", "s/a.mbox#<2@example.com>"]
    assert len(ingested("a.mbox", message.format(MESSAGE.format(id=2)))) == 1


def test_mail_that_is_malformed(run: Run, tmp_path: Path) -> None:
    """Random damage makes at most one file fail."""
    rng = random.Random(1)
    for number in range(10):
        data = bytearray(MESSAGE.format(id=number).encode())
        for _ in range(30):
            data[rng.randrange(len(data))] = rng.randrange(256)
        (tmp_path / f"{number}.eml").write_bytes(data)
    done = run("ingest", tmp_path, "--no-embed")
    assert "10 files" in done.out


def test_epub(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("a.epub", epub())
    assert (document.title, own(document)) == ("The book", {"author": ["Ana"]})
    assert [(chunk.content, chunk.metadata["chapter"]) for chunk in document.chunks] == [
        ("# Zero\n\nBefore.", 1),
        ("# One\n\nThe zebra.", 2),
    ]


def test_docx(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("a.docx", docx())
    assert (document.title, own(document)) == ("Of animals", {"author": "Ana"})
    assert contents(document) == ["# Animals\n\nThe zebra."]


def test_pdf(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("a.pdf", pdf("The zebra.", "", "The giraffe."))
    assert document.title == "a"
    assert [(chunk.content, chunk.metadata["page"]) for chunk in document.chunks] == [
        ("The zebra.", 1),
        ("The giraffe.", 3),
    ]


def test_a_pdf_without_text(ingested: Callable[..., list[Document]]) -> None:
    assert ingested("scan.pdf", pdf("", "")) == []
    assert "no text in its 2 pages" in ingested.err  # type: ignore[attr-defined]
    assert ingested("broken.pdf", b"%PDF-1.4 nothing", code=1) == []
    assert "damaged, or no PDF" in ingested.err  # type: ignore[attr-defined]


def test_a_pdf_with_a_password(ingested: Callable[..., list[Document]]) -> None:
    # The keys do not fit the empty password.
    keys = f"/O <{'41' * 32}> /U <{'42' * 32}> /P -4"
    encrypted = f"trailer\n<< /Encrypt << /Filter /Standard /V 1 /R 2 {keys} >> /ID [<41> <41>]".encode()
    assert ingested("a.pdf", pdf("zebra").replace(b"trailer\n<<", encrypted), code=1) == []
    hint = "a.pdf: needs a password\nhint: save the file without a password"
    assert hint in ingested.err  # type: ignore[attr-defined]


PAGE = """<html><head><title>Zebras</title></head><body><div class=menu><a href=a>Home</a> <a href=b>Shop</a></div>
<div class=text><h1>Of zebras</h1>{}</div><div class=menu><a href=c>Imprint</a></div></body></html>"""


def test_a_page_read_by_trafilatura(
    ingested: Callable[..., list[Document]], library: Callable[..., None], tmp_path: Path
) -> None:
    # The reader runs in another process: a file shows the page and the options that it received.
    library(
        "trafilatura",
        "def extract(page, **options):\n"
        f"    open({str(tmp_path / 'asked')!r}, 'w').write(options['output_format'] + page)\n"
        "    return '# Of zebras\\n\\nThe zebra.' if 'zebra' in page else None\n",
    )
    page = PAGE.format("<p>The zebra.</p>")
    (document,) = ingested("a.html", page, "--reader", "trafilatura")
    assert (document.title, contents(document)) == ("Zebras", ["# Of zebras\n\nThe zebra."])
    assert (tmp_path / "asked").read_text() == f"markdown{page}"
    ingested("a.html", page, "--reader", "trafilatura")
    assert "1 unchanged" in ingested.out  # type: ignore[attr-defined]
    # Another reader makes a different document.
    assert "Home" in contents(ingested("a.html", page)[0])[0]
    ingested("b.html", "<p>giraffe", "--reader", "trafilatura")
    assert "no text that trafilatura takes for the page's own" in ingested.err  # type: ignore[attr-defined]
    library("trafilatura")
    ingested("c.html", page, "--reader", "trafilatura", code=1)
    assert "hint: pip install 'pgbraid[trafilatura]'" in ingested.err  # type: ignore[attr-defined]


def test_the_real_trafilatura(ingested: Callable[..., list[Document]]) -> None:
    pytest.importorskip("trafilatura")
    text = "".join(f"<p>{LONG}</p><table><tr><td>kind<td>zebra</table>" for _ in range(2))
    (document,) = ingested("a.html", PAGE.format(text), "--reader", "trafilatura")
    found = "\n".join(contents(document))
    assert "crosses the road" in found
    assert "Imprint" not in found


DOCLING = """
from types import SimpleNamespace


class DocumentConverter:
    def __init__(self, status="success"):
        self.status, self.document, self.errors = SimpleNamespace(value=status), self, ["page 2 is missing"]

    def convert(self, source):
        if source.name.startswith("broken"):
            raise RuntimeError("Input document broken is not valid.")
        return DocumentConverter("partial_success" if source.name.startswith("half") else "success")

    def export_to_markdown(self):
        return "## Of zebras\\n\\n| kind | legs |\\n|---|---|\\n| zebra | 4 |\\n"
"""


def test_a_pdf_read_by_docling(ingested: Callable[..., list[Document]], library: Callable[..., None]) -> None:
    """The test covers the part of docling's API that is used."""
    library("docling", "")
    library("docling.document_converter", DOCLING)
    (document,) = ingested("a.pdf", pdf(""), "--reader", "docling")
    assert document.title == "Of zebras"
    assert "| zebra | 4 |" in contents(document)[0]
    ingested("broken.pdf", pdf("zebra"), "--reader", "docling", code=1)
    assert "docling cannot read it: Input document broken is not valid." in ingested.err  # type: ignore[attr-defined]
    # The pages that docling could read are stored, and the file counts as incomplete.
    assert len(ingested("half.pdf", pdf("zebra"), "--reader", "docling", code=1)) == 2
    assert "docling read it only in part: page 2 is missing" in ingested.err  # type: ignore[attr-defined]
    assert len(ingested("half.pdf", pdf("zebra"), "--reader", "docling", code=1)) == 2
    (_, text, _) = ingested("a.txt", "giraffe", "--reader", "docling")
    assert contents(text) == ["giraffe"]


@pytest.mark.parametrize("suffix", ["docx", "epub", "xlsx"])
def test_an_archive_made_to_fill_the_memory(ingested: Callable[..., list[Document]], suffix: str) -> None:
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w") as member,
    ):
        for _ in range(201):
            member.write(b" " * 1_000_000)
    assert ingested(f"a.{suffix}", made.getvalue(), code=1) == []
    assert "expands to more than 200000000 bytes" in ingested.err  # type: ignore[attr-defined]
    # The next archive declares a false size.
    lying = made.getvalue().replace((201_000_000).to_bytes(4, "little"), (1_000).to_bytes(4, "little"))
    assert ingested(f"b.{suffix}", lying, code=1) == []
    assert "b." in ingested.err  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["txt", "md", "sql", "html", "pdf", "docx", "epub", "eml", "vtt", "json"])
def test_a_date_in_the_name_of_a_file(ingested: Callable[..., list[Document]], kind: str) -> None:
    content = {
        "txt": "The zebra.", "md": "The zebra.", "sql": "select 1;", "html": "<p>The zebra.</p>", "pdf": pdf("zebra"),
        "docx": docx(), "epub": epub(date=""), "eml": "From: ana@example.com\n\nThe zebra.", "vtt": VTT,
        "json": TRANSCRIPTS["segments"],
    }[kind]  # fmt: skip
    (document,) = ingested(f"2026-03-16-weekly.{kind}", content)
    assert document.occurred_at is not None
    assert document.occurred_at.date().isoformat() == "2026-03-16"


@pytest.mark.parametrize(("kind", "day"), [("eml", "2026-02-03"), ("epub", "2026-01-02")])
def test_a_date_in_the_file_itself_goes_first(ingested: Callable[..., list[Document]], kind: str, day: str) -> None:
    content = epub() if kind == "epub" else MESSAGE.format(id=1)
    (document,) = ingested(f"2026-03-16-weekly.{kind}", content)
    assert document.occurred_at is not None
    assert document.occurred_at.date().isoformat() == day


def test_rows_do_not_get_the_date_in_the_name_of_their_file(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("2026-03-16-export.csv", "id,text\n1,The zebra.\n")
    assert document.occurred_at is None


def test_source_code(ingested: Callable[..., list[Document]]) -> None:
    (document,) = ingested("zebra.py", "def run():\n    return 1\n")
    assert (document.title, contents(document)) == ("zebra.py", ["def run():\n    return 1"])


def test_a_library_that_is_missing(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: Callable[..., None]
) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("zebra"))
    (tmp_path / "b.txt").write_text("giraffe")
    library("pypdfium2")
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 1
    assert f"failed: {tmp_path}/a.pdf: PDF needs the library pypdfium2\nhint: pip install 'pgbraid[files]'" in done.err
    assert client.count() == 1
    monkeypatch.setitem(sys.modules, "pathspec", None)
    refused = run("ingest", tmp_path, "--exclude", "*.pdf")
    assert refused.code == 2
    assert "hint: pip install 'pgbraid[files]'" in refused.err and "--no-gitignore" not in refused.err
    (tmp_path / ".gitignore").write_text("*.pdf")
    refused = run("ingest", tmp_path)
    assert refused.code == 2
    assert "hint: pip install 'pgbraid[files]', or read what it leaves out, too: --no-gitignore" in refused.err
    assert run("ingest", tmp_path, "--no-gitignore", "--no-embed").code == 1


def test_front_matter_without_the_library(
    run: Run,
    client: pgbraid.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    library: Callable[..., None],
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"---\ntitle: Animals {name}\n---\n\nzebra")
    library("yaml")
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 0
    assert done.err == "warning: front matter is read as text\nhint: pip install 'pgbraid[files]'\n"
    monkeypatch.undo()
    monkeypatch.setenv("PGBRAID_DSN", client.connection.info.dsn)
    assert "2 indexed" in run("ingest", tmp_path, "--no-embed").out
    assert [document.title for document in client.list_documents()] == ["Animals a", "Animals b"]


# The following tests cover chunks.


TEXT = st.text(st.sampled_from("ab .,!?\n\n\n#-|`é漢 AZ09"), max_size=400)


@settings(max_examples=examples(80), deadline=None)
@given(TEXT, st.integers(5, 60))
def test_every_character_is_in_a_chunk_once(text: str, budget: int) -> None:
    assert "".join(split(text, budget)) == text
    lines = [(line, 0) for line in text.splitlines(keepends=True)]
    blocks = list(blocks_of_lines(lines))
    assert "".join(block.text for block in blocks) == text
    packed = [chunk["content"] for chunk, _ in pack((Block(b.text, (), b.is_heading) for b in blocks), budget)]
    assert "".join("".join(packed).split()) == "".join(text.split())
    assert packed == [chunk["content"] for chunk, _ in pack((Block(b.text, (), b.is_heading) for b in blocks), budget)]
    # A newline joins two pieces and costs little.
    assert all(token_cost(chunk) <= 1.2 * budget + 2 for chunk in packed)


@settings(max_examples=examples(20), deadline=None)
@given(texts=st.lists(st.text(st.characters(exclude_characters="\0\x02", exclude_categories=["Cs"])), min_size=1))
def test_tokens_are_counted_as_in_the_database(shared_db: Any, texts: list[str]) -> None:
    texts = [*texts, "The QUICK brown fox of THE and the of in 12ab AB-12, naïve 한국어 漢字.", LONG]
    row = shared_db.execute("select braid_store.token_costs(%s)", (texts,)).fetchone()
    assert [token_cost(text) for text in texts] == pytest.approx(row[0])
