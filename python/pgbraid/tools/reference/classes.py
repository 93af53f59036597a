"""Describe the classes of the Python packages: what users construct, what methods return, errors."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from reference.markdown import ROOT, block, coded, item, wrapped

PACKAGES = {
    "pgbraid": ROOT / "python" / "pgbraid" / "src" / "pgbraid",
    "pgbraid_tools": ROOT / "python" / "pgbraid-tools" / "src" / "pgbraid_tools",
}
# The classes listed under each heading, by module.
CLASSES = {
    "Embedders": {
        "pgbraid/embedders/local": "LocalEmbedder",
        "pgbraid/embedders/openai": "OpenAIEmbedder",
        "pgbraid/embedders/http": "HttpEmbedder",
        "pgbraid/embedders/adapted": "AdaptedEmbedder",
        "pgbraid_tools/embedders/static": "StaticEmbedder",
        "pgbraid_tools/embedders/onnx": "OnnxEmbedder",
        "pgbraid_tools/embedders/sentence_transformer": "SentenceTransformerEmbedder",
        "pgbraid/embedders/protocol": "Embedder",
    },
    "Rerankers": {
        "pgbraid_tools/rerankers/cross_encoder": "CrossEncoderReranker",
        "pgbraid_tools/rerankers/http": "HttpReranker",
        "pgbraid_tools/rerankers/late_interaction": "LateInteractionReranker",
        "pgbraid_tools/rerankers/llm": "LLMReranker",
        "pgbraid/reranker": "Reranker TokenEmbedder",
    },
    "Query expansion": {"pgbraid_tools/expanders": "ChatExpander", "pgbraid/expanders": "Expander"},
    "Results": {
        "pgbraid/results": "SearchResults SearchResult",
        "pgbraid/streams": "StreamedResults RankChanges",
        "pgbraid/contexts": "Context Passage",
        "pgbraid/timelines": "Timeline TimelineTurn",
        "pgbraid/explanation": "Explanation ScorePart",
        "pgbraid/retrieval": "ScoredChunk Retriever AsyncRetriever",
        "pgbraid/stored": "Document DocumentChunk ListedDocument WriteSummary FailedDocument FacetValue "
        "Completion EmbeddingJob EmbeddingBacklog EmbeddingUsage SyncStatus SyncProblem IndexProblem Profile "
        "ListedProfile LearnedProfile",
    },
}
ERRORS = ("pgbraid/errors", "pgbraid/expanders", "pgbraid_tools/errors")
Function = ast.FunctionDef


def signature(name: str, node: Function, skipped: int = 1) -> str:
    """Return the call on one line if it fits, else with one parameter per line."""
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


def paragraphs(node: ast.ClassDef | Function) -> list[str]:
    """Return the paragraphs of a docstring."""
    return [" ".join(text.split()) for text in (ast.get_docstring(node) or "").split("\n\n")]


@cache
def classes_of(module: str) -> dict[str, ast.ClassDef]:
    package, _, name = module.partition("/")
    tree = ast.parse((PACKAGES[package] / f"{name}.py").read_text())
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


@cache
def public_names() -> set[str]:
    """Return the names that `import pgbraid` provides."""
    text = (PACKAGES["pgbraid"] / "__init__.py").read_text()
    return {name for names in re.findall(r'^    "\w+": "(.*)",$', text, re.M) for name in names.split()}


def class_section(module: str, name: str) -> Iterator[list[str]]:
    node = classes_of(module)[name]
    made = [one for one in node.body if isinstance(one, Function) and one.name == "__init__"]
    fields = [ast.unparse(one) for one in node.body if isinstance(one, ast.AnnAssign)]
    # A package provides its modules' names.
    place = "pgbraid" if name in public_names() else ".".join(module.split("/")[:2])
    lines = [signature(name, made[0])] if made else [f"class {name}:", *(f"    {field}" for field in fields)]
    yield [f"### {name}"]
    if made or fields:
        yield block("\n".join([f"from {place} import {name}", "", *lines]), "py")
    else:
        yield [f"`from {place} import {name}`"]
    yield from (wrapped(coded(text)) for text in paragraphs(node))
    yield members(node)


def members(node: ast.ClassDef) -> list[str]:
    """Return a list of the documented public methods and properties."""
    functions = [one for one in node.body if isinstance(one, Function) and not one.name.startswith("_")]
    said = [one for one in functions if ast.get_docstring(one)]
    return [line for one in said for line in item(f"`{member(one)}`: {coded(' '.join(paragraphs(one)))}")]


def member(node: Function) -> str:
    is_property = any(ast.unparse(one).endswith("property") for one in node.decorator_list)
    return node.name if is_property else " ".join(signature(node.name, node).split())


def sections() -> Iterator[list[str]]:
    """Yield all classes, under their headings."""
    for title, modules in CLASSES.items():
        yield [f"## {title}"]
        for module, names in modules.items():
            for name in names.split():
                yield from class_section(module, name)
    yield ["## Exceptions"]
    yield wrapped("[errors.md](errors.md) says which SQLSTATE is which exception, and what to do.")
    yield [line for module in ERRORS for node in classes_of(module).values() for line in exception(node)]


def exception(node: ast.ClassDef) -> list[str]:
    if not node.name.endswith("Error"):
        return []
    bases = ", ".join(f"`{ast.unparse(one)}`" for one in node.bases)
    return item(f"`{node.name}` ({bases}): {coded(' '.join(paragraphs(node)))}")
