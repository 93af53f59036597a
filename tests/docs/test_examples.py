"""Run every fenced block of README.md and docs/ as a reader would, page by page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

import pgbraid
from docs.conftest import Python, Shell
from docs.documents import PRICING_CALL, demo_documents
from docs.markdown import PAGES, README, ROOT, Block, Page, blocks
from pgbraid.embedders import LocalEmbedder
from pgbraid.install import choice, install, uninstall
from pgbraid_tools.cli.demo import SEARCHES
from support import npm
from support.json_server import JsonServer
from support.parts import DEFAULT
from support.postgrest import Gateway, token_for

pytestmark = pytest.mark.any_version
RUN = ("console", "python", "sql")
# Blocks without a language, or with text, are only read, such as an error, a formula or a piece of SQL. Other tests run
# the examples of the generated pages.
GENERATED = ("plpgsql", "py", "sh")
LANGUAGES = {*RUN, *GENERATED, "go", "js", "json", "mermaid", "ruby", "text", ""}


def each(language: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", blocks(language), ids=str)


def test_every_block_has_a_test() -> None:
    assert {block.language for page in PAGES for block in page.blocks} <= LANGUAGES
    # A block below another shows its output only if its language is text.
    for page in PAGES:
        assert page.text.count("```text\n") == sum(
            (block.language == "text") + (block.output is not None) for block in page.blocks
        )


# Run a page from its first block to its last


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page is not README and any(block.language in RUN for block in page.blocks)],
    ids=str,
)
def test_page(
    page: Page,
    filled: str,
    shell: Shell,
    python: Python,
    service: JsonServer,
    files: None,
    forget_roles: Callable[..., None],
) -> None:
    run(page.blocks, filled, shell, python, service, forget_roles)


def test_readme(
    dsn: str,
    shell: Shell,
    python: Python,
    service: JsonServer,
    files: None,
    forget_roles: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """README.md writes its documents itself, and needs only the parts of a new database."""
    uninstall(dsn)
    monkeypatch.setattr(choice, "default_parts", DEFAULT)
    assert "reranking" not in install(dsn).parts
    run([block for block in README.blocks if block != demo()], dsn, shell, python, service, forget_roles)


def run(
    page: Sequence[Block],
    dsn: str,
    shell: Shell,
    python: Python,
    service: JsonServer,
    forget_roles: Callable[..., None],
) -> None:
    for block in page:
        if block.language == "sql":
            forget_roles(*re.findall(r"^create role (\w+)", block.code, re.MULTILINE))
            output = run_sql(block, dsn, shell)
        elif block.language == "python":
            # The service that embeds is absent; a stand-in gives its answers.
            program = re.sub(r"http://localhost:\d+/v1", service.url, block.code)
            output = python(program)
        elif block.language == "console":
            output = "".join(run_command(command, shown, shell, block) for command, shown in commands(block))
        else:
            continue
        if block.language != "console":
            assert output.strip(), f"{block} gives nothing"
        if block.output is not None:
            assert_shown(block.output, output, block)


def run_sql(block: Block, dsn: str, shell: Shell) -> str:
    """Run a block; every select in it returns rows."""
    psql = ("psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--set", "QUIET=1", "--dbname", dsn)
    try:
        output = shell(*psql, stdin=block.code).stdout
    except AssertionError as error:
        raise AssertionError(f"{block}: {error}") from None
    counts = re.findall(r"^\((\d+) rows?\)$", output, re.MULTILINE)
    statements = re.sub(r"^select[^;\\]*\\gset$", "", block.code, flags=re.MULTILINE)
    assert len(counts) == len(re.findall(r"^(?:select|call)", statements, re.MULTILINE)), f"{block}:\n{output}"
    assert "0" not in counts, f"{block}:\n{output}"
    return output


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield each command with the output that the block shows below it."""
    for part in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run_command(command: str, shown: str, shell: Shell, block: Block) -> str:
    program, argument, *more = command.split()
    if program == ".venv/bin/python":
        assert all((ROOT / path).exists() for path in more if path.startswith("tests/")), f"{block}: {command}"
        return ""
    if program == "make":
        assert argument in make_targets()
        return ""
    if program == "pip":
        # The tests of the wheel install the packages.
        extras = re.findall(r"(?:pgbraid|python)\[([\w,-]+)\]", command)
        assert extras
        assert set(",".join(extras).split(",")) <= set(metadata.metadata("pgbraid").get_all("Provides-Extra") or ())
        return ""
    assert program == "pgbraid", f"{block}: {command}"
    done = shell(command)
    assert "warning" not in done.stdout
    assert "not embedded" not in done.stderr
    if argument in SAID:
        assert re.search(SAID[argument], done.stdout), f"{block}: {done.stdout}"
    if shown.strip():
        assert_shown(shown, done.stdout, block)
    return done.stdout


SAID = {
    "init": r"pgbraid \S+ is (brought )?up to date",
    "ingest": r"(?:[1-9]\d* indexed|[1-9]\d* unchanged), .* 0 failed",
    "import": r"[1-9]\d* documents?: .* [1-9]\d* chunks written\nsource: ",
    "search": r" 1\. .*\n    score ",
}


