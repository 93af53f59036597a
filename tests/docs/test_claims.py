"""Check the functions, arguments, options, errors, commands and links that README.md and docs/ list."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import click
import psycopg
import pytest

import pgbraid
from docs.markdown import CHANGELOG, PAGES, README, ROOT, Page, Table, code, inline, page, tables
from docs.test_examples import make_targets
from pgbraid import errors
from pgbraid.cli import cli
from support.postgrest import Gateway, token_for

Connection = psycopg.Connection[Any]
JSON_TYPES = {
    bool: "boolean",
    str: "string",
    int: "number",
    float: "number",
    dict: "object",
    Mapping: "object",
    list: "array",
    Sequence: "array",
}
LONG = {"external_id": "long", "content": "Many words, one after the other. " * 20_000}


# Check functions, their arguments and options


def arguments(db: Connection, function: str) -> list[tuple[str, str]]:
    """Return the names and defaults of a function's arguments, as written in calls; nothing if there is no such
    function."""
    found = db.execute(
        """
        select p.proargnames[n], coalesce(pg_get_function_arg_default(p.oid, n), '')
        from pg_proc p, generate_series(1, p.pronargs) n
        where p.pronamespace = 'braid'::regnamespace and p.proname = %s
        order by n
        """,
        (function,),
    ).fetchall()
    return [(name, written(default)) for name, default in found]


def written(default: str) -> str:
    """Return a default as the pages write it: `'default'::text` as `'default'`, `NULL::text` as `null`."""
    bare = re.sub(r"::[\w\". ]+(\[\])?$", "", default)
    bare = bare.strip("()") if re.fullmatch(r"\([\d.-]+\)", bare) else bare
    if re.fullmatch(r"'[\d.-]+'", bare):
        return bare.strip("'")
    return bare.lower() if bare in ("NULL", "TRUE", "FALSE") else bare


def argument_tables() -> list[Table]:
    """Return the tables whose first line is a function's name and "default"."""
    return [
        table
        for found in PAGES
        for table in found.tables
        if len(table.heading) > 1 and table.heading[1] == "default" and code(table.heading[0])
    ]


def shown(table: Table) -> list[tuple[str, str]]:
    return [(code(row[0])[0], "".join(code(row[1])[:1])) for row in table.rows]


def test_tables_of_arguments(db: Connection) -> None:
    """A page may have tables of arguments; the reference has none, because it is made from sql/ and from signatures."""
    for table in argument_tables():
        (name,) = code(table.heading[0])
        assert shown(table) == arguments(db, name), f"{table.page}: {name}"


def test_what_has_the_same_arguments(db: Connection) -> None:
    assert arguments(db, "search_json") == arguments(db, "hybrid_search")
    assert arguments(db, "recall_json") == arguments(db, "recall")
    assert arguments(db, "explain_search") == [*arguments(db, "hybrid_search"), ("external_id", "null")]


def test_functions_shown_with_their_arguments(db: Connection) -> None:
    """Calls in the text, as `update_metadata(…, replace => true)`, name arguments that exist."""
    seen = 0
    for found in PAGES:
        for text in code(found.prose.replace("\n", " ")):
            for name, listed in re.findall(r"\b(\w+)\(([^()]*=>[^()]*)\)", text):
                if not name.startswith("pg_"):
                    there = {one for one, _ in arguments(db, name)}
                    assert set(re.findall(r"(\w+) =>", listed)) <= there, f"{found}: {text}"
                    seen += 1
    assert seen > 5


def headings(found: Page) -> set[str]:
    """Return the names that a generated page of docs/reference explains."""
    return set(re.findall(r"^### (.+)$", found.text, re.MULTILINE))


def test_the_reference_has_all_functions_with_their_arguments(db: Connection) -> None:
    found = page("docs/reference/functions.md")
    names = [name for (name,) in db.execute("select proname from pg_proc where pronamespace = 'braid'::regnamespace")]
    assert set(names) | {"search_result", "write_result"} == headings(found)
    signatures = {block.code.partition("(")[0].removeprefix("braid."): block.code for block in found.blocks}
    for name in names:
        given = signatures[name].partition("\nreturns ")[0].partition("(")[2]
        assert re.findall(r"(?:^|\n|, ?) *(?:inout )?(\w+) ", given) == [one for one, _ in arguments(db, name)], name


