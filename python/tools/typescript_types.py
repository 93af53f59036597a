"""Write the TypeScript types of the API, read from the catalog, in the shape that supabase-js takes.

They are those of `supabase gen types`, but for vectors, which may also be arrays of numbers, and for arguments whose
default is null, which may be null.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import psycopg

TARGET = Path(__file__).parents[2] / "docker" / "supabase" / "functions" / "_shared" / "braid.ts"
COMMAND = "make types"

SCALARS = {
    "bool": "boolean",
    "bytea": "string",
    "int4": "number",
    "int8": "number",
    "float4": "number",
    "float8": "number",
    "text": "string",
    "varchar": "string",
    "numeric": "number",
    "date": "string",
    "timestamptz": "string",
    "tstzrange": "string",
    "tstzmultirange": "string",
    "interval": "string",
    "jsonb": "Json",
    "json": "Json",
    "halfvec": "number[] | string",
    "vector": "number[] | string",
    "uuid": "string",
    "void": "undefined",
}

FUNCTIONS = """
select p.proname, p.proretset, p.prorettype::regtype::oid,
  coalesce(p.proargnames, '{}'), coalesce(p.proargmodes::text[], array_fill('i'::text, array[p.pronargs::int])),
  coalesce(p.proallargtypes, p.proargtypes::oid[]),
  array(select pg_catalog.pg_get_function_arg_default(p.oid, n) from generate_series(1, p.pronargs) n)
from pg_catalog.pg_proc p
where p.pronamespace = 'braid'::regnamespace
order by p.proname
"""
RELATIONS = """
select c.relname, c.relkind = 'v', array_agg(a.attname::text order by a.attname),
  array_agg(a.atttypid order by a.attname)
from pg_catalog.pg_class c
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'braid'::regnamespace and c.relkind in ('v', 'c')
group by c.relname, c.relkind
order by c.relname
"""
TYPES = """
select t.oid, t.typname, coalesce(e.typname, ''), t.typtype = 'c' and t.typnamespace = 'braid'::regnamespace
from pg_catalog.pg_type t
left join pg_catalog.pg_type e on e.oid = t.typelem and t.typcategory = 'A'
"""

OPTIONS = "select name, types from braid_store.known_search_options()"
JSON_TYPES = {"array": "Json[]", "object": "{ [key: string]: Json | undefined }"}

HEADER = f"""\
// The API of pgbraid, for createClient<Database>(…).schema('braid'). Made from the catalog by: {COMMAND}
export type Json = string | number | boolean | null | {{ [key: string]: Json | undefined }} | Json[]

type None = {{ [_ in never]: never }}
"""


def generate(connection: psycopg.Connection[Any]) -> str:
    """The text of the file, from a database with pgbraid."""
    types = {oid: (name, element, ours) for oid, name, element, ours in connection.execute(TYPES)}

    def typescript(oid: int) -> str:
        name, element, ours = types[oid]
        if ours:
            return f"Database['braid']['CompositeTypes']['{name}']"
        if element:
            # In an array PostgREST takes a vector as a string only.
            return "string[]" if element in ("halfvec", "vector") else f"{SCALARS[element]}[]"
        return SCALARS[name]

    def record(names: list[str], oids: list[int]) -> list[str]:
        return [f"{name}: {nullable(typescript(oid))}" for name, oid in zip(names, oids, strict=True)]

    functions = []
    for name, many, returned, names, modes, oids, defaults in connection.execute(FUNCTIONS):
        given = [place for place, mode in enumerate(modes) if mode == "i"]
        columns = [place for place, mode in enumerate(modes) if mode == "t"]
        arguments = []
        for place in given:
            # All that have options take those of searches.
            kind = "SearchOptions" if names[place] == "options" else typescript(oids[place])
            default = defaults[place]
            if default is None:
                arguments.append(f"{names[place]}: {kind}")
            else:
                arguments.append(f"{names[place]}?: {nullable(kind) if default.startswith('NULL') else kind}")
        result = (
            block(record([names[place] for place in columns], [oids[place] for place in columns]), 5)
            if columns
            else typescript(returned)
        )
        functions.append(
            f"{name}: "
            + block(
                [
                    f"Args: {block(sorted(arguments), 5) if arguments else 'never'}",
                    f"Returns: {result}{'[]' if many else ''}",
                ],
                4,
            )
        )
    views, composites = [], []
    for name, is_view, names, oids in connection.execute(RELATIONS):
        if is_view:
            views.append(f"{name}: " + block([f"Row: {block(record(names, oids), 5)}", "Relationships: []"], 4))
        else:
            composites.append(f"{name}: " + block(record(names, oids), 4))
    schema = [
        "Tables: None",
        f"Views: {block(views, 3)}",
        f"Functions: {block(functions, 3)}",
        "Enums: None",
        f"CompositeTypes: {block(composites, 3)}",
    ]
    options = [
        f"{name}?: {' | '.join([*(JSON_TYPES.get(kind, kind) for kind in kinds), 'null'])}"
        for name, kinds in connection.execute(OPTIONS)
    ]
    return (
        f"{HEADER}\nexport type SearchOptions = {block(options, 1)}\n"
        f"\nexport type Database = {block(['braid: ' + block(schema, 2)], 1)}\n"
    )


def nullable(kind: str) -> str:
    return kind if kind == "Json" else f"{kind} | null"


def block(lines: list[str], depth: int) -> str:
    inner, outer = "  " * depth, "  " * (depth - 1)
    return "{\n" + "".join(f"{inner}{line}\n" for line in lines) + outer + "}"


def main() -> None:
    from pgbraid import embedded
    from pgbraid.install import install

    folder = Path(tempfile.mkdtemp(prefix="pgbraid-types-"))
    try:
        server = embedded.ensure_running(folder)
        install(server.dsn_for("postgres"))
        with psycopg.connect(server.dsn_for("postgres")) as connection:
            TARGET.parent.mkdir(parents=True, exist_ok=True)
            TARGET.write_text(generate(connection))
    finally:
        embedded.stop(folder)
        shutil.rmtree(folder)
    print(f"{TARGET} written")


if __name__ == "__main__":
    main()
