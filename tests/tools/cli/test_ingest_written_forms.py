"""Test pgbraid ingest with files as mail programs, meeting tools, browsers and offices write them. The files are
made here."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pgbraid.stored import Document
from pgbraid_tools.files.drafts import Draft, Input
from pgbraid_tools.files.kinds import read
from support.documents import contents, own
from support.examples import examples
from support.files import docx, epub, pdf, xlsx

pytestmark = pytest.mark.any_version


@pytest.fixture
def read_as(tmp_path: Path) -> Callable[[str, str | bytes], list[Draft]]:
    """Return a function that returns the drafts of a file of a kind: `read_as("eml", content)`."""

    def drafts(kind: str, content: str | bytes) -> list[Draft]:
        path = tmp_path / "file"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(read(Input(path, "file", path.stat().st_size, kind, "file")))

    return drafts


def content(draft: Draft) -> str:
    """Return the text of a draft as one string."""
    values = draft.values
    if "turns" in values:
        return "\n".join(turn["text"] for turn in values["turns"])
    chunks = values.get("chunks")
    return "\n".join(chunk["content"] for chunk in chunks) if chunks else values["content"]


def mixed(*parts: str, kind: str = "mixed", boundary: str = "b") -> str:
    head = f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'
    return head + "".join(f"--{boundary}\n{part}\n" for part in parts) + f"--{boundary}--\n"


PLAIN = "Content-Type: text/plain; charset=utf-8\n\n"
HTML = "Content-Type: text/html; charset=utf-8\n\n"
FORWARDED = "From: =?utf-8?q?J=C3=BCrgen=2C_Max?= <j@example.com>\nSubject: Old prices\n\n" + "The zebra is sold."
MESSAGES = {
    "a caution before the body": (mixed(f"{PLAIN}CAUTION: sent from outside.", f"{HTML}<p>The <b>zebra</b>."), [], []),
    "a footer of a list": (mixed(f"{PLAIN}The zebra.", f"{PLAIN}To leave the list, write."), ["leave the list"], []),
    "forwarded within": (
        mixed(f"{PLAIN}Look.", f"Content-Type: message/rfc822\n\n{FORWARDED}"),
        ["Look.", "From: Jürgen, Max", "Subject: Old prices"],
        ["=?utf-8"],
    ),
    "forwarded as an attachment": (
        mixed(
            f"{PLAIN}Look.",
            "Content-Type: message/rfc822\nContent-Disposition: attachment; filename=old.eml\n\n"
            + mixed(f"{PLAIN}The zebra", f"{PLAIN}and the lion", kind="mixed", boundary="c"),
        ),
        ["Look.", "and the lion"],
        [],
    ),
    "an empty plain text": (
        mixed("Content-Type: text/plain\n\n \n", f"{HTML}<p>The zebra.", kind="alternative"),
        [],
        ["<p>"],
    ),
    "an alternative with pictures": (
        mixed(
            "Content-Type: text/plain\n\n",
            mixed(f"{HTML}<p>The zebra.", "Content-Type: image/png\n\nx", kind="related", boundary="c"),
            kind="alternative",
        ),
        [],
        ["<p>"],
    ),
    "both forms": (mixed(f"{PLAIN}The zebra.", f"{HTML}<p>The zebra in colour.", kind="alternative"), [], ["colour"]),
    "signed": (
        mixed(f"{PLAIN}The zebra.", "Content-Type: application/pgp-signature\n\nxyz", kind="signed"),
        [],
        ["xyz"],
    ),
    "boundaries that are missing": ("Content-Type: multipart/mixed; boundary=b\n\nThe zebra.", [], []),
    "an invitation alone": (
        "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VEVENT\nUID:7\nSUMMARY:The ze\n bra\nLOCATION:Room 7\n"
        "DESCRIPTION;LANGUAGE=en:Bring\\, please\nEND:VEVENT\n",
        ["Room 7", "Bring, please"],
        ["UID", "VEVENT"],
    ),
    "an invitation beside its text": (
        mixed(f"{PLAIN} ", f"{HTML}<p>The zebra.", "Content-Type: text/calendar\n\nSUMMARY:lion", kind="alternative"),
        [],
        ["lion"],
    ),
    "white space behind the transfer encoding": (
        "Content-Transfer-Encoding: Quoted-Printable \nContent-Type: text/plain\n\nThe ze=\nbra",
        [],
        [],
    ),
    "lines that were wrapped within words": (
        "Content-Type: text/plain; format=flowed; delsp=yes\n\nThe ze \nbra",
        [],
        [],
    ),
    "a digest": (
        mixed(f"\n{FORWARDED}", "\nFrom: b@example.com\nSubject: New\n\nThe lion.", kind="digest"),
        ["Old prices", "The lion."],
        [],
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_all_parts_of_a_message_are_read(read_as: Callable[..., list[Draft]], name: str) -> None:
    body, present, absent = MESSAGES[name]
    (draft,) = read_as("eml", f"Subject: s\nMIME-Version: 1.0\n{body}")
    text = content(draft)
    for expected in (*present, "zebra"):
        assert expected in text
    for unexpected in absent:
        assert unexpected not in text
    # The parts come in the order of the message.
    assert sorted(present, key=text.index) == present


def test_a_message_within_a_message_is_found(ingested: Callable[..., list[Document]]) -> None:
    body = mixed(f"{PLAIN}Look.", f"Content-Type: message/rfc822\n\n{FORWARDED}", f"{PLAIN}Regards")
    (document,) = ingested("a.eml", f"Subject: Fwd\nMIME-Version: 1.0\n{body}")
    assert contents(document) == [
        "Look.\n\nFrom: Jürgen, Max <j@example.com>\nSubject: Old prices\n\nThe zebra is sold.\n\nRegards"
    ]


CHARSETS = {
    "iso-8859-8-i": ("שלום עולם", "iso-8859-8"),
    "utf8mb4": ("naïve 😀", "utf-8"),
    "": ("žluťoučký", "utf-8"),
    "gb2312": ("朱镕基", "gbk"),
    "gbk": ("㐂朱镕基", "gb18030"),
    "x-sjis": ("髙橋①", "cp932"),
    "shift_jis": ("髙橋①", "cp932"),
    "ks_c_5601-1987": ("똠방각하", "cp949"),
    "us-ascii": ("日本", "utf-8"),
    "iso-8859-1": ("“quoted” – café", "cp1252"),
    "x-unknown": ("café", "cp1252"),
    "utf-8": ("café crème brûlée", "cp1252"),
    "iso-2022-jp": ("東京", "iso-2022-jp"),
    "koi8-r": ("Привет", "koi8-r"),
}


@pytest.mark.parametrize("name", CHARSETS)
def test_encodings_of_mail_and_pages(read_as: Callable[..., list[Draft]], name: str) -> None:
    text, codec = CHARSETS[name]
    body = f"Subject: s\nContent-Type: text/plain; charset={name}\n\n".encode() + text.encode(codec)
    assert content(read_as("eml", body)[0]) == text
    word = f"=?{name or 'utf-8'}?B?{base64.b64encode(text.encode(codec)).decode()}?="
    (draft,) = read_as("eml", f"Subject: {word}\nFrom: {word} <a@example.com>\n\nx")
    assert (draft.values["title"], draft.values["speaker"]) == (text, text)
    page = f'<meta charset="{name}"><p>'.encode() + text.encode(codec)
    assert content(read_as("html", page)[0]).strip() == text


def test_characters_of_windows_in_iso_2022_jp(read_as: Callable[..., list[Draft]]) -> None:
    body = b"Subject: s\nContent-Type: text/plain; charset=iso-2022-jp\n\n" + b"\x1b$B2q5D-!|b\x1b(B a\\"
    assert content(read_as("eml", body)[0]) == "会議①髙 a\\"


def test_encodings_that_pages_name_elsewhere(read_as: Callable[..., list[Draft]]) -> None:
    page = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Зебра'.encode("cp1251")
    assert content(read_as("eml", b"Subject: s\nContent-Type: text/html\n\n" + page)[0]) == "Зебра"
    page = '<?xml version="1.0" encoding="iso-8859-2"?><html><body><p>škoda</p></body></html>'.encode("iso8859-2")
    assert content(read_as("html", page)[0]).strip() == "škoda"


def test_files_within_a_text_are_named(read_as: Callable[..., list[Draft]]) -> None:
    inline = "Content-Type: application/pdf; name=x.pdf\nContent-Disposition: inline; filename=x.pdf\n\nA"
    picture = "Content-Type: image/png; name=logo.png\nContent-ID: <1>\n\nA"
    body = mixed(f"{PLAIN}Look.", inline, "Content-Type: application/ms-tnef; name=winmail.dat\n\nA", picture)
    (draft,) = read_as("eml", f"Subject: s\nMIME-Version: 1.0\n{body}")
    assert draft.values["metadata"]["attachments"] == ["x.pdf", "winmail.dat"]


@pytest.mark.parametrize(
    "body",
    [
        "Content-Type: application/pkcs7-mime; name=smime.p7m\n\nxyz",
        mixed("Content-Type: application/pgp-encrypted\n\nVersion: 1", "Content-Type: x/y\n\nz", kind="encrypted"),
    ],
)
def test_an_encrypted_message_is_told(read_as: Callable[..., list[Draft]], body: str) -> None:
    warning, draft = read_as("eml", f"Subject: s\nMIME-Version: 1.0\n{body}")
    assert warning.warning is not None
    assert "encrypted" in warning.warning
    assert content(draft) == "s"


@pytest.mark.parametrize("before", ["\ufeff", "\n", "\r\n\r\n"])
def test_what_stands_before_the_headers(read_as: Callable[..., list[Draft]], before: str) -> None:
    (draft,) = read_as(
        "eml", f"{before}Subject: s\nFrom: ana at example.org (Ana Lima)\nDate: 2026-03-01 10:00\n\nzebra"
    )
    assert (draft.values["title"], draft.values["speaker"], content(draft)) == ("s", "Ana Lima", "zebra")
    assert draft.values["metadata"]["from"] == ["ana@example.org"]
    assert draft.values["occurred_at"].startswith("2026-03-01T10:00")


BEGIN = "From ana@example.org Mon Mar  2 10:00:00 2026\n"


def test_a_paragraph_may_begin_as_a_message_of_a_mailbox_does(read_as: Callable[..., list[Draft]]) -> None:
    first = f"{BEGIN}Subject: a\n\nHello.\n\nFrom here on: the zebra.\n\nBye.\n\n"
    drafts = read_as("mbox", f"{first}{BEGIN}Subject: b\n\nx\n\nFrom \nSubject: c\n\ny\n")
    assert [draft.values["title"] for draft in drafts] == ["a", "b", "c"]
    assert content(drafts[0]) == "Hello.\n\nFrom here on: the zebra.\n\nBye."


def test_another_message_with_the_same_id(read_as: Callable[..., list[Draft]]) -> None:
    first, again, other = (f"{BEGIN}Message-ID: <1>\nSubject: s\n\n{text}\n\n" for text in ("one", "one", "two"))
    drafts = read_as("mbox", first + again + other)
    assert [(draft.skipped, draft.values.get("content")) for draft in drafts] == [
        (False, "one"),
        (True, None),
        (False, "two"),
    ]
    assert len({draft.place for draft in drafts if not draft.skipped}) == 2


def test_headers_without_an_encoding(read_as: Callable[..., list[Draft]]) -> None:
    (draft,) = read_as("eml", "Subject: žluťoučký\nFrom: Müller, Ana <a@example.com>\n\nx")
    assert draft.values["title"] == "žluťoučký"
    # A character's bytes are split between two encoded words, and a comma is part of the name.
    (draft,) = read_as("eml", "Subject: =?utf-8?q?=E6=97?= =?utf-8?q?=A5_x?= y\nFrom: =?utf-8?q?M=2C_A?= <a@b.c>\n\nx")
    assert (draft.values["title"], draft.values["speaker"], draft.values["metadata"]["from"]) == (
        "日 x y",
        "M, A",
        ["a@b.c"],
    )


@settings(max_examples=examples(80), deadline=None)
@given(
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1),
    st.sampled_from(["utf-8", "utf-16-le", "gb18030"]),
)
def test_words_of_headers_come_back(text: str, codec: str) -> None:
    from pgbraid_tools.files.mail import _decode_words

    data = text.encode(codec)
    words = [f"=?{codec}?B?{base64.b64encode(data[at : at + 30]).decode()}?=" for at in range(0, len(data), 30)]
    assert _decode_words("Re: " + " ".join(words)) == f"Re: {text}"


def cues(*texts: str) -> str:
    return "WEBVTT\n\n" + "".join(
        f"00:00:{number:02}.000 --> 00:00:{number + 1:02}.000\n{text}\n\n" for number, text in enumerate(texts, 1)
    )


CAPTIONS = {
    "rolling": (cues("one fox", "one fox\ntwo hens", "two hens\nthree cats"), ["one fox", "two hens", "three cats"]),
    "rolling in a line": (
        cues("one fox", "one fox two hens", "two hens three cats"),
        ["one fox", "two hens", "three cats"],
    ),
    "as YouTube writes them": (
        cues(
            " \none<00:00:01.500><c> fox</c>",
            "one fox\n ",
            "one fox\ntwo<00:00:03.500><c> hens</c>",
            "two hens\n ",
            "two hens\nthree cats",
        ),
        ["one fox", "two hens", "three cats"],
    ),
    "the same word again": (cues("No.", "No.", "Yes, we can.", "Yes."), ["No.", "No.", "Yes, we can.", "Yes."]),
    "a refrain": (cues("La la la", "La la la", "Hey", "La la la"), ["La la la", "La la la", "Hey", "La la la"]),
    "a song whose lines go on twice": (
        cues(*["la la"] * 5, "la la hey", *["ho ho"] * 4, "ho ho ho yes"),
        [*["la la"] * 5, "la la hey", *["ho ho"] * 4, "ho ho ho yes"],
    ),
    "a first line of white space": (cues(" \nHello."), ["Hello."]),
    "SRT without empty lines": (
        "1\n00:00:01,000 --> 00:00:02,000\nHello\n2\n00:00:03,000 --> 00:00:04,000\nWorld\n \n"
        "3\n00:00:05,000 --> 00:00:06,000\n1984",
        ["Hello", "World", "1984"],
    ),
    "SRT with empty lines within": (
        "1\n00:00:01,000 --> 00:00:02,000\nHello\n\nWorld\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\nEnd",
        ["Hello World 1984", "End"],
    ),
    "styles of other programs": (
        "1\n00: 00: 01,000 -> 00: 00: 02,000\n{\\an8}Hello {\\i1}World{\\i0} {x}\n",
        ["Hello World {x}"],
    ),
}


@pytest.mark.parametrize("name", CAPTIONS)
def test_captions(read_as: Callable[..., list[Draft]], name: str) -> None:
    source, expected = CAPTIONS[name]
    (draft,) = read_as("captions", source)
    assert [turn["text"] for turn in draft.values["turns"]] == expected


TALKS = {
    "voices with entities": (
        "captions",
        cues("<v Ana &amp; Ben>Hello.", "<v.loud.first Ana &amp; Ben>Bye."),
        "Ana & Ben",
    ),
    "Webex": (
        "captions",
        'WEBVTT\n\n1 "Ana Silva" (2949)\n00:00:01.000 --> 00:00:02.000\nHello.\n\n'
        '2 "Ana Silva" (2949)\n00:00:03.000 --> 00:00:04.000\nBye.\n',
        "Ana Silva",
    ),
    "Zoom's captions": ("captions", cues("Ana Silva: Hello.", "Ana Silva: Bye."), "Ana Silva"),
    "Zoom's transcript": ("text", "[Ana Silva] 10:01:22\nHello.\n\n[Ana Silva] 10:02:22\nBye.\n", "Ana Silva"),
    "Zoom's chat": (
        "text",
        "10:01:22 From Ana Silva to Everyone:\n\tHello.\n10:02:22 From Ana Silva to Everyone:\n\tBye.\n",
        "Ana Silva",
    ),
    "Teams": ("text", "Ana Silva   0:03\nHello.\n\nAna Silva   0:09\nBye.\n", "Ana Silva"),
    "Otter": ("text", "Ana Silva  0:03 \nHello.\n\nAna Silva  0:09 \nBye.\n", "Ana Silva"),
    "Rev": ("text", "Speaker 1 (00:02):\nHello.\n\nSpeaker 1 (00:12):\nBye.\n", "Speaker 1"),
    "Meet": ("text", "00:00:02 Ana Silva\nHello.\n\n00:00:12 Ana Silva\nBye.\n", "Ana Silva"),
    "a bar": ("text", "0:01 | Ana Silva\nHello.\n0:04 | Ana Silva\nBye.\n", "Ana Silva"),
    "half days": ("text", "Ana Silva [10:01 AM]\nHello.\nAna Silva [1:02 PM]\nBye.\n", "Ana Silva"),
    "labels": ("text", "[00:00:01] Ana: Hello.\n[00:00:04] Ana: Bye.\n", "Ana"),
}


@pytest.mark.parametrize("name", TALKS)
def test_talks_of_one_speaker(read_as: Callable[..., list[Draft]], name: str) -> None:
    kind, source, speaker = TALKS[name]
    (draft,) = read_as(kind, source)
    told = [(turn["speaker"], turn["text"]) for turn in draft.values["turns"]]
    assert told == [(speaker, "Hello."), (speaker, "Bye.")]
    first, second = (turn["start"] for turn in draft.values["turns"])
    assert first < second


@pytest.mark.parametrize("text", ["Lunch 12:30\nDinner 19:30\n", "Note: this.\nNote: that.\nNote: more.\nNote: end.\n"])
def test_what_is_no_talk(read_as: Callable[..., list[Draft]], text: str) -> None:
    (draft,) = read_as("text", text)
    assert draft.values["content"] == text


def test_half_days(read_as: Callable[..., list[Draft]]) -> None:
    (draft,) = read_as(
        "transcript", "Ana 12:05 AM\nOne.\nAna 11:59 AM\nTwo.\nAna 12:01 PM\nThree.\nAna 1:02 p.m.\nFour.\n"
    )
    starts = [turn["start"] / 60 for turn in draft.values["turns"]]
    assert starts == [5, 11 * 60 + 59, 12 * 60 + 1, 13 * 60 + 2]


RUBY = "<p><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rtc><rt>きょう</rt></rtc></ruby>都"


def test_how_characters_are_spoken_divides_no_word(read_as: Callable[..., list[Draft]]) -> None:
    assert content(read_as("html", f'<meta charset="utf-8">{RUBY}')[0]).strip() == "東京都"
    assert "東京都" in content(read_as("epub", epub(RUBY))[0])
    assert content(read_as("eml", f"Subject: s\n{HTML}{RUBY}")[0]) == "東京都"


def test_what_a_page_hides_is_left_out(read_as: Callable[..., list[Draft]]) -> None:
    hidden = (
        "<p hidden>no</p><div style='color: red; DISPLAY : none !important'><p>no</div><p aria-hidden=true>no</p>"
        "<dialog>no<p>no</dialog><span style='visibility:hidden'>no</span><div popover>no</div><pre hidden>no</pre>"
        "<table><tr hidden><td>no</table><ul hidden><li>no</ul><h2 hidden>no</h2>"
    )
    shown = (
        "<dialog open>yes1</dialog><div hidden=until-found>yes2</div><p style='background: none'>yes3"
        "<details><summary>yes4</summary>yes5</details><p aria-hidden=false>yes6"
    )
    for text in (
        content(read_as("html", f"<body>{hidden}{shown}{hidden}")[0]),
        content(read_as("epub", epub(hidden + shown))[0]),
        content(read_as("eml", f"Subject: s\n{HTML}{hidden}{shown}")[0]),
    ):
        assert "no" not in text.split()
        assert [f"yes{number}" in text for number in range(1, 7)] == [True] * 6


PAGES = {
    "a form around it": "<form id=aspnetForm><h1>The zebra</h1><input></form>",
    "questions that open": "<h2><button>The zebra?</button></h2><p>Yes.",
    "an empty main": "<main></main><p>The zebra.",
    "a teaser": f"<p>The zebra.{' It runs.' * 20}</p><article><p>Lions</article>",
}


@pytest.mark.parametrize("name", PAGES)
def test_the_text_of_a_page_is_found(read_as: Callable[..., list[Draft]], name: str) -> None:
    (draft,) = read_as("html", f"<body><form><button>Search</button></form>{PAGES[name]}")
    assert "The zebra" in content(draft)
    assert "Search" not in content(draft)


def test_columns_of_one_name_and_of_none(read_as: Callable[..., list[Draft]]) -> None:
    (draft,) = read_as("csv", "id,text,note,note,,\n1,zebra,a,b,c,\n")
    assert draft.values["metadata"] == {"note": "a", "note (column 4)": "b", "column 5": "c"}


def test_sheets_without_text_are_told(read_as: Callable[..., list[Draft]]) -> None:
    draft, warning = read_as("xlsx", xlsx([["text", "", "text"], ["zebra", "lion", "bird"]], [["a", "b"], [1, 2]]))
    assert draft.values["metadata"] == {"column 2": "lion", "text (column 3)": "bird", "sheet": "Sheet1"}
    assert warning.warning is not None
    assert "'Sheet2'" in warning.warning


def test_front_matter_in_toml(ingested: Callable[..., list[Document]]) -> None:
    front = '+++\ntitle = "The guide"\ndate = 2026-03-01\ntags = ["road"]\n[params]\nlevel = 3\n+++\n\nzebra'
    (document,) = ingested("a.md", front)
    assert (document.title, contents(document)) == ("The guide", ["zebra"])
    assert document.occurred_at is not None
    assert own(document) == {"date": "2026-03-01", "tags": ["road"], "params": {"level": 3}}


FRONT_MATTER = {
    "a colon in a title": ("---\ntitle: Foo: a guide\ndate: 2026-03-01\ntags: [a, b]\n---\nzebra", "Foo: a guide", 2),
    "a quote": ('---\ndate: 2026-03-01\ntags: [a, b]\ntitle: "Foo" bar\n---\nzebra', 'Foo" bar', 4),
    "an at sign": ("---\ntags: [a, b]\ntitle: @foo\ndate: 2026-03-01\n---\nzebra", "@foo", 3),
    "a tab": ("---\ntitle: Foo\ndate: 2026-03-01\ntags: [a, b]\nlist:\n\t- x\n---\nzebra", "Foo", 5),
    "a template": ("---\ndate: 2026-03-01\ntitle: {{ name }}: x\ntags: [a, b]\n---\nzebra", "{{ name }}: x", 3),
    "toml": ('+++\ntitle = Foo\ndate = 2026-03-01\ntags = ["a", "b"]\n+++\nzebra', "Foo", 2),
}


@pytest.mark.parametrize("name", FRONT_MATTER)
def test_a_line_of_front_matter_that_is_wrong_costs_no_more(read_as: Callable[..., list[Draft]], name: str) -> None:
    source, title, line = FRONT_MATTER[name]
    warning, draft = read_as("markdown", source)
    assert warning.warning is not None
    assert f"(line {line})" in warning.warning
    assert (draft.values["title"], content(draft)) == (title, "zebra")
    assert draft.values["occurred_at"].startswith("2026-03-01")
    assert draft.values["metadata"]["tags"] == ["a", "b"]


def test_hyphens_at_the_ends_of_lines_of_a_pdf(read_as: Callable[..., list[Draft]]) -> None:
    page = (
        "An X-\nray of a COVID-\n19 case, by Jean-\nLuc in an e-\nmail: a hyphen-\nated word, 1990-\n1995, well-\n"
        "known as well-known"
    )
    text = content(read_as("pdf", pdf(page))[0])
    for word in ("X-ray", "COVID-19", "Jean-Luc", "e-mail", "hyphenated", "1990-1995", "well-known as well-known"):
        assert word in text


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def test_what_stands_beside_the_text_of_a_docx(ingested: Callable[..., list[Document]]) -> None:
    def run(text: str) -> str:
        return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"

    field = '<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:t>7</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>'
    fraction = (
        "<w:p><w:r><w:t>Area</w:t></w:r><m:oMath><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r>"
        "</m:sup></m:sSup><m:r><m:t>=</m:t></m:r><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>c</m:t>"
        "</m:r></m:den></m:f></m:oMath></w:p>"
    )
    (document,) = ingested(
        "a.docx",
        docx(
            fraction,
            {
                "word/header1.xml": f'<w:hdr xmlns:w="{WORD}">{run("Confidential offer")}</w:hdr>',
                "word/header2.xml": f'<w:hdr xmlns:w="{WORD}">{run("Confidential offer")}</w:hdr>',
                "word/footer1.xml": f'<w:ftr xmlns:w="{WORD}">{run("Imprint")}{field}</w:ftr>',
                "word/comments.xml": f'<w:comments xmlns:w="{WORD}"><w:comment w:id="0" w:author="Ben">'
                f"{run('Too dear!')}</w:comment></w:comments>",
            },
        ),
    )
    text = "\n".join(contents(document))
    assert "Area r^2=(a+b)/c" in text
    assert "Ben: Too dear!" in text
    assert text.count("Confidential offer") == 1
    assert "Imprint" in text
    assert "7" not in text


TABLES = {
    "sep": ("sep=;\nid;text\n1;a zebra, two\n", ()),
    "commas in a header": ('id;text;"price, net";tax, rate\n1;a zebra, two;1,5;2,5\n', ()),
    "commas in each cell": ("id, nr;text, long;price, net\n1,5;a zebra, two;1,5\n", ("--text-column", "text, long")),
    "an option": ("id~text\n1~a zebra, two\n", ("--delimiter", "~")),
    "tabs": ("id\ttext\n1\ta zebra, two\n", ("--delimiter", "tab")),
    "one column": ("text\na zebra, two\n", ()),
    "semicolons in texts": ("id,text\n1,a zebra; two; three\n2,b; c\n", ()),
}


@pytest.mark.parametrize("name", TABLES)
def test_delimiters_of_csv(ingested: Callable[..., list[Document]], name: str) -> None:
    source, options = TABLES[name]
    first = ingested("a.csv", source, *options)[0]
    assert contents(first)[0].startswith("a zebra")
    assert contents(first)[0].endswith(("two", "three"))


def test_lines_of_csv_are_counted_with_the_first(ingested: Callable[..., list[Document]]) -> None:
    ingested("a.csv", "sep=;\nid;text\n1;a;b\n", code=1)
    assert "a.csv:3: 3 cells" in ingested.err  # type: ignore[attr-defined]
    ingested("a.csv", "id;text\n1;a\n", "--delimiter", ";;", code=2)
    assert "is no single character" in ingested.err  # type: ignore[attr-defined]


ALTERNATIVES = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
CHOICE = f'<mc:AlternateContent {ALTERNATIVES}><mc:Choice Requires="wps">'
BOXED = "<w:txbxContent><w:p><w:r><w:t>zebra</w:t></w:r></w:p></w:txbxContent>"
DOCX = {
    "a field": '<w:p><w:fldSimple w:instr="REF x"><w:r><w:t>zebra</w:t></w:r></w:fldSimple></w:p>',
    "ruby": "<w:p><w:r><w:t>ze</w:t></w:r><w:r><w:ruby><w:rt><w:r><w:t>no</w:t></w:r></w:rt>"
    "<w:rubyBase><w:r><w:t>br</w:t>"
    "</w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>a</w:t></w:r></w:p>",
    "a text box": f"<w:p><w:r>{CHOICE}<w:drawing>{BOXED}</w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>",
    "a text box in two forms": f"<w:p><w:r>{CHOICE}"
    f"<w:drawing>{BOXED}</w:drawing></mc:Choice><mc:Fallback><w:pict>{BOXED}</w:pict></mc:Fallback>"
    "</mc:AlternateContent></w:r></w:p>",
}


@pytest.mark.parametrize("name", DOCX)
def test_text_of_a_docx_in_other_forms(read_as: Callable[..., list[Draft]], name: str) -> None:
    (draft,) = read_as("docx", docx(DOCX[name]))
    assert content(draft).split("The zebra.")[1].split() == ["zebra"]
