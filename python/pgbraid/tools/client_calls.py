"""Make the methods of the async client that only call a function of the API: signatures from client_methods.pyi, types,
casts and comments from sql/. `--check` only says whether they are up to date."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

from sql_comments import comment_on

from pgbraid.install.headers import Header, read_header
from pgbraid.install.resources import SqlFile, resources

TOOLS = Path(__file__).parent
STUB = TOOLS / "client_methods.pyi"
CONFIG = TOOLS.parent / "pyproject.toml"
PACKAGE = TOOLS.parent / "src" / "pgbraid"
TARGET = PACKAGE / "async_client"
PREFIX = "calls_"
SIGNATURE = r"^create or replace function {}\((.*?)\)\nreturns "
ARGUMENT = re.compile(r"(\w+) (\S+)(?: default (.*))?", re.S)
ROOM = re.compile(r"(?:core/\d+_|parts/)(\w+)/")
IMPORTS = """
from pgbraid.async_client.queries import embed_query
from pgbraid.arguments import as_interval, as_list, as_numbers, check_query, optional_json, row_count, to_json
from pgbraid.contexts import Passage
from pgbraid.results import SearchResult
from pgbraid.timeframes import timeframe_text
from pgbraid.vectors import to_vector
if TYPE_CHECKING:
    from typing_extensions import Unpack
    from pgbraid.async_client.base import BaseClient