# The page explains these arguments once for all functions.
EVERYWHERE = {"collection", "query_set", "seed"}


def test_the_reference_explains_each_argument(db: Connection) -> None:
    """A section explains an argument by its name, or refers to a function with the same arguments."""
    sections = re.split(r"^### (.+)$", page("docs/reference/functions.md").prose, flags=re.MULTILINE)[1:]
    unexplained = {
        name: missing
        for name, text in zip(sections[::2], sections[1::2], strict=True)
        if not re.search(r"\barguments\b.*\bas\s+in\b", text, re.DOTALL | re.IGNORECASE)
        for missing in [{one for one, _ in arguments(db, name)} - EVERYWHERE - set(re.findall(r"\w+", text))]
        if missing
    }
    assert unexplained == {}


def test_the_reference_has_all_views_and_settings(db: Connection) -> None:
    views = db.execute("select relname from pg_class where relnamespace = 'braid'::regnamespace and relkind = 'v'")
    assert {name for (name,) in views} == headings(page("docs/reference/views.md"))
    settings = db.execute("""
        select name from braid_store.known_collection_settings()
        union all select name from braid_store.known_ranking_settings()
        union all select key from braid_store.parts p, jsonb_each(p.manifest -> 'settings') s
        """)
    assert {name for (name,) in settings} == headings(page("docs/reference/settings.md"))


def test_methods_of_other_names(db: Connection) -> None:
    methods = {name for name, _ in inspect.getmembers(pgbraid.Client, inspect.isfunction) if not name.startswith("_")}
    functions = {
        name for (name,) in db.execute("select proname from pg_proc where pronamespace = 'braid'::regnamespace")
    }
    (listed,) = tables("method")
    assert {name for row in listed.rows for name in code(row[0])} == methods - functions


def options_of_searches(db: Connection) -> dict[str, list[str]]:
    """Return the names of options, and the JSON types of each."""
    listed = db.execute("select name, types from braid_store.known_search_options() where types <> '{}'").fetchall()
    json_types = {"integer": "number", "keys": "object"}
    return {name: [json_types.get(kind, kind) for kind in types] for name, types in listed if "." not in name}


def test_tables_of_options(db: Connection) -> None:
    there = options_of_searches(db)
    rows_of = [row for table in tables("option", "default") for row in table.rows]
    listed = [(name, code(row[1])) for row in rows_of for name in code(row[0])]
    assert sorted(name for name, _ in listed) == sorted(there)
    for name, defaults in listed:
        assert all(JSON_TYPES[type(json.loads(default))] in there[name] for default in defaults), name


def test_the_clients_type_of_options(db: Connection) -> None:
    hints = get_type_hints(pgbraid.SearchOptions)
    assert {name: sorted(json_types(hint)) for name, hint in hints.items()} == {
        name: sorted(types) for name, types in options_of_searches(db).items()
    }


def json_types(hint: Any) -> set[str]:
    if get_origin(hint) in (UnionType, Union):
        return set().union(*map(json_types, get_args(hint)))
    if get_origin(hint) is Literal:
        return {JSON_TYPES[type(value)] for value in get_args(hint)}
    return {JSON_TYPES[get_origin(hint) or hint]}


def test_defaults_of_options(db: Connection) -> None:
    """Giving an option its default changes nothing."""
    client = pgbraid.connect(db, embedder=None)
    chunks = [{"content": "price objections"}, {"content": "a price"}]
    client.add_documents([{"external_id": str(n), "chunks": chunks} for n in range(3)])
    without = rows(db, {})
    assert len(without) == 6
    tested = 0
    for table in tables("option", "default"):
        for row in table.rows:
            for name, default in zip(code(row[0]), code(row[1]), strict=False):
                given = {name: json.loads(default)}
                assert rows(db, given) == without, name
                tested += 1
    assert tested > 8


