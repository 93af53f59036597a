"""Make docs/reference/python.md: the methods of the client, and the classes that users construct."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from client_calls import PREFIX, calls

from reference.functions import listed
from reference.markdown import ROOT, block, brief, coded, document, guide, table, wrapped

PACKAGE = ROOT / "python" / "pgbraid" / "src" / "pgbraid"
TOOLS = ROOT / "python" / "pgbraid-tools" / "src" / "pgbraid_tools"
CLIENT = PACKAGE / "client"
# The area of each module written by hand whose name is not an area's.
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
CLASSES = {
    "Embedders": {
        PACKAGE / "embedders" / "local.py": "LocalEmbedder",
        PACKAGE / "embedders" / "openai.py": "OpenAIEmbedder",
        PACKAGE / "embedders" / "http.py": "HttpEmbedder",
        PACKAGE / "embedders" / "adapted.py": "AdaptedEmbedder",
        PACKAGE / "embedders" / "protocol.py": "Embedder",
    },
}
Function = ast.FunctionDef
INTRODUCTION = r"""
`make generate` makes this page from the source of the packages `pgbraid` and `pgbraid-tools`. The guide to the client
is [python.md](../guide/python.md). The methods of `AsyncClient`, which `connect_async` returns, have the same
arguments, and are awaited.
"""


@cache
def functions_of(path: Path) -> dict[str, Function]:
    return {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, Function)}


def methods() -> Iterator[tuple[str, str, Function]]:
    """Yield each method of the client with its area."""
    for name, module in re.findall(r"^    (\w+) = (\w+)\.\1$", (CLIENT / "methods.py").read_text(), re.M):
        area = module.removeprefix(PREFIX)
        yield AREAS.get(area, area), name, functions_of(CLIENT / f"{module}.py")[name]


def signature(name: str, node: Function, skipped: int = 1) -> str:
    """Return the call with a parameter a line, unless all fit one."""
    args = node.args
    given = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(given) - len(args.defaults)) + list(args.defaults)
    shown = [parameter(one, default) for one, default in zip(given, defaults, strict=True)][skipped:]
    if args.vararg or args.kwonlyargs:
        shown.append(f"*{ast.unparse(args.vararg)}" if args.vararg else "*")
    shown += [parameter(one, default) for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    if args.kwarg:
        shown.append(f"**{ast.unparse(args.kwarg)}")
    returned = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    line = f"{name}({', '.join(shown)}){returned}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{name}(", *(f"    {one}," for one in shown), f"){returned}"])


def parameter(one: ast.arg, default: ast.expr | None) -> str:
    typed = f"{one.arg}: {ast.unparse(one.annotation)}" if one.annotation else one.arg
    return typed if default is None else f"{typed}{' = ' if one.annotation else '='}{ast.unparse(default)}"


def paragraphs(documentation: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in documentation.split("\n\n")]


@cache
def known() -> dict[str, str]:
    """Return the page of each function of the API in the guide."""
    return {one.name: one.header.page or "" for own in listed("function").values() for one in own}


def method(name: str, node: Function, made: frozenset[str]) -> Iterator[list[str]]:
    links = {function: f"functions.md#{function}" for function in known()}
    said = paragraphs(ast.get_docstring(node) or "")
    yield [f"### {name}"]
    yield block(signature(f"client.{name}", node), "py")
    if name in made:
        # What is said of the arguments is on the page of functions.
        said = [said[0], f"Arguments and result: [`braid.{name}`](functions.md#{name}). {said[-1].partition('. ')[2]}"]
    for paragraph in said:
        yield wrapped(coded(paragraph, links))
    if name in known():
        yield wrapped(f"Guide: {guide(known()[name])}.")


def class_section(path: Path, name: str) -> Iterator[list[str]]:
    tree = ast.parse(path.read_text())
    (node,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    yield [f"### {name}"]
    for one in node.body:
        if isinstance(one, Function) and one.name == "__init__":
            yield block(signature(name, one), "py")
    for paragraph in paragraphs(ast.get_docstring(node) or ""):
        yield wrapped(coded(paragraph))


def page() -> str:
    """Return the page."""
    areas: dict[str, list[tuple[str, Function]]] = {}
    for area, name, node in methods():
        areas.setdefault(area, []).append((name, node))
    made = frozenset(call.method.name for call in calls())
    parts: list[list[str]] = []
    for area in sorted(areas):
        title = f"{area.replace('_', ' ').capitalize()} methods"
        rows = (
            [f"[`{name}`](#{name})", coded(brief(paragraphs(ast.get_docstring(node) or "")[0]))]
            for name, node in areas[area]
        )
        parts += [[f"## {title}"], table(["method of the client", "what it does"], rows)]
        parts += [part for name, node in areas[area] for part in method(name, node, made)]
    connect = functions_of(CLIENT / "__init__.py")["connect"]
    return document(
        ["# Python"],
        wrapped(INTRODUCTION),
        ["## connect"],
        block(signature("pgbraid.connect", connect, 0), "py"),
        *(wrapped(coded(one)) for one in paragraphs(ast.get_docstring(connect) or "")),
        *parts,
        *(
            part
            for title, found in CLASSES.items()
            for part in [[f"## {title}"], *(p for path, name in found.items() for p in class_section(path, name))]
        ),
    )
