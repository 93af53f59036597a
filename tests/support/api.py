"""Read the headers and manifests of the core and of the chosen parts in `sql/`, for tests of all functions."""

from __future__ import annotations

import json
import re
from typing import Any

from pgbraid.install.headers import Header, read_header
from support.parts import SQL, chosen, part_of

FILES = [file for file in sorted(SQL.rglob("*.*")) if file.parent != SQL and part_of(file) in {"core", *chosen()}]
# The headers by qualified name.
OBJECTS: dict[str, Header] = {
    header.name: header for file in FILES if file.suffix == ".sql" and (header := read_header(file.read_text()))
}
# The facts that manifests state about each table.
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
# Searches that write to a log if they can, and also answer on a standby.
LOGGED = {name for name, header in API.items() if header.is_volatile and header.runs_on_standbys}
# The functions that write nothing.
READING = {name for name, header in API.items() if not header.is_volatile}
# Administrators call these functions for all tenants; members of a tenant may not.
ADMINISTRATIVE = {
    name for name, header in API.items() if header.roles and not {"reader", "writer"}.intersection(header.roles)
}


def runs(role: str) -> set[str]:
    """Return the functions of the API that a role may run without other roles."""
    return {name for name, header in API.items() if role in header.roles}


def tables(policy: str | None) -> set[str]:
    """Return the tables of a policy: definition, owner, or None for tables of tenants."""
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
    """Return the JSON value of an example's expression, if it is a constant."""
    text = re.fullmatch(r"'((?:[^']|'')*)'", expression)
    constant = text[1].replace("''", "'") if text else expression
    if text and not re.match(r'\{"|\{\}$|\[', constant):
        return constant
    return json.loads(constant)
