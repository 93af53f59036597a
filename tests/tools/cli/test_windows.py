"""Test on this machine what Windows meets: no modules of POSIX, another event loop, line ends and encodings of its
own."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import click
import pytest
from tools.cli.conftest import Run

import pgbraid
from docs.markdown import Page, code
from pgbraid.cli import cli
from pgbraid_tools.files import reader_process
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version

ROOT = Path(__file__).parents[3]
COMMANDS = set(cli.list_commands(click.Context(cli)))
# Windows has none of these modules: https://docs.python.org/3/library/unix.html
PRETEND = """
import asyncio, getpass, shutil, signal, subprocess, sys, tempfile
import click, mcp.server.stdio, psycopg, uvicorn
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
asyncio.ProactorEventLoop = type("ProactorEventLoop", (asyncio.SelectorEventLoop,), {})
asyncio.DefaultEventLoopPolicy._loop_factory = asyncio.ProactorEventLoop
asyncio.WindowsSelectorEventLoopPolicy = type(
    "WindowsSelectorEventLoopPolicy", (asyncio.DefaultEventLoopPolicy,), {"_loop_factory": asyncio.SelectorEventLoop}
)
sys.platform = "win32"
from pgbraid.cli import main
main()
"""


def windows(*arguments: str | Path, dsn: str | None = None, **environment: str) -> subprocess.Popen[bytes]:
    """Start a command as if on Windows."""
    inherited = {name: value for name, value in os.environ.items() if name != "PGBRAID_DSN"}
    return subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PRETEND, *arguments],
        env={**inherited, **({} if dsn is None else {"PGBRAID_DSN": dsn}), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def done(*arguments: str | Path, dsn: str | None = None, **environment: str) -> tuple[int, str, str]:
    with windows(*arguments, dsn=dsn, **environment) as process:
        out, err = process.communicate(timeout=PATIENCE * 10)
        return process.returncode, out.decode(), err.decode()


# The embedded server

ALONE = (
    *("bench", "demo", "distribute", "doctor", "dsn", "init", "list", "maintain", "mcp", "measure-index-recall"),
    *("pg_dump", "psql", "rebalance", "status", "stop", "uninstall", "upgrade", "workbench"),
)
# A command reaches its database with these arguments.
ARGUMENTS: dict[str, list[str]] = {
    **{name: [] for name in ALONE},
    **{name: ["questions"] for name in ["eval", "judge", "learn", "tune"]},
    **{name: ["list"] for name in ["jobs", "ranking-models", "rankings"]},
    **{name: ["fox"] for name in ["explain", "recall", "search", "show", "delete"]},
    "export-tenant": ["-"],
    "import": ["items", "--id-column=id", "--text-column=body"],
    "import-tenant": ["-"],
    "ingest": ["{file}", "--source", "s"],
    "judgments": ["load", "questions", "--qrels={qrels}", "--topics={topics}"],
    "move-tenant": ["acme", "node:5432"],
    "work": ["--once"],
}


@pytest.mark.parametrize("command", sorted(ARGUMENTS))
def test_without_a_database_a_command_says_what_to_do(
    command: str, monkeypatch: pytest.MonkeyPatch, run: Run, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# Fox\n")
    # These libraries look at the platform when they are imported.
    for name in ("mcp.server.stdio", "uvicorn"):
        importlib.import_module(name)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("PGBRAID_DSN")
    (tmp_path / "topics.tsv").write_text("q1\tprice\n")
    (tmp_path / "qrels.txt").write_text("q1 0 call-1 2\n")
    files = {"file": tmp_path / "notes.md", "topics": tmp_path / "topics.tsv", "qrels": tmp_path / "qrels.txt"}
    given = [argument.format(**files) for argument in ARGUMENTS[command]]
    outcome = run(command, *given)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines() == [
        "pgbraid: the embedded PostgreSQL does not run on Windows",
        "hint: use WSL, or set PGBRAID_DSN to a PostgreSQL 16+ that has pgvector",
    ]


def test_commands_need_no_module_that_windows_lacks(dsn: str, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "fox.md").write_bytes("\ufeff# Füchse\r\n\r\nDer schnelle Fuchs.\r\n".encode())
    code, out, err = done("ingest", tmp_path / "notes", "--source", "notes", "--no-embed", dsn=dsn)
    assert code == 0 and "1 inserted" in out, err
    for arguments in (["status"], ["list"], ["show", "notes/fox.md"], ["doctor", "--json"], ["work", "--once"]):
        code, out, err = done(*arguments, dsn=dsn)
        assert code in (0, 1) and out, err
        assert "Traceback" not in err and "missing" not in err
    code, out, err = done("bundle", "--output", tmp_path / "pgbraid.sql")
    assert code == 0 and b"\r" not in (tmp_path / "pgbraid.sql").read_bytes(), err
    code, out, err = done("psql", "-c", "select 1", dsn=dsn, PATH=str(tmp_path))
    assert (code, err) == (2, "pgbraid: there is no psql on this machine\nhint: install PostgreSQL's client\n")


def test_psql_runs_in_a_process_of_its_own(dsn: str, tmp_path: Path) -> None:
    program = tmp_path / "psql.EXE"
    program.write_text('#!/bin/sh\nprintf "%s|" "$@" "$PGPASSFILE"\ncat "$PGPASSFILE"\nexit 3\n')
    program.chmod(0o755)
    (tmp_path / "postgresql").mkdir()
    (tmp_path / "postgresql" / "pgpass.conf").write_text("other:5432:*:ben:word\n")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    named = {"PATH": path, "PATHEXT": ".EXE", "APPDATA": str(tmp_path)}
    code, out, err = done("psql", "-c", "select 1", dsn="postgresql://ana:secret@db/notes", **named)
    assert (code, err) == (3, "")
    *arguments, file, passwords = out.split("|")
    assert arguments == ["-c", "select 1"]
    assert passwords == "db:5432:*:ana:secret\nother:5432:*:ben:word\n"
    assert not Path(file).exists()


def test_the_workbench_runs_in_a_loop_that_psycopg_can_use(dsn: str) -> None:
    """psycopg refuses Windows' default loop, which the pretended platform has."""
    with windows("workbench", "--http", "127.0.0.1:0", dsn=dsn) as process:
        assert process.stdout is not None and process.stderr is not None
        address = process.stdout.readline().decode().partition("#")[0]
        try:
            assert address, process.stderr.read().decode()
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                assert b"<title>pgbraid" in answer.read()
        finally:
            process.kill()