"""


@dataclass(frozen=True)
class Argument:
    """Hold an argument of a method, and of the function that it is passed to."""

    name: str
    annotation: str
    default: str | None
    sql_name: str
    sql_type: str
    sql_default: str | None

    @property
    def sql(self) -> str:
        cast = "" if "vector" in self.sql_type else f"::{self.sql_type}"
        return f"{self.sql_name} => %({self.name})s{cast}"

    @property
    def value(self) -> str:
        """Return the expression that is sent."""
        is_optional = "None" in (self.annotation.rpartition(" | ")[2], self.default)
        given = f'{self.name}, "{self.name}"'
        if self.sql_type == "jsonb" and is_optional:
            has_default = self.sql_default not in (None, "null")
            return f'to_json({self.name} or {{}}, "{self.name}")' if has_default else f"optional_json({given})"
        if self.sql_type == "jsonb":
            value = f"list({self.name})" if self.annotation.startswith("Sequence") else self.name
            return f'to_json({value}, "{self.name}")'
        if self.annotation.startswith("Timeframe"):
            return f"timeframe_text({self.name})"
        if self.sql_type == "interval":
            return f"as_interval({given})"
        if "vector" in self.sql_type:
            value = f'to_vector({self.name}, "the {self.name}")'
        elif self.sql_type == "float8[]":
            value = f"as_numbers({given})"
        elif self.sql_type.endswith("[]"):
            value = f"as_list({given})"
        else:
            return self.name
        return f"None if {self.name} is None else {value}" if is_optional else value


@dataclass(frozen=True)
class Call:
    method: ast.FunctionDef
    header: Header
    file: SqlFile
    arguments: list[Argument]

    @property
    def module(self) -> str:
        room = ROOM.match(self.file.name)
        assert room is not None
        return f"{PREFIX}{room[1]}"

    @property
    def counted(self) -> Argument | None:
        """Return the argument with the number of rows, which `limit` may replace; None without one."""
        names = ("match_count", "query_count") if self.method.args.kwarg else ()
        return next((one for one in self.arguments if one.sql_name in names), None)

    @property
    def is_for_all_tenants(self) -> bool:
        return not {"reader", "writer"} & set(self.header.roles)

    def text(self) -> str:
        """Return the method's source."""
        returned = ast.unparse(self.method.returns) if self.method.returns else "None"
        parameters = ast.unparse(self.method.args)
        checks = [f"    check_query({one.name})" for one in self.arguments if one.sql_name == "query_text"]
        if {"query_text", "query_embedding", "semantic_min_score"} <= {one.name for one in self.arguments}:
            # Where the database embeds, or knows the vector, None leaves it to the database.
            checks += [
                "    if query_embedding is None and semantic_min_score is not None and query_text:",
                "        query_embedding, _, _ = await embed_query(client, query_text, collection, options, [])",
            ]
        if counted := self.counted:
            name, default = counted.name, counted.default
            parameters = parameters.replace(f"{name}: int={default}", f"{name}: int | None=None")
            # The name is passed unless it is the usual one.
            told = f', "{name}"' * (name != "match_count")
            checks.append(f"    {name} = row_count({name}, other_names, {default}{told})")
        lines = [
            f"async def {self.method.name}(client: BaseClient{', ' * bool(parameters)}{parameters}) -> {returned}:",
            *(f"    {line}".rstrip() for line in self._documentation()),
            *checks,
            *(f"    {line}" for line in self._body(returned)),
        ]
        # An administrator's function may change the collection's embedding model, so the client must forget the cached
        # model.
        if self.is_for_all_tenants and self.header.is_volatile:
            forgotten = [one.name for one in self.arguments if one.sql_name == "collection"]
            forget = [f"    client._spaces.forget({name})" for name in forgotten]
            lines[-1:] = [*forget, lines[-1]] if returned != "None" else [lines[-1], *forget]
        return "\n".join(lines)

    def _documentation(self) -> list[str]:
        first, _, rest = comment_on(f"function {self.header.name}", self.file.text).partition("\n")
        for one in self.arguments:
            if one.name != one.sql_name and "_" in one.sql_name:
                first, rest = (re.sub(rf"\b{one.sql_name}\b", one.name, text) for text in (first, rest))
        own = " ".join((ast.get_docstring(self.method) or "").split())
        counted = self.counted
        default = f" `{counted.name}`, or `limit`, is {counted.default} by default." if counted else ""
        texts = [f'"""{first}', rest, f"Maps to braid.{self.method.name}.{default} {own}".rstrip()]
        paragraphs = [textwrap.wrap(text.replace("\\", "\\\\"), 115) for text in texts if text]
        return [*[line for paragraph in paragraphs for line in [*paragraph, ""]][:-1], '"""']

    def _asked(self, way: str) -> str:
        given = [f'"{self.method.name}"']
        if self.arguments:
            # Each argument stays on one line.
            sql = ", ".join(one.sql.replace(" ", "\0") for one in self.arguments)
            wrapped = [line.replace("\0", " ") for line in textwrap.wrap(sql, 108)]
            sql = " ".join(wrapped)
            text = textwrap.indent("\n".join([*wrapped, '"""']), " " * 8)
            given.append(f'"{sql}"' if len(wrapped) == 1 else f'"""\n{text}')
        given += [f"{one.name}={one.value}" for one in self.arguments]
        return f"await client._session.{way}({', '.join(given)})"

    def _body(self, returned: str) -> list[str]:
        value = "value_for_all" if self.is_for_all_tenants else "value"
        if returned == "None":
            return [self._asked(value)]
        if returned in ("bool", "int", "str"):
            return [f"found = {self._asked(value)}", f"return {returned}(found)"]
        if returned.startswith("list[dict"):
            return [f"found: {returned} = {self._asked('json_rows')}", "return found"]
        if returned == "SearchResults":
            made = "SearchResults([SearchResult.from_row(row) for row in found])"
            return [f"found = {self._asked('json_rows')}", f"return {made}"]
        if returned == "Context":
            return [f"found = {self._asked('json_rows')}", "return Context([Passage(**row) for row in found])"]
        if returned.startswith("list["):
            kind = returned.removeprefix("list[").removesuffix("]")
            if kind in read_from_json():
                return [f"found = {self._asked('json_rows')}", f"return [{kind}.from_row(row) for row in found]"]
            return [f"found = {self._asked('records')}", f"return [{kind}(*row) for row in found]"]
        kind, _, or_none = returned.partition(" | ")
        made = "dict(found)" if kind.startswith("dict") else f"{kind}.from_row(found)"
        return [f"(found,) = {self._asked('json')}", f"return {'None if found is None else ' * bool(or_none)}{made}"]