def assert_shown(shown: str, output: str, block: Block) -> None:
    """Check the output: an ellipsis on a line of its own stands for any lines, an ellipsis in a line for any
    characters."""
    pattern = "\n".join(
        r"(?:.*\n)*.*" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*")
        for line in shown.strip("\n").splitlines()
    )
    stripped = "\n".join(line.rstrip() for line in output.strip("\n").splitlines())
    assert re.fullmatch(pattern, stripped), f"{block} shows\n{shown}\nand gives\n{output}"


@pytest.fixture
def files(dsn: str, tmp_path: Path) -> None:
    """Create what the commands read: files, and a table with vectors."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "call.md").write_text("# Seats\n\nThey object to the price per seat.\n")
    (tmp_path / "papers.jsonl").write_text('{"external_id": "paper-1", "content": "Of seats and prices."}\n')
    (tmp_path / "topics.tsv").write_text("q1\tprice objections\nq2\texport error\n")
    (tmp_path / "judged.qrels").write_text("q1 0 call-1 2\nq1 0 call-2 1\nq2 0 ticket-1 2\n")
    (tmp_path / "now.json").write_text('{"mode": "full_text", "match": "all"}')
    (tmp_path / "new.json").write_text('{"fusion": "rrf"}')
    (tmp_path / "articles.csv").write_text("nr,headline,body\n1,Seats,They object to the price per seat.\n")
    (tmp_path / "events.json").write_text('[{"id": "e1", "payload": {"message": "The seat is broken."}}]')
    for export in (ROOT / "tests" / "support" / "exports").iterdir():
        (tmp_path / export.name).write_bytes(export.read_bytes())
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("create table items (id int primary key, body text, embedding vector(384))")
        connection.execute(
            "insert into items select n, 'item ' || n, array_fill(n::real, '{384}')::vector"
            " from generate_series(1, 3) n"
        )


@pytest.fixture
def service() -> Iterator[JsonServer]:
    """Yield a service like OpenAI's that embeds, and answers a chat with the passage that is cited as [1]."""

    def answer(body: Any) -> Any:
        if "messages" in body:
            cited = re.search(r"^\[1\] (.+)$", body["messages"][-1]["content"], re.MULTILINE)
            assert cited, body
            return {"choices": [{"message": {"role": "assistant", "content": f"{cited[1]} [1]"}}]}
        return {
            "data": [
                {"index": place, "embedding": np.random.default_rng(len(text)).random(8).tolist()}
                for place, text in enumerate(body["input"])
            ]
        }

    with JsonServer(answer) as server:
        yield server


# Run the demo


def demo() -> Block:
    (found,) = [block for block in README.blocks if block.code.startswith("$ make demo ")]
    return found


def test_the_demos_searches(dsn: str, embedder: LocalEmbedder, shell: Shell) -> None:
    """The demo indexes the documentation of the running Python, so its numbers vary; its searches do not."""
    filters = {query: f" --filters '{json.dumps(given)}'" if given else "" for _, query, given in SEARCHES}
    searches = [command for command, _ in commands(demo()) if command.startswith("pgbraid search ")]
    assert searches
    assert set(searches) <= {
        f'pgbraid search "{query}" --collection demo -k 3{given}' for query, given in filters.items()
    }
    with pgbraid.connect(dsn, embedder=embedder) as client:
        client.create_collection("demo")
        client.add_documents(demo_documents(), collection="demo")
        client.embed_pending("demo")
    for command in searches:
        run_command(command, "", shell, demo())


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


# Read JSON: filters and options


@each("json")
def test_json(block: Block, filled: str) -> None:
    given = json.loads(block.code)
    with pgbraid.connect(filled) as client:
        if "boosts" in given:
            for fusion in ("rrf", "convex"):
                found = client.search("pricing objections", fusion=fusion, options=given)
                assert {len(result.boosts or []) for result in found} == {len(given["boosts"])}
        elif "ranking" in given:
            assert client.search("pricing objections", options=given)
        else:
            found = client.search("pricing objections", filters=given)
            assert [result.external_id for result in found] == [PRICING_CALL]


# Run JavaScript

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


# test_drivers.py runs the programs of other drivers.
@pytest.mark.parametrize("block", [block for block in blocks("js") if "supabase" in block.code], ids=str)
def test_javascript(block: Block, postgrest: Gateway, shell: Shell) -> None:
    packages = npm.installed(npm.SUPABASE_JS)
    vector = shell("pgbraid", "vector", "price objections").stdout
    # Node looks imports up in node_modules beside the script.
    script = packages / f"{Path(block.page).stem}-{block.line}.mjs"
    script.write_text(HARNESS.format(code=block.code))
    env = {"URL": postgrest.url, "TOKEN": token_for("acme"), "EMBEDDING": vector}
    answer = json.loads(shell("node", str(script), **env).stdout)
    script.unlink()
    assert answer["error"] is None
    assert {row["speaker"] for row in answer["data"]} == {"Ana"}
    assert answer["data"][0]["external_id"] == PRICING_CALL
    assert answer["data"][0]["semantic_rank"] is not None
