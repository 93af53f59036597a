"""Running the command line in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from pgbraid.cli import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(dsn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("search", "fox")`, on the test's database."""
    monkeypatch.setenv("PGBRAID_DSN", dsn)

    def run_command(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["pgbraid", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        code = caught.value.code
        assert isinstance(code, int)
        return Outcome(code, out, err)

    return run_command