def test_the_process_that_reads_files_is_not_ended_by_its_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a virtual environment on Windows, python.exe starts another one, so the parent has another number."""
    monkeypatch.setattr(sys, "platform", "win32")
    before = {*threading.enumerate()}
    reader_process._end_with(-1)
    assert {*threading.enumerate()} <= before


# Output


def test_output_to_a_file_is_utf_8(dsn: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 価格\n\nThe price 価格 per seat 🦊.\n", encoding="utf-8")
    code, _, err = done("ingest", tmp_path / "a.md", "--source", "s", "--no-embed", dsn=dsn, PYTHONIOENCODING="cp1252")
    assert code == 0, err
    code, out, err = done("search", "price", "--mode", "full_text", "--json", dsn=dsn, PYTHONIOENCODING="cp1252")
    assert code == 0, err
    assert "価格 per seat 🦊" in json.loads(out)["results"][0]["content"]


def test_a_character_that_the_locale_lacks_is_escaped(dsn: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 価格\n\nThe price 価格 per seat.\n", encoding="utf-8")
    environment = {**os.environ, "PGBRAID_DSN": dsn, "PYTHONIOENCODING": "latin-1"}
    program = [sys.executable, "-c", "from pgbraid.cli import main; main()"]
    for arguments in (["ingest", tmp_path / "a.md", "--source", "s", "--no-embed"], ["search", "price"]):
        found = subprocess.run([*program, *arguments], env=environment, capture_output=True)
        assert found.returncode == 0, found.stderr
    assert b"The price \\u4fa1\\u683c per seat." in found.stdout


# Files


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_of_windows_change_nothing(
    run: Run, client: pgbraid.Client, tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same files give the same chunks with CRLF, with and without a byte order mark."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "a.md": "# Seats\n\nThey object to the price.\n\n- per seat\n- per team\n",
        "b.txt": "One line.\n\nAnother line.\n",
        "c.csv": 'id,title,content\nc1,Seats,"The price\nper seat"\n',
        "d.jsonl": '{"id": "d1", "content": "of seats"}\n{"id": "d2", "content": "of teams"}\n',
    }
    chunks: dict[str, dict[str, list[str | None]]] = {}
    for name, end in (("unix", "\n"), ("windows", "\r\n")):
        (tmp_path / name).mkdir()
        for file, text in texts.items():
            written = (mark if name == "windows" else "") + text.replace("\n", end)
            (tmp_path / name / file).write_bytes(written.encode())
        outcome = run("ingest", name, "--source", name, "--no-embed")
        assert outcome.code == 0, outcome.err
    for listed in client.list_documents():
        document = client.get_document(listed.external_id)
        assert document is not None
        folder, _, name = document.external_id.partition("/")
        chunks.setdefault(folder, {})[name] = [document.title, *(each.content for each in document.chunks)]
    assert len(chunks["unix"]) == 5
    assert chunks["windows"] == chunks["unix"]


def test_settings_written_by_a_windows_editor_are_read(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "now.json"
    file.write_bytes('\ufeff{"mode": "full_text"}\r\n'.encode())
    queries = tmp_path / "queries.tsv"
    queries.write_bytes("\ufeffq1\tprice\r\nq2\tseats\r\n".encode())
    judged = tmp_path / "judged.qrels"
    judged.write_bytes("\ufeffq1 0 call-1 2\r\nq2 0 call-1 1\r\n".encode())
    outcome = run("judgments", "load", "questions", "--qrels", judged, "--topics", queries)
    assert outcome.code == 0, outcome.err
    outcome = run("eval", "questions", "--config", file, "--json")
    assert outcome.code == 0, outcome.err


# Git


def test_git_leaves_line_ends_alone() -> None:
    """Migrations have checksums and containers run scripts, so that a checkout on Windows keeps LF."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    listed = subprocess.run(
        ["git", "ls-files", "--eol", "--", "sql", "migrations", "docker", "docs", ".ci", "Makefile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    texts = [line for line in listed if "i/lf" in line]
    assert len(texts) > 500
    assert [line for line in listed if "crlf" in line] == []
    assert [line for line in texts if "eol=lf" not in line] == []
    assert [line for line in listed if "i/-text" in line and "attr/-text" not in line] == []


def test_the_page_names_commands_that_exist() -> None:
    page = Page(ROOT / "docs" / "guide" / "platforms.md")
    (listed,) = [table for table in page.tables if table.heading[0] == "commands"]
    named = [name for row in listed.rows for name in code(row[0])]
    assert len(named) == len(set(named)) and set(named) <= COMMANDS
    # Each of them is tried above, or needs no database.
    assert set(named) - ARGUMENTS.keys() == {"bundle", "size", "vector"}
