"""Test pgbraid ingest: a file made to crash, hang or fill the memory ends the reader process, not the run."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from pgbraid_tools.errors import IngestError
from pgbraid_tools.files import reader_process
from pgbraid_tools.files.drafts import Input
from support.files import docx
from support.waiting import PATIENCE, until

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and /proc are Linux's")


def stream(data: bytes, more: bytes = b"") -> bytes:
    packed = zlib.compress(data)
    return b"<</Length %d/Filter/FlateDecode%s>>stream\n%s\nendstream" % (len(packed), more, packed)


def form_that_names_itself() -> bytes:
    names = b"/Resources<</XObject<</F 5 0 R>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/MediaBox[0 0 9 9]%s>>" % names,
        stream(b"/F Do "),
        stream(b"/F Do /F Do ", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]" + names),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )


def far_cells() -> bytes:
    office = "http://schemas.openxmlformats.org"
    main, ids = f"{office}/spreadsheetml/2006/main", f"{office}/officeDocument/2006/relationships"

    def cell(place: str) -> str:
        return f'<c r="{place}" t="inlineStr"><is><t>text</t></is></c>'

    def relation(kind: str, target: str) -> str:
        return (
            f'<Relationships xmlns="{office}/package/2006/relationships">'
            f'<Relationship Id="r1" Type="{ids}/{kind}" Target="{target}"/></Relationships>'
        )

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", relation("officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/_rels/workbook.xml.rels", relation("worksheet", "s.xml"))
        sheet = '<sheet name="a" sheetId="1" r:id="r1"/>'
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{ids}"><sheets>{sheet}</sheets></workbook>'
        )
        rows = f'<row r="1">{cell("A1")}</row><row r="1048576">{cell("XFD1048576")}</row>'
        archive.writestr("xl/s.xml", f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>')
    return made.getvalue()


def rows_of_one_text() -> bytes:
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    made = io.BytesIO()
    parquet.write_table(arrow.table({"text": arrow.array(["a" * 1_000_000] * 3_000)}), made, compression="zstd")
    return made.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "brackets.eml": lambda: b"From: " + b"(" * 400 + b"\nSubject: hi\n\nhi",
    "nested.eml": lambda: b"MIME-Version: 1.0\n" + b"Content-Type: message/rfc822\n\n" * 3_000 + b"hi",
    "parts.eml": lambda: b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (number, number) for number in range(1_500)
    ),
    "deep.json": lambda: b'{"text": "x", "deep": ' + b"[" * 900 + b"]" * 900 + b"}",
    "far.xlsx": far_cells,
    "form.pdf": form_that_names_itself,
    "one.parquet": rows_of_one_text,
}


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets limits in this process and in the reader process: `limit(CPU_SECONDS=1)`."""

    def set_limits(**limits: int) -> None:
        code = "import pgbraid_tools.files.reader_process as r; "
        for name, value in limits.items():
            monkeypatch.setattr(reader_process, name, value)
            code += f"r.{name} = {value}; "
        start = reader_process._START.replace("from pgbraid", f"{code}from pgbraid")
        monkeypatch.setattr(reader_process, "_START", start)

    return set_limits


@needs_linux
def test_files_that_ended_the_run_are_named_and_the_rest_is_indexed(
    run: Run, client: pgbraid.Client, tmp_path: Path, limit: Callable[..., None]
) -> None:
    limit(MEMORY_BYTES=300_000_000, CPU_SECONDS=1)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content())
    for name in ("a.txt", "fog.md", "z.txt"):
        (tmp_path / name).write_text(f"A zebra in {name}.")
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code in (0, 1)
    assert "Traceback" not in done.err
    told = [name for name in FILES if f"failed: {tmp_path}/{name}: " in done.err]
    assert {"far.xlsx", "form.pdf", "one.parquet"} <= set(told)
    found = {row.external_id for row in client.search("zebra", mode="full_text")}
    assert found == {f"{tmp_path}/{name}" for name in ("a.txt", "fog.md", "z.txt")}
    # No part of a file that crashed is stored.
    stored = {document.metadata["ingest"]["path"] for document in client.list_documents(match_count=10_000)}
    assert not stored & set(told)
    assert f"{len(told)} failed" in done.out


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_numbers_with_long_exponents(run: Run, client: pgbraid.Client, tmp_path: Path, name: str) -> None:
    lines = ['{"id": 1, "text": "zebra"}', '{"id": 2, "text": "lion", "importance": 1e99999999999999999999}']
    (tmp_path / name).write_text("\n".join([*lines, '{"id": 3, "text": "lynx"}']))
    (tmp_path / "b.txt").write_text("giraffe")
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 1
    place = f"{tmp_path}/{name}{':2' if name == 'a.jsonl' else ''}"
    assert f"failed: {place}: a number with a longer exponent than can be read" in done.err
    assert [row.content for row in client.search("giraffe", mode="full_text")] == ["giraffe"]
    assert [row.content for row in client.search("zebra", mode="full_text")] == ["zebra"]
    if name == "a.jsonl":
        assert client.count() == 3


@pytest.fixture
def reader_of(library: Callable[..., None]) -> Callable[[str], None]:
    """Return a function that replaces the DOCX reader: `reader_of(code)` runs the code with the file's path in
    `path`."""

    def write(code: str) -> None:
        library(
            "mammoth",
            "from types import SimpleNamespace as N\n"
            "images = N(img_element=lambda f: None)\n"
            "def convert_to_html(source, **options):\n"
            "    path = source.name\n"
            f"    if 'bad' in path:\n        {code}\n"
            "    return N(value='<p>zebra</p>', messages=[])\n",
        )

    return write


