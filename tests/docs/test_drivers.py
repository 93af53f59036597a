"""Run the programs of docs/guide/drivers.md where their drivers can be had."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from docs.conftest import Shell
from docs.markdown import Block, page
from support import npm

pytestmark = pytest.mark.any_version
NODE_PG = "pg@8.16.3"


def program(language: str) -> Block:
    (found,) = [block for block in page("docs/guide/drivers.md").blocks if block.language == language]
    return found


def test_node(filled: str, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(npm.installed(NODE_PG) / "node_modules")
    block = program("js")
    (tmp_path / "search.mjs").write_text(block.code)
    assert shell("node", "search.mjs").stdout == block.output


def test_asyncpg(filled: str, shell: Shell, tmp_path: Path) -> None:
    if importlib.util.find_spec("asyncpg") is None:
        pytest.skip("asyncpg is not installed")
    block = program("py")
    (tmp_path / "search.py").write_text(block.code)
    assert shell("python", "search.py").stdout == block.output
