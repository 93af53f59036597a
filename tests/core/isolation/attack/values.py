"""Make hostile values for each type of argument."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from random import Random
from typing import Any

INJECTIONS = [
    "') or true --",
    "' or '1'='1",
    "\\' or true --",
    "$$; reset role; $$",
    "%s %L %I %1$s %",
    'a"; drop table braid_store.documents; --',
    "); select set_config('braid.tenant', 'beta', true); --",
    "x' collate \"C\" is null or c.tenant_id > 0 or 'x' = '",
    "$1",
    "tenant_id",
    "\u2019 or true --",
]
# These belong to the victim: its key, an id, its words, similar words, and prefixes of its words.
VICTIM = [
    "beta",
    "zyxdoc-7",
    "zyxfalcon",
    "zyxfalcn",
    "zyx*",
    '"zyxfalcon zyxmarble"',
    "discount -zyxfalcon zyxkey:*",
    "Zyxana Quillfeather",
]
TEXTS = [
    *INJECTIONS,
    *VICTIM,
    "",
    " \t\n",
    "\x01\x07\x1b[31m\x7f\x85",
    "\u202ereversed\u200d\u0301\ufeff \U0001f600\U0001f468\u200d\U0001f469 \uffff\U0010ffff",
    "\u0130\u0131\u1e9e\ufb03 \u5b57\u5178 \u0e20\u0e32\u0e29\u0e32",
    "x" * 20_000,
    # This text cannot be compressed, and is longer than an index entry may be.
    "".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(200)),
    "discount " * 3_000,
    '"' * 500 + "(" * 500,
    '{"a": 1}',
    "null",
    "-1",
    "german",
    "small",
]
INTS = [0, -1, 1, 3, 100_000, 2**31 - 1, -(2**31)]
BIGINTS = [0, -1, 2**63 - 1, -(2**63)]
FLOATS = ["NaN", "Infinity", "-Infinity", 0, -1, 0.5, 1e308, -1e308, 5e-324]
INTERVALS = ["0", "-1 day", "1 microsecond", "1 mon -30 days", "178000000 years", "2 seconds"]
TIMES = ["infinity", "-infinity", "4713-01-01 00:00 BC", "294276-12-31", "2026-03-01T12:00:00+14:00"]
VECTORS = [
    "[1,0,0]",
    "[1,0]",
    "[0,0,0]",
    "[1e38,1e38,-1e38]",
    "[1e-38,0,0]",
    "[" + ",".join(["1"] * 384) + "]",
    "[" + ",".join(["0.5"] * 16_000) + "]",
]
OPERATORS = [
    "$eq",
    "$ne",
    "$gt",
    "$gte",
    "$lt",
    "$lte",
    "$in",
    "$nin",
    "$exists",
    "$and",
    "$or",
    "$not",
    "$regex",
    "$where",
    "zyx",
]
COLUMNS = ["external_id", "source_uri", "speaker", "category", "importance", "occurred_at", "language"]
OTHER_KEYS = ["year", "zyxkey", "metadata.zyxkey", "metadata.", "a.b.c", ".", "tenant_id", "c.tenant_id", "", "$or"]


def nested(opening: str, closing: str, depth: int) -> Any:
    return json.loads(opening * depth + "1" + closing * depth)


SCALARS: list[Any] = [None, True, 0, -1, 1e308, 10**60, 1e-320, "", "beta", "zyxfalcon", "2026-01-01", *INJECTIONS[:6]]
JSONS: list[Any] = [
    *SCALARS,
    [],
    {},
    [None],
    [{}],
    {"": ""},
    {"?": 1},
    nested("[", "]", 300),
    nested('{"a":', "}", 300),
    {"tenant_id": 2, "tenant": "beta"},
    list(range(2000)),
    {f"k{number}": number for number in range(500)},
    {"\u202e\x01": "\x7f\U0010ffff"},
]


def filters() -> list[Any]:
    """Return filters with a hostile key, operator or operand in every position."""
    keys = [*COLUMNS, *OTHER_KEYS, *INJECTIONS]
    operands: list[Any] = [*SCALARS, [], {}, ["zyxfalcon", None, 1], {"$ne": "x"}]
    made: list[Any] = [{key: operand} for key in keys for operand in operands]
    made += [{key: {operator: operand}} for key in keys[:12] for operator in OPERATORS for operand in operands[::3]]
    made += [{operator: [{key: "x"}, {"speaker": key}]} for operator in OPERATORS for key in INJECTIONS]
    made += [
        nested('{"$not":', "}", 300) | {},
        json.loads('{"$not":' * 300 + '{"speaker": "zyxfalcon"}' + "}" * 300),
        json.loads('{"$or":[' * 200 + '{"speaker": "zyxfalcon"}' + "]}" * 200),
        {"speaker": {"$in": [f"s{number}" for number in range(3000)]}},
        {f"key{number}": number for number in range(200)},
    ]
    return made


def literal(value: Any) -> str:
    """Return a value as SQL without its type."""
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False)
    return "'" + str(value).replace("'", "''") + "'"


def array(values: Sequence[Any]) -> str:
    return "array[" + ", ".join(literal(value) for value in values) + "]"


def hostile(kind: str, name: str, chunk_ids: Sequence[int], random: Random) -> list[str]:
    """Return hostile SQL expressions of a type; `chunk_ids` are the victim's."""
    ids = list(chunk_ids)
    made: dict[str, list[str]] = {
        "text": [literal(value) for value in TEXTS],
        "integer": [literal(value) for value in INTS],
        "bigint": [literal(value) for value in [*BIGINTS, *ids[:5]]],
        "double precision": [literal(value) for value in FLOATS],
        "boolean": ["true", "false"],
        "interval": [literal(value) for value in INTERVALS],
        "timestamp with time zone": [literal(value) for value in TIMES],
        "vector": [literal(value) for value in VECTORS],
        "vector[]": [
            *(array(values) for values in ([], VECTORS[:1], VECTORS[:3], VECTORS[3:5], [None], VECTORS[:1] * 9)),
            f"array[{array(VECTORS[:1] * 2)}, {array(VECTORS[:1] * 2)}]",
            "'[5:5]={\"[1,0,0]\"}'",
        ],
        "bigint[]": [
            *(array(values) for values in ([], ids[:9], ids, [None], [1, 1], BIGINTS, ids[:2] * 50)),
            "'{{1,2},{3,4}}'",
            "'[5:6]={1,2}'",
        ],
        "text[]": [
            *(array(values) for values in ([], [None], INJECTIONS, VICTIM, ["discount"] * 500, TEXTS)),
            *(array([text]) for text in TEXTS),
            "array[array['zyxfalcon', 'a'], array['b', 'c']]",
            "'[5:6]={speaker,category}'",
            "'{{speaker,category}}'",
            "'[0:1][3:4]={{speaker,category},{external_id,language}}'",
        ],
        "jsonb": [literal(json.dumps(value)) for value in JSONS],
    }
    if kind == "jsonb" and name == "filters":
        made["jsonb"] += [literal(json.dumps(value)) for value in random.sample(filters(), 150)]
    # A new type gets only null.
    return ["null", *made.get(kind, [])]
