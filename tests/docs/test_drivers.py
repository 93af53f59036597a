"""Run the programs of docs/guide/node.md, rails.md and drivers.md where their drivers can be had."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from docs.conftest import Shell
from docs.markdown import Block, page
from support import npm

pytestmark = pytest.mark.any_version
NODE = ("pg@8.16.3", "drizzle-orm@0.45.4")
DEBIANS_GO = Path("/usr/share/gocode")


def programs(name: str, language: str) -> list[Block]:
    return [block for block in page(f"docs/guide/{name}.md").blocks if block.language == language]


@pytest.fixture
def accounts(filled: str) -> str:
    """Create the table that the programs join, and return the DSN."""
    (block,) = programs("node", "sql")
    with psycopg.connect(filled, autocommit=True) as db:
        db.execute(block.code.encode())
    return filled


def test_node(accounts: str, shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(npm.installed(*NODE) / "node_modules")
    blocks = [block for block in programs("node", "js") if "prisma" not in block.code]
    assert len(blocks) == 2
    for block in blocks:
        (tmp_path / "search.mjs").write_text(block.code)
        assert shell("node", "search.mjs").stdout == block.output


def test_asyncpg(filled: str, shell: Shell, tmp_path: Path) -> None:
    if importlib.util.find_spec("asyncpg") is None:
        pytest.skip("asyncpg is not installed")
    (block,) = programs("drivers", "py")
    (tmp_path / "search.py").write_text(block.code)
    assert shell("python", "search.py").stdout == block.output


def test_go(filled: str, shell: Shell, tmp_path: Path) -> None:
    """Build with pgx as Debian has it, since the tests fetch no modules of Go."""
    if not shutil.which("go"):
        pytest.skip("go is not installed")
    if not (DEBIANS_GO / "src/github.com/jackc/pgx/v4").is_dir():
        pytest.skip("pgx is not installed: Debian's package is golang-github-jackc-pgx-v4-dev")
    (block,) = programs("drivers", "go")
    imported = '"github.com/jackc/pgx/v5/stdlib"'
    assert block.code.count(imported) == 1
    (tmp_path / "main.go").write_text(block.code.replace(imported, imported.replace("v5", "v4")))
    assert shell("gofmt", "-l", "main.go").stdout == ""
    done = shell("go", "run", "main.go", GO111MODULE="off", GOPATH=str(DEBIANS_GO))
    assert done.stdout == block.output


def test_rails(accounts: str, shell: Shell, tmp_path: Path) -> None:
    ruby = shutil.which("ruby")
    if ruby is None:
        pytest.skip("ruby is not installed")
    if subprocess.run([ruby, "-e", "require 'active_record'; require 'pg'"], capture_output=True).returncode:
        pytest.skip("activerecord or pg is not installed: Debian's packages are ruby-activerecord and ruby-pg")
    (block,) = programs("rails", "ruby")
    (tmp_path / "search.rb").write_text(block.code)
    dsn = conninfo_to_dict(accounts)
    # A URL of Rails has no socket, so libpq's variables name it.
    server = {f"PG{name.upper()}": str(dsn[name]) for name in ("host", "port", "user") if name in dsn}
    done = shell(ruby, "search.rb", **server, DATABASE_URL=f"postgresql:///{dsn['dbname']}")
    assert done.stdout == block.output
