"""Every fenced block of README.md, run as its reader would."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import psycopg
import pytest

import pgbraid
from pgbraid.cli.demo import SEARCHES
from readme.conftest import Shell
from readme.documents import PRICING_CALL
from readme.markdown import BLOCKS, Block, blocks
from support import npm
from support.postgrest import Gateway, token_for

ROOT = Path(__file__).parents[2]
LANGUAGES = {"console", "js", "json", "python", "sql"}


def each(language: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", blocks(language), ids=str)


def test_every_block_has_a_test() -> None:
    assert {block.language for block in BLOCKS} == LANGUAGES


# SQL


@each("sql")
def test_sql(block: Block, filled: str, shell: Shell, forget_roles: Callable[..., None]) -> None:
    forget_roles(*re.findall(r"^create role (\w+)", block.code, re.MULTILINE))
    psql = ("psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname", filled)
    rows = re.findall(r"^\((\d+) rows?\)$", shell(*psql, stdin=block.code).stdout, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^select", block.code, re.MULTILINE))
    assert "0" not in rows


# Python


@each("python")
def test_python(block: Block, filled: str, shell: Shell) -> None:
    output = shell("python", "-W", "error", "-c", block.code).stdout
    # What the block itself adds, else what is there.
    added = re.search(r'"content": "(.*)"', block.code)
    assert f"Pricing call {added[1] if added else PRICING_CALL['content']}" in output
    assert output.splitlines()[-1].endswith(" []"), "there are warnings"


# Filters


@each("json")
def test_json_filters_and_options(block: Block, filled: str) -> None:
    given = json.loads(block.code)
    with pgbraid.connect(filled) as client:
        if "boosts" in given:
            for fusion in ("rrf", "convex"):
                found = client.search("pricing objections", fusion=fusion, options=given)
                assert {len(result.boosts or []) for result in found} == {len(given["boosts"])}
        else:
            found = client.search("pricing objections", filters=given)
            assert [result.external_id for result in found] == [PRICING_CALL["external_id"]]


# Console


def commands(block: Block) -> list[str]:
    return [line[2:] for line in block.code.splitlines() if line.startswith("$ ")]


@pytest.fixture
def files(filled: str, tmp_path: Path) -> None:
    """What the commands read: files, and a table with vectors."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "call.md").write_text("# Seats\n\nThey object to the price per seat.\n")
    (tmp_path / "papers.jsonl").write_text(json.dumps({**PRICING_CALL, "external_id": "paper-1"}) + "\n")
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("create table items (id int primary key, body text, embedding vector(384))")
        connection.execute(
            "insert into items select n, 'item ' || n, array_fill(n::real, '{384}')::vector"
            " from generate_series(1, 3) n"
        )


SHOWN = {
    "init": r"pgbraid \S+ is (brought )?up to date",
    "ingest": r"2 documents: 2 inserted",
    "import": r"3 documents: 3 inserted, .* 3 chunks written",
    "search": r" 1\. .*\n    score ",
}


@pytest.mark.any_version
@each("console")
def test_console(block: Block, files: None, shell: Shell) -> None:
    for command in commands(block):
        program, argument, *_ = command.split()
        if program == "make":
            assert argument in make_targets()
        elif program == "pip":
            # Carried out by the tests of the wheel.
            extras = re.findall(r"pgbraid\[([\w,-]+)\]", command)
            assert extras
            assert set(",".join(extras).split(",")) <= set(metadata.metadata("pgbraid").get_all("Provides-Extra") or ())
        else:
            done = shell(command)
            assert re.search(SHOWN[argument], done.stdout)
            assert "warning" not in done.stdout
            assert "not embedded" not in done.stderr


def test_the_demos_output_is_the_demos() -> None:
    """Its numbers depend on the version of Python, whose documentation it indexes; its searches do not."""
    (demo,) = [block for block in blocks("console") if block.code.startswith("$ make demo\n")]
    filters = {query: f" --filters '{json.dumps(given)}'" if given else "" for _, query, given in SEARCHES}
    expected = [f'pgbraid search "{query}" -k 3{given}' for query, given in filters.items()]
    assert commands(demo)[1:] == expected


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


# JavaScript

HARNESS = """
import {{ createClient }} from '@supabase/supabase-js'

const {{ URL: url, TOKEN: token, EMBEDDING: text }} = process.env
const embedding = JSON.parse(text)
// Supabase's own gateway takes /rest/v1 away.
const direct = (address, options) => fetch(String(address).replace('/rest/v1', ''), options)
const supabase = createClient(url, token, {{
  auth: {{ persistSession: false }},
  global: {{ fetch: direct }},
  realtime: {{ transport: class {{}} }},  // Node before 22 has no WebSocket
}})

{code}
console.log(JSON.stringify({{ data, error }}))
"""


@pytest.mark.any_version
@each("js")
def test_javascript(block: Block, postgrest: Gateway, shell: Shell) -> None:
    packages = npm.installed(npm.SUPABASE_JS)
    vector = shell("pgbraid", "vector", "price objections").stdout
    script = packages / f"{block.line}.mjs"  # beside node_modules, where the import is looked up
    script.write_text(HARNESS.format(code=block.code))
    env = {"URL": postgrest.url, "TOKEN": token_for("acme"), "EMBEDDING": vector}
    answer = json.loads(shell("node", str(script), **env).stdout)
    script.unlink()
    assert answer["error"] is None
    assert [row["external_id"] for row in answer["data"]] == [PRICING_CALL["external_id"]]
    assert answer["data"][0]["semantic_rank"] == 1
