"""Make docs/reference/settings.md: the settings of a collection, as `sql/` declares them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sql_comments import comments_on_columns

from pgbraid.install.resources import resources
from reference.markdown import coded, document, item, table, wrapped

# A value of a row: a string, null, a number or a word.
VALUE = re.compile(r"'((?:[^']|'')*)'(?:::\w+(?:\[\])?)?|(\bnull\b)(?:::\w+(?:\[\])?)?|([\w.+-]+)")
# Functions that change the settings of parts; set_ranking changes all others.
SET_BY = {
    "permissions": "set_permissions",
    "query_vectors": "set_query_embeddings",
    "reranking": "set_token_vectors",
    "search_log": "set_search_log",
    "validity": "set_validity",
}
# Defaults that follow from other settings.
CHOSEN = {"vector_storage": "chosen by `dimensions`", "hnsw_ef_construction": "2 × max(50, `hnsw_m`)"}
WEIGHTS = ("full_text_weight", "semantic_weight", "sparse_weight")
INTRODUCTION = """
`make generate` makes this page from the files of `sql/`. [`create_collection`](functions.md#create_collection) takes
the settings of the collection as `settings`, and the settings of the ranking as `ranking`. The view
[`collections`](views.md#collections) shows the settings of each collection.
"""
RANKING = """
[`set_ranking`](functions.md#set_ranking) changes these settings for all searches of a collection. The option
[`ranking`](options.md#ranking) sets them for one search. [Ranking](../guide/ranking.md) explains them by examples.
"""
PRESETS = """
The setting `preset` stands for all settings of a kind of collection; settings beside it override it. A new collection
has the preset `prose` unless you name another.
"""


def sql_of(name: str) -> str:
    """Return the text of a braid_store function's file, with continued literals joined."""
    (text,) = [file.text for file in resources().repeatable if file.name.endswith(f"/{name}.sql")]
    return re.sub(r"'\n\s*'", "", text)


def rows_of(name: str) -> Iterator[list[str | None]]:
    """Yield the rows that a function lists in its values."""
    body = re.search(r"\n  values\n(.*?)(?:;|\n  union all)\n", sql_of(name), re.S)
    assert body is not None, name
    for row in re.split(r",\n(?=    \()", body[1]):
        found = VALUE.findall(row.strip()[1:-1])
        yield [None if is_null else (text or word).replace("''", "'") for text, is_null, word in found]


def columns() -> dict[str, str]:
    return dict(comments_on_columns("braid.collections", sql_of("2_read/collections")))


def presets() -> dict[str, dict[str, Any]]:
    """Return the settings of each preset."""
    text = re.sub(r"'\n\s+'", "", sql_of("ranking_preset"))
    new = json.loads(re.findall(r"c_ranking constant jsonb := '(.*?)'", sql_of("insert_collection"))[0])
    shared = {
        key: json.loads(value.replace("'", '"'))
        for key, value in re.findall(r"'(k1|b|typos|[a-z]+_[a-z]+)', ([\d.]+|null|'\w+')[,)]", text)
    }
    sparse = float(re.findall(r"leg = 'sparse' then ([\d.]+)", sql_of("default_weight"))[0])
    made = {}
    for name, own in re.findall(r"when '(\w+)'\s+then '(\{.*?\})'", text):
        settings = {**new, **shared, "sparse_weight": sparse, **json.loads(own)}
        if settings["fusion"] == "rrf":
            settings |= dict.fromkeys(WEIGHTS, 1)
        made[name] = settings
    return made


def shown(value: object) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"


def section(name: str, sentence: str, *items: str) -> Iterator[list[str]]:
    yield [f"### {name}"]
    yield wrapped(coded(sentence))
    yield [line for text in items for line in item(text)]


def collection_settings() -> Iterator[list[str]]:
    for name, _, _, _, _, default, _, can_change, hint in rows_of("known_collection_settings"):
        assert name and hint
        known = shown(json.loads(default)) if default else CHOSEN.get(name, "`null`")
        yield from section(
            name,
            columns()[name],
            coded(hint),
            f"Default: {known}.",
            "[`set_collection`](functions.md#set_collection) can change it."
            if can_change == "true"
            else "It cannot change once the collection exists.",
        )


def ranking_settings() -> Iterator[list[str]]:
    for name, *_, hint in rows_of("known_ranking_settings"):
        assert name and hint
        yield from section(name, columns()[name], coded(hint), f"Presets: {defaults(name)}.")
    for part, name, facts in part_settings():
        if "ranking_hint" in facts:
            yield from section(name, facts["sentence"], coded(facts["ranking_hint"]), part_link(part))


def defaults(name: str) -> str:
    values = {preset: shown(settings[name]) for preset, settings in presets().items()}
    if len(set(values.values())) == 1:
        return f"all have {next(iter(values.values()))}"
    return ", ".join(f"{preset} {value}" for preset, value in values.items())


def part_settings() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for part, text in resources().parts.items():
        for name, facts in json.loads(text).get("settings", {}).items():
            yield part, name, facts


def part_link(part: str) -> str:
    return f"Part: [{part.replace('_', ' ')}](../guide/parts.md)."


def page() -> str:
    """Return the page."""
    made = presets()
    names = [name for name, *_ in rows_of("known_ranking_settings") if name]
    others = [found for found in part_settings() if "ranking_hint" not in found[2]]
    return document(
        ["# Settings of a collection"],
        wrapped(INTRODUCTION),
        ["## Settings of the collection"],
        *collection_settings(),
        ["## Settings of the ranking"],
        wrapped(RANKING),
        *ranking_settings(),
        ["## Presets"],
        wrapped(PRESETS),
        table(
            ["setting", *(f"`{preset}`" for preset in made)],
            ([f"`{name}`", *(shown(settings[name]) for settings in made.values())] for name in names),
        ),
        ["## Settings of parts"],
        *(
            part
            for owner, name, facts in others
            for part in section(
                name,
                facts["sentence"],
                f"Default: {shown(facts['default'])}.",
                f"[`{SET_BY[owner]}`](functions.md#{SET_BY[owner]}) changes it. {part_link(owner)}",
            )
        ),
    )
