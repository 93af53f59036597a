"""Run random calls of all searches on both sides; compare rows, scores to the last bit, order, statistics, warnings
and errors."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from benchmarks.changes.content import TENANTS, document
from benchmarks.changes.databases import Side, member
from benchmarks.changes.searches import OPERATORS, OPTIONS, Call, Searches, moved

# The table maps an argument's or option's path in the other checkout to its path here, for example
# {"options.rerank": "options.rank_by"}. A path that begins with "options" applies to all options, also in an
# evaluation's configuration. If a renamed call is refused, only its SQLSTATE is compared.
RENAMED: dict[str, str] = {}
# These arguments are a jsonb; others are an array, a vector or a plain value.
JSON = {"options", "filters", "queries", "configuration", "configurations", "search_space", "documents"}
# These parts of an answer differ from call to call.
OF_THE_CALL = {"timings", "search_id", "latency", "created_at", "updated_at"}
# These warnings depend on a clock.
OF_THE_CLOCK = {"undeclared_filter", "vectors_not_indexed"}
CHUNK_IDS = """
select c.id from braid_store.chunks c join braid_store.collections k on k.id = c.collection_id
join braid_store.tenants t on t.id = c.tenant_id where t.key = %s and k.name = %s order by c.id
"""
LONGEST = 3000


def compare_answers(old: Side, new: Side, seed: int, count: int) -> int:
    """Print each difference and the coverage; return how many calls differ."""
    with old.connect() as db:
        chunk_ids = {
            (tenant, name): [row[0] for row in db.execute(CHUNK_IDS, (tenant, name))]
            for tenant in TENANTS
            for (name,) in db.execute("select name from braid.collections").fetchall()
        }
        takes = dict(
            db.execute(
                "select proname, proargnames[1:pronargs] from pg_proc where pronamespace = 'braid'::regnamespace"
            ).fetchall()
        )
    searches = Searches(seed, {name: set(taken or []) for name, taken in takes.items()}, chunk_ids)
    compared = _Compared(old, new)
    calls = searches.make(count) + searches.make_plain(count // 3)
    searches.rng.shuffle(calls)
    for call in calls[: len(calls) * 3 // 4] + searches.refused():
        compared.search(call)
    # From here on, each side's own code writes. No written vector enters an HNSW index, because its links are random.
    for call in _writes():
        compared.call(call)
    for call in calls[len(calls) * 3 // 4 :]:
        compared.search(call)
    compared.report()
    return compared.differing


def _writes() -> Iterator[Call]:
    for tenant in ("beta", "gamma"):
        for collection in ("articles", "notes", "talks"):
            documents = [document(collection, n, tenant, 2) for n in (*range(8, 20), *range(900, 920))]
            # Some documents are unchanged: both sides must accept the hashes that the other checkout stored.
            documents += [document(collection, n, tenant) for n in range(20, 30)]
            yield Call(tenant, "upsert_documents", {"documents": documents, "collection": collection})
            yield Call(tenant, "delete_documents", {"external_ids": ["d0009", "d0901"], "collection": collection})
            yield Call(tenant, "check_index", {"collection": collection})
        yield Call(tenant, "update_metadata", {"external_id": "d0010", "metadata": {"n": 1}, "collection": "articles"})
        learned = {"profile": "ben", "liked": ["d0011", "d0012"], "disliked": ["d0013"], "collection": "articles"}
        yield Call(tenant, "learn_profile", learned)
        yield Call(tenant, "get_profile", {"profile": "ben"})
        yield Call(tenant, "export_tenant", {"collection": "notes"})


class _Compared:
    def __init__(self, old: Side, new: Side) -> None:
        self.connections = {
            (side.name, tenant): side.connect(member(tenant)) for side in (old, new) for tenant in TENANTS
        }
        self.differing = 0
        self.answered: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.covered: Counter[str] = Counter()
        self.found: Counter[str] = Counter()

    def search(self, call: Call) -> None:
        """Compare a search and, if it asks for pages, the next page."""
        answers = self.call(call)
        cursors = [_cursor(answer) for answer in answers]
        if all(cursors) and call.arguments.get("options", {}).get("cursor") == "":
            self.call(call, cursors)

    def call(self, call: Call, cursors: Sequence[str | None] = (None, None)) -> tuple[Any, Any]:
        """Compare a call; `cursors` are each side's own cursors, which the other side cannot read."""
        renamed = rename(call.arguments)
        old, new = (
            ask(
                self.connections[side, call.tenant],
                call.function,
                arguments | {"options": arguments["options"] | {"cursor": cursor}} if cursor else arguments,
            )
            for side, arguments, cursor in zip(("old", "new"), (call.arguments, renamed), cursors, strict=True)
        )
        (self.refused if "sqlstate" in old else self.answered)[call.function] += 1
        if "sqlstate" not in old:
            self.covered.update(_keys(call.arguments.get("options")))
            self.covered.update(name for name in _keys(call.arguments.get("filters")) if name[0] == "$")
            self.found.update(_kinds(old))
        # A cursor holds a hash of the search's arguments, which may differ between versions.
        compared = _opened(old), _opened(new)
        if renamed != call.arguments:
            compared = _as_renamed(compared[0]), compared[1]
            if "sqlstate" in old:
                compared = {"sqlstate": old["sqlstate"]}, {"sqlstate": new.get("sqlstate")}
        if compared[0] != compared[1]:
            self.differing += 1
            found = list(differences(*compared))
            print(f"\ndifference {self.differing}, in {len(found)} places: " + "; ".join(found[:3]))
            print(f"  tenant {call.tenant}: braid.{call.function}")
            for name, value in (("arguments", call.arguments), ("renamed", renamed), ("old", old), ("new", new)):
                if name != "renamed" or renamed != call.arguments:
                    print(f"  {name}: {_short(value)}")
        return old, new

    def report(self) -> None:
        total = self.answered.total() + self.refused.total()
        print(f"\n{total} calls compared, {self.refused.total()} of them refused, {self.differing} differ")
        for name in sorted(self.answered | self.refused):
            print(f"  {name}: {self.answered[name]} answered, {self.refused[name]} refused")
        for title, names in (
            ("options", [path.rpartition(".")[2] for path in OPTIONS.values()]),
            ("operators", [name for name in OPERATORS if name[0] == "$"]),
        ):
            print(f"{title} that were answered: " + ", ".join(f"{name} {self.covered[name]}" for name in names))
        print("in the answers: " + ", ".join(f"{name} {count}" for name, count in sorted(self.found.items())))


