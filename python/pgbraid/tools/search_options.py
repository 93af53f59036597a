"""Write the files made from the search options, which `options.json` of the core and of parts declare.

They are the list in SQL, the default options and the client's type; reference/options.py makes the page of docs/. With
--check: exit with 1 if one of them is out of date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
SQL = ROOT / "sql"
REQUEST = SQL / "core" / "80_search" / "50_request"
COMMAND = "make generate"
COLUMNS = (
    "\n  name text, types text[], part text, attribute text, least_value float8, greatest_value float8, words text[],"
    " hint text\n"
)
# A column of the type that no option fills is null, or false.
ATTRIBUTE = re.compile(r"^  (\w+) (.+?),?$", re.M)
PYTHON = {
    "boolean": "bool",
    "string": "str",
    "number": "float",
    "integer": "int",
    "array": "Sequence[Any]",
    "object": "Mapping[str, Any]",
}

Options = Mapping[str, Mapping[str, Any]]

WIDTH = 120


def declared(file: Path) -> dict[str, Mapping[str, Any]]:
    options: dict[str, Mapping[str, Any]] = json.loads(file.read_text())
    return options


def core_options() -> Options:
    return declared(REQUEST / "options.json")


def part_options() -> dict[str, tuple[Path, Options]]:
    parts = SQL / "parts"
    files = sorted(parts.rglob("options.json"))
    return {file.relative_to(parts).parts[0]: (file.parent, declared(file)) for file in files}


def literal(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        # Without quotes it would become a null element.
        return "'{" + ",".join('"null"' if word == "null" else str(word) for word in value) + "}'"
    return str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"


def rows(options: Options, is_part: bool) -> Iterator[list[object]]:
    """Yield the rows of known_search_options: one per option, per key of an option, and per old name."""
    for name, option in options.items():
        if "said" in option:
            # A refused name has no types; its hint says what to use instead.
            yield [name, [], None, None, None, None, None, json.dumps(option["said"], ensure_ascii=False)]
            continue
        keys = option.get("keys", {})
        # The keys of this option are listed, too.
        types = ["keys" if keys and kind == "object" else kind for kind in option["types"]]
        attribute = None if is_part or types == ["keys"] else option.get("attribute", name)
        yield [
            name,
            types,
            option["part"],
            attribute,
            *(option.get(key) for key in ("least", "greatest", "words", "hint")),
        ]
        for key, one in keys.items():
            attribute = None if is_part else one.get("attribute", key)
            part = one.get("part", option["part"])
            bounds = (one.get(key) for key in ("least", "greatest", "words", "hint"))
            yield [f"{name}.{key}", one["types"], part, attribute, *bounds]


def values(options: Options, is_part: bool) -> str:
    lines = []
    for number, row in enumerate(rows(options, is_part)):
        written = [literal(value) for value in row]
        if number == 0:
            kinds = ["", "::text[]", "", "::text", "::float8", "::float8", "::text[]", ""]
            written = [value + kind for value, kind in zip(written, kinds, strict=True)]
        line = f"    ({', '.join(written)})"
        if len(line) > WIDTH - 1:
            line = f"    ({', '.join(written[:-1])},\n{wrapped(str(row[-1]), '     ')})"
        lines.append(line)
    return ",\n".join(lines)


def listing(name: str, options: Options, is_part: bool) -> str:
    more = "" if is_part else "\n  union all\n  select * from braid_store.extend_search_options()"
    comment = (
        "List the options of searches that the part adds, as known_search_options does."
        if is_part
        else "List the options of a search, and the keys of options that are objects, named option.key. types: the "
        "JSON types that the option may have. part: the part of a search to which it belongs. attribute: the attribute "
        "of braid_store.search_options that stores it. least_value, greatest_value and words limit its values. hint "
        "is given with errors. A former name of an option has no types; its hint shows what replaces it."
    )
    return (
        f"-- Made of options.json by: {COMMAND}\n"
        f"create or replace function braid_store.{name}()\nreturns table ({COLUMNS})\n"
        + ("language plpgsql\n" if is_part else "language sql\n")
        + "immutable\nparallel safe\nsecurity invoker\nrows 60\nset search_path = pg_catalog, pg_temp\nas $$\n"
        + ("begin\n  return query\n" if is_part else "")
        + f"  values\n{values(options, is_part)}{more};\n"
        + ("end\n" if is_part else "")
        + f"$$;\n\ncomment on function braid_store.{name}() is\n{wrapped(comment)};\n"
    )


def wrapped(text: str, indent: str = "  ") -> str:
    """Return a text as literals of SQL on lines of their own, which PostgreSQL joins."""
    lines, line = [], ""
    for word in text.replace("'", "''").split(" "):
        if len(indent) + len(line) + len(word) > WIDTH - 5:
            lines.append(line)
            line = ""
        line += word + " "
    return "\n".join(f"{indent}'{part}'" for part in [*lines, line.rstrip()])


def default_options(options: Options) -> str:
    """Return the SQL function that makes the default options. Its body is one expression, because a session's first
    search plans each expression separately."""
    given: dict[str, Any] = {}
    for name, option in options.items():
        for key, one in [(name, option), *option.get("keys", {}).items()]:
            if "default" in one and one.get("attribute", key) not in given:
                given[one.get("attribute", key)] = one["default"]
    text = (SQL / "core" / "10_foundation" / "4_types" / "search_options.sql").read_text()
    attributes = ATTRIBUTE.findall(text[: text.index("\n);")])
    lines = []
    for place, (name, kind) in enumerate(attributes):
        value = json.dumps(given[name]) if kind == "jsonb" and name in given else given.get(name)
        written = (
            f"default_options.{name}"
            if name in ("embedding_model", "operators")
            else str(bool(value)).lower()
            if kind == "boolean"
            else literal(value)
        )
        lines.append(f"    {written}{',' if place < len(attributes) - 1 else ''} -- {name}")
    return (
        f"-- Made of options.json and of the type's file by: {COMMAND}\n"
        "create or replace function braid_store.default_options(embedding_model text, operators boolean)\n"
        "returns braid_store.search_options\nlanguage plpgsql\nimmutable\nparallel safe\nsecurity invoker\n"
        "set search_path = pg_catalog, pg_temp\nas $$\nbegin\n"
        "  -- All defaults are one expression, because a session's first search plans each expression separately.\n"
        "  return row(\n" + "\n".join(lines) + "\n  )::braid_store.search_options;\nend\n$$;\n\n"
        "comment on function braid_store.default_options(text, boolean) is\n"
        "  'Return the options of a search that gives none, or only embedding_model and operators. Options that the '\n"
        "  'collection decides are null.';\n"
    )


def kind_of(option: Mapping[str, Any]) -> str:
    """Return the Python type of an option."""
    kinds = []
    for kind in option["types"]:
        if kind == "string" and "words" in option:
            kinds.append(f"Literal[{', '.join(json.dumps(word) for word in option['words'])}]")
        else:
            kinds.append(PYTHON[kind])
    return " | ".join(kinds)


def client_type(options: Options) -> str:
    lines = "".join(f"    {name}: {kind_of(option)}\n" for name, option in options.items() if "said" not in option)
    return (
        '"""The options of a search, for type checkers. A search does not load it.\n\n'
        f'Made of `options.json` by: {COMMAND}\n"""\n\n'
        "from __future__ import annotations\n\nfrom collections.abc import Mapping, Sequence\n"
        "from typing import Any, Literal, TypedDict\n\n"
        '__all__ = ["SearchOptions"]\n\n\n'
        "class SearchOptions(TypedDict, total=False):\n"
        '    """The options of a search: docs/reference/options.md."""\n\n' + lines
    )


def every_option() -> Options:
    return {**core_options(), **{name: option for _, part in part_options().values() for name, option in part.items()}}


def files() -> dict[Path, str]:
    core, parts = core_options(), part_options()
    made = {
        REQUEST / "known_search_options.sql": listing("known_search_options", core, False),
        REQUEST / "default_options.sql": default_options(core),
        ROOT / "python" / "pgbraid" / "src" / "pgbraid" / "search_options.py": client_type(every_option()),
    }
    for part, (folder, options) in parts.items():
        name = f"extend_search_options_{part}"
        made[folder / f"{name}.sql"] = listing(name, options, True)
    return made


def main() -> int:
    outdated = [file for file, text in files().items() if not file.exists() or file.read_text() != text]
    for file in outdated:
        print(f"{file.relative_to(ROOT)} {'is out of date: ' + COMMAND if '--check' in sys.argv else 'written'}")
        if "--check" not in sys.argv:
            file.write_text(files()[file])
    return int("--check" in sys.argv and bool(outdated))


if __name__ == "__main__":
    sys.exit(main())
