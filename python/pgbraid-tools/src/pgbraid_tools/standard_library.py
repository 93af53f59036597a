"""Turn the docstrings of Python's standard library into documents: text that every machine has."""

from __future__ import annotations

import ast
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["standard_library_documents"]

LEFT_OUT = frozenset(("antigravity", "encodings", "idlelib", "lib2to3", "test", "this", "turtledemo"))
SHORTEST = 30


def standard_library_documents() -> Iterator[dict[str, Any]]:
    """Yield public modules and their public classes. The source is parsed, since importing some modules has side
    effects."""
    root = Path(sysconfig.get_path("stdlib"))
    for package in sorted(sys.stdlib_module_names - LEFT_OUT):
        if not package.startswith("_"):
            for module, file in _modules(root, package):
                yield from _documents(module, file)


def _modules(root: Path, package: str) -> Iterator[tuple[str, Path]]:
    if (root / f"{package}.py").is_file():
        yield package, root / f"{package}.py"
    for file in sorted((root / package).glob("*.py")):
        if file.name == "__init__.py":
            yield package, file
        elif not file.name.startswith("_"):
            yield f"{package}.{file.stem}", file


def _documents(module: str, file: Path) -> Iterator[dict[str, Any]]:
    tree = ast.parse(file.read_bytes())
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    described: list[tuple[str, str, ast.Module | ast.ClassDef]] = [("module", module, tree)]
    described += [("class", f"{module}.{node.name}", node) for node in classes]
    for kind, name, node in described:
        text = ast.get_docstring(node)
        if text and len(text) >= SHORTEST:
            yield {
                "external_id": f"{kind}:{name}",
                "title": name,
                "content": text,
                "category": kind,
                "metadata": {"module": module, "kind": kind, "package": module.partition(".")[0]},
            }