def read_from_json() -> set[str]:
    """Return the classes of rows that are made from JSON, whose times may be outside Python's range."""
    return {
        node.name
        for node in ast.parse((PACKAGE / "stored.py").read_text()).body
        if isinstance(node, ast.ClassDef) and "Row" in map(ast.unparse, node.bases)
    }


def calls() -> list[Call]:
    files = {header.name: (header, file) for file in resources().repeatable if (header := read_header(file.text))}
    found = []
    for method in ast.parse(STUB.read_text()).body:
        if isinstance(method, ast.FunctionDef):
            if f"braid.{method.name}" not in files:
                sys.exit(f"{STUB.name}: there is no function braid.{method.name}")
            header, file = files[f"braid.{method.name}"]
            found.append(Call(method, header, file, arguments(method, header, file)))
    return found


def arguments(method: ast.FunctionDef, header: Header, file: SqlFile) -> list[Argument]:
    signature = re.search(SIGNATURE.format(re.escape(header.name)), file.text, re.S | re.M)
    assert signature is not None
    # A default contains commas only inside brackets or quotes.
    parts = re.findall(r"(?:[^,'(]|'[^']*'|\([^)]*\))+", " ".join(signature[1].split()))
    declared = {}
    for part in parts:
        found = ARGUMENT.fullmatch(part.strip())
        assert found is not None, part
        declared[found[1]] = (found[2], found[3])
    args = method.args
    names = [*args.args, *args.kwonlyargs]
    defaults = [*[None] * (len(args.args) - len(args.defaults)), *args.defaults, *args.kw_defaults]
    left = iter([name for name in declared if name not in {one.arg for one in names}])
    made = []
    for one, default in zip(names, defaults, strict=True):
        assert one.annotation is not None
        name = one.arg if one.arg in declared else next(left, None)
        if name is None:
            sys.exit(f"{STUB.name}: {header.name} has no argument for {one.arg}")
        text = None if default is None else ast.unparse(default)
        made.append(Argument(one.arg, ast.unparse(one.annotation), text, name, *declared[name]))
    return sorted(made, key=lambda one: list(declared).index(one.sql_name))


def modules() -> dict[str, str]:
    """Return the generated modules, by file name."""
    imports = [
        f"from {node.module} import {alias.name}"
        for node in ast.parse(STUB.read_text()).body
        # Type checkers find this module; at run time it may be missing.
        if isinstance(node, ast.ImportFrom) and node.module != "typing_extensions"
        for alias in node.names
    ]
    found: dict[str, list[Call]] = {}
    for call in calls():
        found.setdefault(call.module, []).append(call)
    made = {}
    for module, members in found.items():
        room = module.removeprefix(PREFIX).replace("_", " ")
        text = "\n".join(
            [
                f'"""Calls of {room}. Made by tools/client_calls.py. DO NOT CHANGE."""',
                "from __future__ import annotations",
                "from typing import TYPE_CHECKING",
                *imports,
                IMPORTS,
                *(f"\n\n{call.text()}" for call in members),
                "",
            ]
        )
        name = f"{module}.py"
        for rule in ("F401", "I"):
            text = ruff(text, "check", "--quiet", "--fix", "--select", rule)
        made[name] = ruff(text, "format")
    return made


def ruff(text: str, *command: str) -> str:
    run = [sys.executable, "-m", "ruff", *command, "--config", str(CONFIG), "--stdin-filename", "calls.py", "-"]
    done = subprocess.run(run, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"ruff: {done.stdout}{done.stderr}")
    return done.stdout


def main() -> int:
    wanted = modules()
    present = {path.name: path.read_text() for path in TARGET.glob(f"{PREFIX}*.py")}
    if "--check" in sys.argv[1:]:
        stale = sorted(name for name in wanted.keys() | present.keys() if wanted.get(name) != present.get(name))
        if stale:
            print(f"{', '.join(stale)}: not what {STUB.name} and sql/ give: run make generate", file=sys.stderr)
        return int(bool(stale))
    for name in present.keys() - wanted.keys():
        (TARGET / name).unlink()
    for name, text in wanted.items():
        (TARGET / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