def ask(db: psycopg.Connection[Any], function: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rows of a call, or its error."""
    given = {
        name: Jsonb(value) if name in JSON else str(value) if name.endswith("embedding") else value
        for name, value in arguments.items()
    }
    named = ", ".join(
        f"{name} => %({name})s{'::vector' if name.endswith('embedding') else '::jsonb' if name == 'metadata' else ''}"
        for name in given
    )
    given = {name: Jsonb(value) if isinstance(value, dict) else value for name, value in given.items()}
    try:
        rows = db.execute(f"select to_json(r)::text from braid.{function}({named}) r", given).fetchall()
    except psycopg.Error as error:
        found = error.diag
        # A list of all names changes with the names.
        hint = (found.message_hint or "").partition("The keys are: ")[0]
        return {"sqlstate": found.sqlstate, "message": found.message_primary, "hint": hint}
    # Numbers stay text: PostgreSQL writes as many digits as distinguish a float8 from its neighbours.
    return {"rows": [_scrub(json.loads(text, parse_float=str)) if text else None for (text,) in rows]}


def rename(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with this checkout's names."""
    return moved(arguments, RENAMED)


def _as_renamed(answer: Any) -> Any:
    """Return the other checkout's answer with this checkout's names where it repeats arguments."""
    return {**answer, "rows": [rename(row) if isinstance(row, dict) else row for row in answer.get("rows", [])]}


def _opened(value: Any) -> Any:
    """Return an answer with its cursors decoded, but without the hashes of the search and of the cursor."""
    if isinstance(value, list):
        return [_opened(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    made = {name: _opened(inner) for name, inner in value.items()}
    for name in ("cursor", "next_cursor"):
        if isinstance(text := made.get(name), str):
            held = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))[8:]
            made[name] = {key: inner for key, inner in json.loads(held).items() if key != "f"}
    return made


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield the differences of two answers, with both values."""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = [(str(name), old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys())]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(str(place), a, b) for place, (a, b) in enumerate(zip(old, new, strict=True))]
    else:
        pairs = []
        if old != new:
            yield f"{path or 'all'}: {_short(old, 300)} became {_short(new, 300)}"
    for name, a, b in pairs:
        yield from differences(a, b, f"{path}.{name}")


def _scrub(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _scrub(inner) for name, inner in value.items() if name not in OF_THE_CALL and not name.endswith("_ms")
        }
    if isinstance(value, list):
        return [_scrub(inner) for inner in value if not (isinstance(inner, dict) and inner.get("code") in OF_THE_CLOCK)]
    return value


def _cursor(answer: Any) -> str | None:
    rows = answer.get("rows") or [None]
    if not isinstance(rows[-1], dict):
        return None
    found = rows[-1].get("cursor") or (rows[-1].get("stats") or {}).get("next_cursor")
    return str(found) if found else None


def _kinds(answer: Any) -> Iterator[str]:
    """Yield the modes and the codes of warnings in an answer."""
    rows = answer["rows"]
    if len(rows) == 1 and isinstance(rows[0], dict) and "stats" in rows[0]:
        yield f"semantic mode {rows[0]['stats'].get('semantic_mode')}"
        yield from (f"warning {warning['code']}" for warning in rows[0].get("warnings", []))
        rows = rows[0].get("results", [])
    yield "answers with rows" if rows else "answers without rows"


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)


def _short(value: Any, longest: int = LONGEST) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text)} characters)"
