"""Test pgbraid judge, line by line and on a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pgbraid
from support.waiting import PATIENCE

pytestmark = pytest.mark.any_version
Run = Callable[..., Any]
HOSTILE = "a fox \x1b[2J<b>& jumps"


@pytest.fixture
def asked(client: pgbraid.Client) -> pgbraid.Client:
    client.add_documents(
        [
            {"external_id": "fox", "content": HOSTILE, "title": "Of\x1b[31m foxes"},
            {"external_id": "dog", "content": "the lazy dog sleeps"},
            {"external_id": "both", "content": "a fox and a dog"},
        ]
    )
    client.create_query_set("asked")
    client.store_queries("asked", [{"query_id": "1", "text": "fox"}, {"query_id": "2", "text": "dog"}])
    return client


@pytest.fixture
def config(tmp_path: Path) -> tuple[object, ...]:
    for name, match in (("now", "any"), ("new", "all")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"mode": "full_text", "match": match}))
    return ("--config", tmp_path / "now.json", "--config", tmp_path / "new.json")


def grades(client: pgbraid.Client, judge: str = "default") -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for query in ("1", "2"):
        rows = client.connection.execute("select * from braid.list_judgments('asked', %s)", (query,)).fetchall()
        found |= {(query, row[0]): row[3] for row in rows if row[2] == judge}
    return found


@pytest.fixture
def judge(run: Run, config: tuple[object, ...], monkeypatch: pytest.MonkeyPatch) -> Run:
    def judge(keys: str, *more: object) -> Any:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{key}\n" for key in keys)))
        return run("judge", "asked", *config, *more)

    return judge


def test_each_line_is_a_grade(judge: Run, asked: pgbraid.Client) -> None:
    done = judge("3012")
    assert (done.code, done.err) == (0, "")
    found = grades(asked)
    assert found.keys() == {("1", "fox"), ("1", "both"), ("2", "dog"), ("2", "both")}
    # The grades follow the order in which the results were shown.
    shown = re.findall(r"query (\d) of 2, result (\d) of 2\n(\w+)\n(.*)\n", done.out)
    assert [(query, place) for query, place, *_ in shown] == [("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]
    titles = {"Of\ufffd[31m foxes": "fox"}
    assert [found[query, titles.get(name, name)] for query, _, _, name in shown] == [3, 0, 1, 2]
    assert done.out.endswith("4 graded, nothing is left\n")
    assert "\x1b" not in done.out
    assert "a fox \ufffd[2J<b>& jumps" in done.out
    assert not {"now", "new"} & set(re.findall(r"\w+", done.out))
    assert judge("3").out == "0 graded, nothing is left\n"
    # Another judge begins with no grades.
    assert judge("q", "--judge", "ana").out.endswith("0 graded\n")


def test_a_session_goes_on_where_the_last_one_ended(judge: Run, asked: pgbraid.Client) -> None:
    first = judge("2s")
    assert first.out.endswith("1 graded, 1 skipped\n")
    (graded,) = grades(asked)
    assert list(grades(asked).values()) == [2]
    second = judge("111")
    assert second.out.endswith("3 graded, nothing is left\n")
    assert len(grades(asked)) == 4
    assert grades(asked)[graded] == 2


def test_the_last_grade_is_taken_back(judge: Run, asked: pgbraid.Client) -> None:
    done = judge("u3uu")
    assert done.out.count("nothing to take back in this session") == 2
    assert done.out.count("result 1 of 2") == 2
    assert grades(asked) == {}
    done = judge("01suu2q")
    assert sorted(grades(asked).values()) == [0, 2]
    assert done.out.endswith("2 graded\n")


def test_what_is_no_key_is_explained(judge: Run, asked: pgbraid.Client) -> None:
    done = judge("4x?q")
    assert done.code == 0
    assert done.out.count("3  is about just this") == 3
    assert grades(asked) == {}


def test_the_order_follows_the_seed(judge: Run, asked: pgbraid.Client) -> None:
    asked.add_documents([{"external_id": f"fox{n}", "content": "fox"} for n in range(8)])

    def order(*more: object) -> list[str]:
        return re.findall(r"result \d+ of \d+\nfox\n(.*)\n", judge("ssssssss", *more).out)

    assert order() == order()
    assert order() != order("--seed", 1)
    assert len(order("--depth", 3)) < 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], 'query set "none" does not exist'),
        (["asked"], "1 of 1 queries have no embedding"),
        (["asked", "--depth", "0"], "--depth"),
        (["asked", "--config", "wrong.json"], 'configuration has the unknown key "limit"'),
        (["asked", "--config", "list.json"], "list.json is no JSON object"),
    ],
)
@pytest.mark.usefixtures("asked")
def test_what_cannot_be_judged_is_an_error(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.json").write_text('{"limit": 3}')
    Path("list.json").write_text("[]")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    done = run("judge", *arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


class Terminal:
    """Run the program on a terminal of its own."""

    def __init__(self, dsn: str, arguments: tuple[object, ...]) -> None:
        self.ours, theirs = pty.openpty()
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from pgbraid.cli import main; main()", "judge", "asked", *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "PGBRAID_DSN": dsn, "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
        )
        self.shown = ""

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown
            if select.select([self.ours], [], [], 0.1)[0]:
                self.shown += os.read(self.ours, 4096).decode()
        self.shown = self.shown.partition(text)[2]

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal(dsn: str, asked: pgbraid.Client, config: tuple[object, ...]) -> Iterator[Terminal]:
    opened = Terminal(dsn, config)
    try:
        opened.wait_for("u, q, ? ")
        yield opened
    finally:
        opened.close()


def test_keys_of_a_terminal_are_grades(terminal: Terminal, asked: pgbraid.Client) -> None:
    terminal.press("3")
    terminal.wait_for("result 2 of 2")
    assert list(grades(asked).values()) == [3]
    # The escape sequence of the insert key contains 2, which is no grade.
    terminal.press("\x1b[2~")
    terminal.wait_for("u  undo")
    terminal.wait_for("u, q, ? ")
    assert list(grades(asked).values()) == [3]
    # Keys typed ahead count; marked words are bold.
    terminal.press("1u0q")
    terminal.wait_for("\x1b[1mfox\x1b[0m")
    terminal.wait_for("2 graded")
    assert terminal.process.wait(PATIENCE) == 0
    assert sorted(grades(asked).values()) == [0, 3]
    assert termios.tcgetattr(terminal.theirs) == terminal.before


@pytest.mark.parametrize(("end", "code"), [("\x03", 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9), ("\x04", 0)])
def test_what_ends_a_session_loses_nothing(
    terminal: Terminal, asked: pgbraid.Client, end: str | signal.Signals, code: int
) -> None:
    terminal.press("2")
    terminal.wait_for("u, q, ? ")
    if isinstance(end, str):
        terminal.press(end)
    else:
        terminal.process.send_signal(end)
    assert terminal.process.wait(PATIENCE) == code
    assert list(grades(asked).values()) == [2]
    if end != signal.SIGKILL:
        assert termios.tcgetattr(terminal.theirs) == terminal.before
