"""Make docs/reference/options.md: each option of a search, as `options.json` declares it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import search_options

from reference.markdown import brief, coded, document, guide, item, table, wrapped

Option = Mapping[str, Any]
INTRODUCTION = r"""
`make generate` makes this page from each `options.json` in `sql/`. The argument `options` of every search is a JSON
object, such as `{"snippet": true, "language": "en"}`. A search without it has the defaults, and a default that is
given changes nothing. An option that does not exist is an error that lists all options.
"""


def default_of(option: Option) -> str:
    if "unless" in option:
        return str(option["unless"])
    return f"`{json.dumps(option['default'], ensure_ascii=False)}`" if "default" in option else "none"


def values_of(option: Option) -> str:
    """Return the types and bounds of an option or of a key."""
    kinds = {"integer": "whole number", "null": "`null`"}
    known = [f'`"{word}"`' for word in option.get("words", ())]
    # A string option lists its words instead.
    named = [kinds.get(kind, kind) for kind in option["types"] if not (kind == "string" and known)]
    bounds = f" from {option['least']:,} to {option['greatest']:,}" if "least" in option else ""
    if bounds:
        named = [kind + bounds * ("number" in kind) for kind in named]
    return " or ".join([*named, *known])


def section(name: str, option: Option, parts: Mapping[str, str]) -> Iterator[list[str]]:
    yield [f"### {name}"]
    yield wrapped(coded(option["text"]))
    lines = item(f"Value: {values_of(option)}. Default: {default_of(option)}.")
    for key, one in option.get("keys", {}).items():
        text = f" {coded(one['text'])}" if "text" in one else ""
        lines += item(f"Key `{key}`: {values_of(one)}. Default: {default_of(one)}.{text}")
    # Other hints repeat the value's type and bounds.
    if option["types"] != ["boolean"] and "least" not in option:
        lines += item(coded(option["hint"]))
    part = f" Part: [{parts[name].replace('_', ' ')}](../guide/parts.md)." if name in parts else ""
    yield [*lines, *item(f"Guide: {guide(option['page'])}.{part}")]


def page() -> str:
    """Return the page."""
    added = {name: part for part, (_, options) in search_options.part_options().items() for name in options}
    every = search_options.every_option()
    known = {name: option for name, option in every.items() if "said" not in option}
    old = {name: option["said"] for name, option in every.items() if "said" in option}
    rows = ([f"[`{name}`](#{name})", default_of(one), coded(brief(one["text"]))] for name, one in known.items())
    order = ", ".join(f"[`{name}`](#{name})" for name, one in known.items() if one["part"] == "arrangement")
    return document(
        ["# Options of a search"],
        wrapped(INTRODUCTION),
        wrapped(f"The options that shape results are applied in this order: {order}."),
        table(["option", "default", "what it does"], rows),
        ["## Each option"],
        *(part for name, option in sorted(known.items()) for part in section(name, option, added)),
        ["## Names that are refused"],
        wrapped("These names were options once. A search that gives one is refused, and the hint says what to write."),
        table(["name", "write"], ([f"`{name}`", f"`{json.dumps(said)}`"] for name, said in old.items())),
    )
