"""Make calls of every function of the API from the catalog, so that new functions are attacked too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import psycopg
from core.isolation.attack.values import JSONS, TEXTS, hostile, literal
from core.isolation.world import Connection

from support.api import arguments, example
from support.calls import one

# These arguments replace an example's: the example names a thing that the attack would change or drop for its other
# calls, or it looks up a chunk.
BENIGN = {"chunk_id": ":own", "chunk_ids": "array[:own]"}

FUNCTIONS = """
select p.proname as name, p.provolatile <> 'v' as reads, p.pronargs - p.pronargdefaults as required,
  coalesce(p.proargnames[:p.pronargs], '{}') as names,
  array(select format_type(t.oid, null) from unnest(p.proargtypes) with ordinality t (oid, place)
        order by t.place) as types
from pg_proc p where p.pronamespace = 'braid'::regnamespace and p.prokind = 'f' order by p.proname
"""


@dataclass(frozen=True)
class Function:
    name: str
    reads: bool
    required: int
    arguments: dict[str, str]
    vector_schema: str = "public"
    # The keys of a jsonb argument that are known so far, by their path, are in `keys`.
    keys: dict[str, list[list[str]]] = field(default_factory=dict)

    def benign(self, name: str) -> str:
        """Return an argument that makes a call work."""
        return self.typed(name, BENIGN.get(name) or arguments(example(self.name)).get(name, "'small'"))

    def typed(self, name: str, expression: str) -> str:
        kind = self.arguments[name]
        return f"({expression})::{self.vector_schema + '.' if kind.startswith('vector') else ''}{kind}"

    def call(self, given: dict[str, str]) -> str:
        needed = [name for place, name in enumerate(self.arguments) if place < self.required or name == "collection"]
        values = {name: self.benign(name) for name in needed} | {
            name: self.typed(name, expression) for name, expression in given.items()
        }
        return f"braid.{self.name}(" + ", ".join(f"{name} => {value}" for name, value in values.items()) + ")"


def functions(admin: Connection) -> list[Function]:
    vector_schema = one(admin, "select extnamespace::regnamespace::text from pg_extension where extname = 'vector'")
    found = []
    for name, reads, required, names, types in admin.execute(FUNCTIONS).fetchall():
        plain = [kind.removeprefix(f"{vector_schema}.") for kind in types]
        found.append(Function(name, reads, required, dict(zip(names, plain, strict=True)), vector_schema))
    return found


def learn_keys(connection: Connection, function: Function, own: int) -> None:
    """Learn the keys of a function's jsonb arguments, two levels deep, from the function's own errors."""
    for argument, kind in function.arguments.items():
        if kind != "jsonb":
            continue
        paths: list[list[str]] = []
        for shape in ("{}", "[{}]"):
            known = ask(connection, function, argument, wrap(shape, {"?": 1}), own)
            paths += [[shape, key] for key in known]
            for key in known:
                inner = ask(connection, function, argument, wrap(shape, {key: {"?": 1}}), own)
                if inner != known:
                    paths += [[shape, key, deeper] for deeper in inner]
        function.keys[argument] = paths


def wrap(shape: str, value: dict[str, Any]) -> Any:
    return [{"external_id": "doc1"} | value] if shape == "[{}]" else value


def ask(connection: Connection, function: Function, argument: str, value: Any, own: int) -> list[str]:
    call = function.call({argument: literal(json.dumps(value))}).replace(":own", str(own))
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(f"select * from {call}")
    except psycopg.Error as error:
        listed = re.search(r"[Kk]eys are:? ([\w, ]+)", str(error.diag.message_hint))
        return [key for key in re.split(r", | and | or ", listed[1]) if key] if listed else []
    return []


def calls(function: Function, chunk_ids: list[int], random: Random, combinations: int) -> Iterator[str]:
    """Yield calls with one hostile argument and the others right, and then calls with several hostile arguments."""
    values = {name: hostile(kind, name, chunk_ids, random) for name, kind in function.arguments.items()}
    yield function.call({})
    for name, expressions in values.items():
        for expression in expressions:
            yield function.call({name: expression})
    for argument, paths in function.keys.items():
        for shape, *path in paths:
            for value in random.sample([*JSONS, *TEXTS[:20]], 8):
                inner: Any = value
                for key in reversed(path):
                    inner = {key: inner}
                yield function.call({argument: literal(json.dumps(wrap(shape, inner)))})
    for _ in range(combinations if len(values) > 1 else 0):
        chosen = random.sample(sorted(values), random.randint(2, min(4, len(values))))
        yield function.call({name: random.choice(values[name]) for name in chosen})
