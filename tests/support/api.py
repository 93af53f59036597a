"""What functions, views and manifests of the core and of the chosen parts say in `sql/`, for tests of all of them."""

from __future__ import annotations

import json
import re
from typing import Any

from pgbraid.install.headers import Header, read_header
from support.parts import SQL, chosen, part_of

FILES = [file for file in sorted(SQL.rglob("*.*")) if file.parent != SQL and part_of(file) in {"core", *chosen()}]
# By qualified name.
OBJECTS: dict[str, Header] = {
    header.name: header for file in FILES if file.suffix == ".sql" and (header := read_header(file.read_text()))
}
# What manifests say of each table.
TABLES: dict[str, dict[str, Any]] = {
    table: facts
    for file in FILES
    if file.name == "part.json"
    for table, facts in json.loads(file.read_text()).get("tables", {}).items()
}
# The functions of the schema braid, by name.
API: dict[str, Header] = {
    name.removeprefix("braid."): header
    for name, header in OBJECTS.items()
    if header.kind == "function" and name.startswith("braid.")
}
# Searches that add a row to a log where there is one, and answer where nothing can be written.
LOGGED = {name for name, header in API.items() if header.is_volatile and header.runs_on_standbys}
# What only reads.
READING = {name for name, header in API.items() if not header.is_volatile}
# For administrators, who act for all tenants, and for nobody who has a tenant.
ADMINISTRATIVE = {
    name for name, header in API.items() if header.roles and not {"reader", "writer"}.intersection(header.roles)
}


def runs(role: str) -> set[str]:
    """Return the functions of the API that a role may run, by itself."""
    return {name for name, header in API.items() if role in header.roles}


def tables(policy: str | None) -> set[str]:
    """Return the tables of a policy: definition, owner, or none for those of tenants."""
    return {table for table, facts in TABLES.items() if facts.get("policy") == policy}


def example(function: str) -> str:
    """Return a call that works for a tenant with the collection `small` and the document `doc1`."""
    call = API[function].example
    assert call is not None, f"the file of braid.{function} begins with no `-- example: braid.{function}(…)`"
    return call


def arguments(call: str) -> dict[str, str]:
    """Return the expressions of a call in named notation, by argument."""
    inside = call.partition("(")[2].rpartition(")")[0]
    pieces, depth, quoted = [""], 0, False
    for sign in inside:
        quoted ^= sign == "'"
        if not quoted:
            depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0 and not quoted:
            pieces.append("")
        else:
            pieces[-1] += sign
    given = dict(piece.strip().split(" => ", 1) for piece in pieces if piece.strip())
    assert all(re.fullmatch(r"\w+", name) for name in given), call
    return given


def value(expression: str) -> Any:
    """Return what an expression of an example is in JSON, if it is a constant."""
    text = re.fullmatch(r"'((?:[^']|'')*)'", expression)
    constant = text[1].replace("''", "'") if text else expression
    if text and not re.match(r'\{"|\{\}$|\[', constant):
        return constant
    return json.loads(constant)
