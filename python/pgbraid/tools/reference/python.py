"""Make docs/reference/python.md: the methods of the client, and the classes that users construct."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from client_calls import PREFIX, calls

from reference.classes import PACKAGES, Function, members, paragraphs, sections, signature
from reference.functions import all_links, listed
from reference.markdown import block, brief, coded, document, guide, table, wrapped

CLIENT = PACKAGES["pgbraid"] / "client"
# The area of each hand-written module with another name.
AREAS = {
    "assembling": "search",
    "embedding": "documents",
    "explaining": "search",
    "multi_searching": "search",
    "queries": "documents",
    "recalling": "memory",
    "related": "search",
    "retrieving": "search",
    "searching": "search",
    "streaming": "search",
    "synced_tables": "sync",
    "tenants": "tenancy",
}
INTRODUCTION = r"""
`make generate` makes this page from the source of the packages `pgbraid` and `pgbraid-tools`. The guide to the client
is [python.md](../guide/python.md). The methods of `AsyncClient`, which `connect_async` returns, have the same
arguments, and are awaited.
"""


@cache
def functions_of(path: Path) -> dict[str, Function]:
    return {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, Function)}


def class_of(path: Path, name: str) -> ast.ClassDef:
    (node,) = [one for one in ast.parse(path.read_text()).body if isinstance(one, ast.ClassDef) and one.name == name]
    return node


def methods() -> Iterator[tuple[str, str, Function]]:
    """Yield each method of the client with its area."""
    for name, module in re.findall(r"^    (\w+) = (\w+)\.\1$", (CLIENT / "methods.py").read_text(), re.M):
        area = module.removeprefix(PREFIX)
        yield AREAS.get(area, area), name, functions_of(CLIENT / f"{module}.py")[name]


@cache
def known() -> dict[str, str]:
    """Return the page in the guide of each function of the API."""
    return {one.name: one.header.page or "" for own in listed("function").values() for one in own}


def method(name: str, node: Function, made: frozenset[str]) -> Iterator[list[str]]:
    links = all_links("functions.md")
    said = paragraphs(node)
    yield [f"### {name}"]
    yield block(signature(f"client.{name}", node), "py")
    if name in made:
        # functions.md explains the arguments.
        said = [said[0], f"Arguments and result: [`braid.{name}`](functions.md#{name}). {said[-1].partition('. ')[2]}"]
    for paragraph in said:
        yield wrapped(coded(paragraph, links))
    if name in known():
        yield wrapped(f"Guide: {guide(known()[name])}.")


def page() -> str:
    """Return the page."""
    areas: dict[str, list[tuple[str, Function]]] = {}
    for area, name, node in methods():
        areas.setdefault(area, []).append((name, node))
    made = frozenset(call.method.name for call in calls())
    parts: list[list[str]] = []
    for area in sorted(areas):
        title = f"{area.replace('_', ' ').capitalize()} methods"
        rows = ([f"[`{name}`](#{name})", coded(brief(paragraphs(node)[0]))] for name, node in areas[area])
        parts += [[f"## {title}"], table(["method of the client", "what it does"], rows)]
        parts += [part for name, node in areas[area] for part in method(name, node, made)]
    connect = functions_of(CLIENT / "__init__.py")["connect"]
    client = class_of(CLIENT / "__init__.py", "Client")
    base = class_of(CLIENT / "base.py", "BaseClient")
    return document(
        ["# Python"],
        wrapped(INTRODUCTION),
        ["## connect"],
        block(signature("pgbraid.connect", connect, 0), "py"),
        *(wrapped(coded(one)) for one in paragraphs(connect)),
        ["## Client"],
        *(wrapped(coded(text)) for text in paragraphs(client)),
        members(base),
        *parts,
        *sections(),
    )
