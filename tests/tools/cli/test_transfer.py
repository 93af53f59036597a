"""Test pgbraid export-tenant and pgbraid import-tenant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pgbraid

pytestmark = pytest.mark.any_version

Run = Callable[..., Any]


def test_a_tenant_goes_through_a_file(run: Run, client: pgbraid.Client, tmp_path: Path) -> None:
    client.add_documents([{"external_id": "a", "title": "Ünïcode", "content": "A fox.\nAnother \u2028 line."}])
    client.create_tenant("copy")
    file = tmp_path / "tenant.jsonl"
    assert run("export-tenant", file) == (0, "", "")
    assert file.read_text(encoding="utf-8").count("\n") == 2
    assert run("import-tenant", "--tenant", "copy", file) == (0, "1 documents\n", "")
    assert run("export-tenant", "--tenant", "copy", "-").out == file.read_text(encoding="utf-8")


def test_what_goes_wrong_is_told_in_a_line(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("an earlier export")
    assert run("export-tenant", "--tenant", "nobody", kept).err.startswith('pgbraid: tenant "nobody"')
    assert kept.read_text() == "an earlier export"
    assert run("export-tenant", tmp_path / "nowhere" / "x").code == 2
    (tmp_path / "bad").write_text('\n{"document": {"ext')
    outcome = run("import-tenant", tmp_path / "bad")
    assert (outcome.code, outcome.err.count("\n")) == (2, 2)
    assert "line 2 is not JSON: Unterminated string starting at (character 15)" in outcome.err
    (tmp_path / "bad").write_text("[" * 200_000)
    assert run("import-tenant", tmp_path / "bad").err == "pgbraid: line 1 is JSON nested too deeply\n"
    (tmp_path / "bad").write_bytes(b"\xff")
    assert "a file is not UTF-8" in run("import-tenant", tmp_path / "bad").err
    assert run("import-tenant", tmp_path / "missing").code == 2


def test_a_tenant_without_documents_is_an_empty_file(run: Run, tmp_path: Path) -> None:
    assert run("export-tenant", tmp_path / "empty") == (0, "", "")
    assert (tmp_path / "empty").read_text() == ""
