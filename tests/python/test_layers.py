"""Test that imports form no cycle among a package's modules, or among the folders that hold them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version

PYTHON = Path(__file__).parents[2] / "python"
# The packages' sources; modules may be in a namespace that packages share.
PACKAGES = {path.parent.name: path for path in sorted(PYTHON.glob("*/src"))}
SCRIPTS = sorted({path.parent for source in PACKAGES.values() for path in source.rglob("*.js")})
# The arguments of these calls are modules, or tables of modules and their names.
LAZY = ("import_module", "lazy_modules", "lazy_names")
Graph = dict[str, set[str]]
# The driver's handwritten code is limited to this number of lines.
MOST_LINES = 12_100


def name_of(path: Path, source: Path) -> str:
    """Return a module's name; a folder is named for its `__init__`."""
    return ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path, source: Path) -> Iterator[str]:
    """Yield all names that a module imports at any time, also in functions, for type checkers and by
    `pgbraid._lazy`."""
    name = name_of(path, source)
    folder = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(folder.split(".")[: len(folder.split(".")) + 1 - node.level]) if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in LAZY:
            for constant in ast.walk(node):
                words = str(constant.value).split() if isinstance(constant, ast.Constant) else []
                yield from words
                yield from (f"{folder}.{word}" for word in words if next(path.parent.glob(f"{word}*"), None))


def modules_of(source: Path) -> Graph:
    """Return the modules of a package that each of its modules imports."""
    paths = {name_of(path, source): path for path in source.rglob("*.py")}

    def found(name: str) -> str:
        while name and name not in paths:
            name = name.rpartition(".")[0]
        return name

    return {name: {found(one) for one in imported(path, source)} - {"", name} for name, path in paths.items()}


def scripts_of(folder: Path) -> Graph:
    """Return the scripts of a folder that each of its scripts imports."""
    source = re.compile(r"""(?:from|import)\s*\(?\s*['"]\./([\w./-]+)['"]""")
    return {path.name: set(source.findall(path.read_text())) for path in folder.glob("*.js")}


def rooms_of(modules: Graph) -> Iterator[tuple[str, Graph]]:
    """Yield each folder with the imports between its modules and folders."""
    for folder in sorted({name.rpartition(".")[0] for name in modules} - {""}):

        def place(name: str, folder: str = folder) -> str | None:
            if name == folder:
                return "__init__"
            return name[len(folder) + 1 :].split(".")[0] if name.startswith(f"{folder}.") else None

        room: Graph = {}
        for name, others in modules.items():
            if (here := place(name)) is not None:
                room.setdefault(here, set()).update({there for other in others if (there := place(other))} - {here})
        yield folder, room


def circle(graph: Graph) -> list[str]:
    """Return a cycle of the graph, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def circles(source: Path) -> list[str]:
    modules = modules_of(source)
    found = [("modules", circle(modules)), *((folder, circle(room)) for folder, room in rooms_of(modules))]
    return [f"{where}: {' <- '.join(names)}" for where, names in found if names]


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_imports_go_down(package: Path) -> None:
    assert modules_of(package)
    assert not circles(package)


def test_packages_import_those_below() -> None:
    """The driver imports no other package. The tools and the stores' shared code import the driver; integrations
    import both, but not the tools."""
    package_of = {module: name for name, source in PACKAGES.items() for module in modules_of(source)}

    def below(source: Path) -> set[str]:
        names = {name for path in source.rglob("*.py") for name in imported(path, source)}
        names |= {name.rpartition(".")[0] for name in names}
        return {package_of[name] for name in names & package_of.keys()} - {source.parent.name}

    stores = {"pgbraid", "pgbraid-stores"}
    assert {name: below(source) for name, source in PACKAGES.items()} == {
        "pgbraid": set(),
        "pgbraid-tools": {"pgbraid"},
        "pgbraid-stores": {"pgbraid"},
        "langchain-pgbraid": stores,
        "llama-index-vector-stores-pgbraid": stores,
        "pgbraid-haystack": stores,
    }


@pytest.mark.parametrize("folder", SCRIPTS, ids=lambda folder: "/".join(folder.parts[-2:]))
def test_scripts_import_downwards(folder: Path) -> None:
    graph = scripts_of(folder)
    assert any(graph.values())
    assert not circle(graph)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


IMPORTS = (
    "from one.b import B",
    "from one import b",
    "from . import b",
    "from .b import B",
    "import one.b",
    "def f():\n    from one.b import B",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from one.b import B",
    "from importlib import import_module\nimport_module('one.b')",
)


@pytest.mark.parametrize("line", IMPORTS)
def test_every_way_to_import_is_seen(tmp_path: Path, line: str) -> None:
    files = {"one/__init__.py": "from one.a import A", "one/a.py": line, "one/b.py": ""}
    assert not circles(write(tmp_path, files))
    files["one/b.py"] = "from one.a import A"
    assert circles(write(tmp_path, files))


def test_a_room_has_one_way_too(tmp_path: Path) -> None:
    """Two folders that import each other form a cycle even if no two modules do."""
    files = {f"one/{name}.py": "" for name in ("__init__", "low/__init__", "low/a", "high/__init__", "high/d")}
    files |= {"one/low/b.py": "from one.high.d import D", "one/high/c.py": "from one.low.a import A"}
    (found,) = circles(write(tmp_path, files))
    assert found in ("one: low <- high <- low", "one: high <- low <- high")


def written(package: Path) -> dict[Path, int]:
    """Return the number of lines of each handwritten module. The synchronous client is generated."""
    texts = {path: path.read_text() for path in package.rglob("*.py")}
    made = re.compile(r"DO NOT CHANGE|Made of `options\.json`")
    return {path: len(text.splitlines()) for path, text in texts.items() if not made.search(text[:400])}


def test_the_driver_is_thin() -> None:
    lines = written(PACKAGES["pgbraid"])
    assert not any(path.parent.name == "client" for path in lines)
    assert sum(lines.values()) <= MOST_LINES, "move what is no driver to pgbraid-tools, and logic to sql/"