FAILURES = {
    "a crash": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "(SIGSEGV)"),
    "an abort": ("import os; os.abort()", "(SIGABRT)"),
    "an exit": ("import os; os._exit(7)", "(exit code 7)"),
    "no Exception": ("raise type('PanicException', (BaseException,), {})('overflow')", "PanicException: overflow"),
    "memory": ("b = bytearray(3_000_000_000)", "MB of memory"),
    "a loop": ("exec('while True: pass')", "takes more than 1 s of CPU to read"),
    "waiting": ("import time; time.sleep(60)", "takes more than 2 s to read"),
    "printing": ("print('x' * 1_000_000)", None),
}


@needs_linux
@pytest.mark.parametrize("name", FAILURES)
def test_whatever_a_library_does(
    run: Run,
    client: pgbraid.Client,
    tmp_path: Path,
    limit: Callable[..., None],
    reader_of: Callable[[str], None],
    name: str,
) -> None:
    code, message = FAILURES[name]
    reader_of(code)
    limit(CPU_SECONDS=1, CPU_SECONDS_A_BYTE=0, CLOCK_FACTOR=2 if name == "waiting" else 1_000)
    folder = tmp_path / "f"
    folder.mkdir()
    for file in ("a.docx", "bad.docx", "good.docx"):
        (folder / file).write_bytes(docx())
    done = run("ingest", folder, "--no-embed")
    bad = [] if message is None else ["bad.docx"]
    assert done.code == len(bad)
    assert f"{3 - len(bad)} indexed, 0 unchanged, 0 skipped, {len(bad)} failed" in done.out
    stored = [document.external_id for document in client.list_documents()]
    assert stored == [f"{folder}/{file}" for file in ("a.docx", "bad.docx", "good.docx") if file not in bad]
    if message:
        (told,) = [line for line in done.err.splitlines() if line.startswith("failed: ")]
        assert told.startswith(f"failed: {folder}/bad.docx: ") and message in told
        assert "hint: " in done.err


@needs_linux
def test_a_book_that_repeats_a_chapter_without_end(
    run: Run, client: pgbraid.Client, tmp_path: Path, limit: Callable[..., None]
) -> None:
    limit(OUTPUT_BYTES=1_000_000, CPU_SECONDS=2)
    spine = '<itemref idref="a"/>' * 20_000
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="b.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest><item id="a" href="a.html"/></manifest>'
            f"<spine>{spine}</spine></package>",
        )
        archive.writestr("a.html", f"<pre>{'words of a chapter ' * 5_000}</pre>")
    (tmp_path / "a.epub").write_bytes(made.getvalue())
    (tmp_path / "b.txt").write_text("zebra")
    done = run("ingest", tmp_path, "--no-embed")
    assert done.code == 1
    assert f"failed: {tmp_path}/a.epub: " in done.err
    assert [document.external_id for document in client.list_documents()] == [f"{tmp_path}/b.txt"]


def test_text_that_grows_without_end(tmp_path: Path, limit: Callable[..., None]) -> None:
    limit(OUTPUT_BYTES=1, OUTPUT_BYTES_A_BYTE=1)
    path = tmp_path / "a.txt"
    path.write_text("zebra")
    reader = reader_process.ReaderProcess()
    try:
        ((drafts),) = reader.read([Input(path, "a.txt", 5, "text", "a")])
        with pytest.raises(IngestError, match="becomes more than 0 MB of text"):
            list(drafts)
    finally:
        reader.close()


def test_what_is_read_in_a_folder_of_modules(
    run: Run, client: pgbraid.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of the working folder are never run, whatever their names."""
    for name in ("json.py", "pickle.py", "pgbraid.py"):
        (tmp_path / name).write_text("raise SystemExit('run')")
    (tmp_path / "a.jsonl").write_text('{"external_id": "a", "content": "zebra"}\n')
    monkeypatch.chdir(tmp_path)
    assert run("ingest", tmp_path, "--no-embed").code == 0
    assert client.count() == 4


def _children(pid: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(status.parent.name))
    return found


@needs_linux
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_process_is_left_behind(
    client: pgbraid.Client, dsn: str, tmp_path: Path, reader_of: Callable[[str], None], sent: signal.Signals
) -> None:
    reader_of("exec('while True: pass')")
    (tmp_path / "bad.docx").write_bytes(docx())
    environment = {**os.environ, "PGBRAID_DSN": dsn, "PYTHONPATH": sys.path[0]}
    command = [sys.executable, "-c", "from pgbraid.cli import main; main()", "ingest", str(tmp_path / "bad.docx")]
    program = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    children: list[int] = []

    def has_children() -> bool:
        assert program.poll() is None
        children[:] = _children(program.pid)
        return bool(children)

    until(has_children)
    program.send_signal(sent)
    program.communicate(timeout=PATIENCE)
    (child,) = children
    # The kernel ends the process a while later.
    until(lambda: not Path(f"/proc/{child}").exists() or "State:\tZ" in Path(f"/proc/{child}/status").read_text())


def test_small_files_are_read_together(
    run: Run, client: pgbraid.Client, tmp_path: Path, reader_of: Callable[[str], None]
) -> None:
    """The files beside a file that crashes are still read, in their order."""
    reader_of("import os; os.abort()")
    for number in range(120):
        (tmp_path / f"{number:03}.txt").write_text(f"animal{number}")
    (tmp_path / "050-bad.docx").write_bytes(docx())
    done = run("ingest", tmp_path, "--no-embed", "--verbose")
    indexed = [line for line in done.err.splitlines() if line.startswith("indexed: ")]
    assert indexed == [f"indexed: {tmp_path}/{number:03}.txt" for number in range(120)]
    assert f"failed: {tmp_path}/050-bad.docx: crashes what reads it" in done.err