def rows(db: Connection, options: dict[str, Any]) -> list[Any]:
    return db.execute(
        "select r::text from braid.full_text_search('price objections', options => %s) r", (json.dumps(options),)
    ).fetchall()


def test_warnings(db: Connection) -> None:
    row = db.execute(
        "select string_agg(prosrc, '\n') from pg_proc where proname ~ '^(search_warnings|extend_warnings_)'"
    ).fetchone()
    assert row is not None
    listed = [table for table in page("docs/reference/errors.md").tables if table.heading[0] == "code"]
    codes = {name for table in listed for name in code(" ".join(line[0] for line in table.rows))}
    assert codes == set(re.findall(r"^\s*(?:\(values\s+)?\('(\w+)',", row[0], re.MULTILINE))


def test_outcomes_of_an_explained_document(db: Connection) -> None:
    (listed,) = tables("outcome")
    row = db.execute("select obj_description('braid.explain_search'::regproc, 'pg_proc')").fetchone()
    assert row is not None
    described = row[0].split("The outcome is one of: ")[1].split(". ")[0]
    assert set(code(" ".join(one[0] for one in listed.rows))) == set(re.sub(r" \(.*?\)", "", described).split(", "))


# Errors


def error_table() -> Table:
    (found,) = tables("SQLSTATE")
    return found


@pytest.mark.any_version
def test_the_errors_are_those_of_the_client() -> None:
    for states, _, _, names in error_table().rows:
        first, *others = [getattr(errors, name) for name in code(names)]
        assert all(issubclass(kind, pgbraid.PgbraidError) for kind in (first, *others))
        for state in states.split(", "):
            if state != "—":
                error = psycopg.errors.lookup(state)("it went wrong")
                assert type(errors.from_psycopg(error)) is first
                assert all(issubclass(kind, first) for kind in others)


@pytest.mark.any_version
def test_a_lost_connection_is_one(dsn: str) -> None:
    with pgbraid.connect(dsn) as client, psycopg.connect(dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s)", (client.connection.info.backend_pid,))
        with pytest.raises(errors.ConnectionLostError):
            client.status()


@pytest.mark.any_version
def test_the_http_statuses(postgrest: Gateway) -> None:
    token = token_for("acme")
    calls: dict[str, list[tuple[str, dict[str, Any], str | None]]] = {
        "22023": [("hybrid_search", {"query_text": "a", "match_count": 0}, token)],
        "22003": [("hybrid_search", {"query_text": "a", "match_count": 10**12}, token)],
        "22000": [("semantic_search", {"query_embedding": []}, token)],
        "22P02": [("semantic_search", {"query_embedding": "[1,x]"}, token)],
        "2201B": [("grep", {"pattern": "(a", "regex": True}, token)],
        "42704": [("full_text_search", {"query_text": "a", "collection": "nowhere"}, token)],
        "42501": [("full_text_search", {"query_text": "a"}, None), ("status", {}, token_for("no such tenant"))],
        "0A000": [("rebuild_index", {}, token_for("acme", "repeatable_reader"))],
        "57014": [("upsert_document", LONG, token_for("acme", "hasty"))],
        "22P05": [("full_text_search", {"query_text": "a\0b"}, token)],
        "54000": [("semantic_search", {"query_embedding": [1] * 16_001}, token)],
        # These errors need concurrent transactions, or deeper JSON than Python writes.
        **{state: [("fail_with", {"state": state}, token)] for state in ("40P01", "55P03", "55000", "54001")},
    }
    documented = {
        state: [int(number) for number in row[2].split(", ")]
        for row in error_table().rows
        if row[2] != "—"
        for state in row[0].split(", ")
    }
    by_get = postgrest.get("delete_document", {"external_id": "a"}, token)
    assert [by_get.status] == documented.pop(str(by_get.code))
    assert documented.keys() == calls.keys()
    for state, made in calls.items():
        answers = [postgrest.call(*call) for call in made]
        assert [answer["code"] for _, answer in answers] == [state] * len(made)
        before_12_2 = [413] if state.startswith("54") else documented[state]
        assert [status for status, _ in answers] == before_12_2


# Check commands, targets and links

COMMANDS = cli.list_commands(click.Context(cli))


@pytest.mark.any_version
def test_commands_and_targets_exist() -> None:
    for found in PAGES:
        for text in code(found.prose.replace("\n", " ")):
            program, _, rest = text.partition(" ")
            if program == "make" and rest:
                assert rest.split()[0] in make_targets(), f"{found}: {text}"
            elif program in ("pgbraid", ".venv/bin/pgbraid") and rest:
                assert rest.split()[0] in COMMANDS, f"{found}: {text}"


@pytest.mark.any_version
def test_the_commands_are_all_there_are() -> None:
    (listed,) = tables("command")
    names = [name for row in listed.rows for name in code(row[0])]
    assert sorted(names) == sorted(f"pgbraid {name}" for name in COMMANDS)


@pytest.mark.any_version
def test_links_lead_somewhere() -> None:
    anchors = {found.path: found.anchors for found in PAGES}
    count = 0
    for found in (*PAGES, CHANGELOG):
        for link in found.links:
            if re.match(r"https?:", link):
                continue
            target, _, anchor = link.partition("#")
            path = (found.path.parent / target).resolve() if target else found.path
            assert path.exists(), f"{found}: {link}"
            assert not anchor or anchor in anchors[path], f"{found}: {link}"
            count += 1
    assert count > 100


@pytest.mark.any_version
def test_links_of_packages_lead_somewhere() -> None:
    """A package index shows texts of each package, which link to existing pages of this repository."""
    shown = [*ROOT.glob("python/*/README.md"), *ROOT.glob("python/*/pyproject.toml")]
    links = [
        (path, *link)
        for path in shown
        for link in re.findall(
            r"https://github\.com/pgbraid/pgbraid/blob/HEAD/([\w./-]+)(?:#([\w-]+))?", path.read_text()
        )
    ]
    anchors = {found.path: found.anchors for found in PAGES}
    for path, target, anchor in links:
        assert (ROOT / target).exists(), f"{path}: {target}"
        assert not anchor or anchor in anchors[ROOT / target], f"{path}: {target}#{anchor}"
    assert len(links) > 10


@pytest.mark.any_version
def test_every_page_is_in_the_index() -> None:
    listed = {
        (index.path.parent / link.partition("#")[0]).resolve()
        for index in map(page, ("docs/README.md", "docs/internals/architecture.md", "docs/lab/README.md"))
        for link in index.links
    }
    assert set((ROOT / "docs").rglob("*.md")) - {ROOT / "docs" / "README.md"} <= listed


LINES_OF_A_PAGE = 150


@pytest.mark.any_version
def test_pages_of_the_guide_are_short() -> None:
    found = {page.path.name for page in PAGES if page.path.parent.name == "guide" and lines(page) > LINES_OF_A_PAGE}
    assert not found, f"split it by task: no page of the guide has more than {LINES_OF_A_PAGE} lines"


def lines(page: Page) -> int:
    return len(page.text.splitlines())


@pytest.mark.any_version
def test_nothing_is_left_to_fill_in() -> None:
    for found in PAGES:
        assert not re.search(r"@[A-Z]+@|TODO|FIXME|XXX", found.text), found
    assert inline("grant braid_writer to authenticated")


@pytest.mark.any_version
def test_links_on_a_package_index() -> None:
    """A package index shows README.md without the other files, so links are absolute."""
    source = ROOT / "python" / "pgbraid" / "hatch_build.py"
    spec = importlib.util.spec_from_file_location("hatch_build", source)
    assert spec is not None
    assert spec.loader is not None
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    files = [link for link in README.links if not link.startswith("http")]
    assert "docs/guide/search.md" in files
    known = hooks.with_absolute_links(README.text, "https://example.org/pgbraid/")
    for link in files:
        # A link to a picture leads to the file itself.
        kind = "raw" if link.endswith(".png") else "blob"
        assert f"](https://example.org/pgbraid/{kind}/HEAD/{link})" in known
    unknown = hooks.with_absolute_links(README.text, None)
    assert "](docs" not in known + unknown
    assert "[search]" not in unknown
