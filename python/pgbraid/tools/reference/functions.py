"""Make docs/reference/functions.md: an index, then each function with its arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sql_comments import comment_on, comments_on_columns

from pgbraid.install.headers import Header, manifests, read_header
from pgbraid.install.resources import resources
from reference.markdown import block, brief, coded, document, guide, item, table, wrapped

# The line of facts says this, too.
FOR = re.compile(
    r"\s*(?:For (?:[a-z]+, )?(?:[a-z]+ and )?(?:administrators|services|monitors)"
    r"|Only [a-z ,]+ may (?:call|read) it)\.(?=\n|$)"
)
SIGNATURE = re.compile(
    r"^create or replace (?:function|procedure) braid\.\w+\((.*?)\)\n(?:returns (.*?)\n)?language ", re.S | re.M
)
ROLES = ("reader", "writer", "administrator", "service", "monitor")
ROW_TYPES = ("search_result", "write_result")
# Names of arguments, or of an argument's keys, at the start of a sentence.
NAMES = r"[a-z][a-z0-9_]*(?: \([^()]*\))?"
EXPLAINED = re.compile(rf"(?:^|(?<=\. )|(?<=\.\n)|(?<=\n))({NAMES}(?:(?:,| and) {NAMES})*): ")
# After the last argument, a sentence that begins otherwise is about the whole function.
REST = re.compile(
    r"(?<=[.)]) (?=[A-Z])(?!(?:An empty|Its?|Null|Such|Text has|The (?:key|outcome|value)|Their|They|With)\b)|\n"
)
ARGUMENTS = """
Write the names of arguments, as in `match_count => 5`: then their order does not matter. Everywhere, `collection` is
the name of a collection, `query_set` the name of a query set, and `seed` makes random choices repeatable.
"""
LINE_BREAK = re.compile("\n")
INTRODUCTION = r"""
`make generate` makes this page from the files of `sql/`. All functions are in the schema `braid`;
[views.md](views.md) lists the views. In psql, `\df+ braid.*` shows the arguments and a description of each. Writers
may call all that readers may call. A function that logs adds a row to a log; where nothing can be written, as on a
standby, it answers without.
"""


@dataclass(frozen=True)
class Listed:
    """Hold a function, procedure or view of the API with the text of its file."""

    header: Header
    text: str
    part: str

    @property
    def name(self) -> str:
        return self.header.name.removeprefix("braid.")

    @property
    def comment(self) -> str:
        return FOR.sub("", comment_on(f"{self.header.kind} {self.header.name}", self.text))


@cache
def listed(kind: str) -> dict[str, list[Listed]]:
    """Return the functions and procedures, or the views, of the core and of each part that has some."""
    found = resources()
    made: dict[str, list[Listed]] = {}
    for part in manifests(found):
        own = [
            Listed(header, file.text, part)
            for file in found.repeatable
            if file.owner == part
            and (header := read_header(file.text)) is not None
            and header.name.startswith("braid.")
            and (header.kind == "view") == (kind == "view")
        ]
        if own:
            made[part] = sorted(own, key=lambda one: (one.header.page or "", one.name))
    return made


def does(header: Header) -> str:
    return "reads" if header.kind == "view" or not header.is_volatile else "logs" if header.standby else "writes"


def roles(header: Header) -> str:
    return ", ".join(f"{role}s" for role in ROLES if role in header.roles)


def index(kind: str) -> Iterator[list[str]]:
    """Yield a table for each part."""
    for part, own in listed(kind).items():
        facts = json.loads(resources().parts[part])
        yield [f"## {title(part)}"]
        yield [facts["sentence"]]
        if not facts["is_stable"]:
            yield [f"A new database lacks this part: `pgbraid init --with {part}` adds it."]
        yield table(
            [kind, *(["what it does", "reads or writes"] if kind == "function" else ["what it shows"]), "for"],
            (row(one) for one in own),
        )


def row(one: Listed) -> list[str]:
    what = [] if one.header.kind == "view" else [does(one.header)]
    return [f"[`{one.name}`](#{one.name})", coded(brief(one.comment)), *what, roles(one.header)]


def title(part: str) -> str:
    return part.replace("_", " ").capitalize()


def facts_of(one: Listed) -> list[str]:
    """Return the line of facts: who may call it, what it does to the database, and its page in the guide."""
    header = one.header
    place = "also on standbys" if header.runs_on_standbys else "on the primary only"
    what = {"reads": f"Reads, {place}", "logs": "Reads, and logs where it can; also on standbys", "writes": "Writes"}
    anchor = title(one.part).lower().replace(" ", "-")
    part = "" if one.part == "core" else f" Part: [{title(one.part).lower()}](#{anchor})."
    return wrapped(f"For {roles(header)}. {what[does(header)]}.{part} Guide: {guide(header.page or '')}.")


def plain_sql(text: str) -> str:
    return re.sub(r"@\w+@\.|braid_store\.", "", text)


def paragraphs(text: str, links: dict[str, str]) -> Iterator[list[str]]:
    for paragraph in filter(None, map(str.strip, text.split("\n"))):
        yield wrapped(coded(paragraph, links))


def explained(
    comment: str, arguments: list[str], columns: list[str], links: dict[str, str], shared: list[str]
) -> Iterator[list[str]]:
    """Yield what a comment says: of the function, then of each argument, then of the function again. `shared` is an
    item more."""
    found = list(EXPLAINED.finditer(comment))
    yield from paragraphs(comment[: found[0].start()] if found else comment, links)
    items: list[str] = []
    has_keys = False
    if not found:
        yield shared
    for one, end in zip(found, [*(other.start() for other in found[1:]), len(comment)], strict=False):
        ends = REST if end == len(comment) else LINE_BREAK
        text, *rest = ends.split(comment[one.end() : end].strip(), maxsplit=1)
        names = names_of(one)
        is_outer = not has_keys or any(name in arguments or name in columns for name in names)
        # After an argument, a name that is no argument is a key of that argument's object.
        has_keys = not is_outer or any(name in arguments for name in names)
        shown = re.sub(r"(\w+)(?![^(]*\))", lambda name: name[0] if name[0] == "and" else f"`{name[0]}`", one[1])
        items += item(f"{shown}: {coded(text, links)}", 0 if is_outer else 1)
        if end == len(comment):
            items += shared
        if rest:
            yield items
            yield from paragraphs(rest[0], links)
            items, has_keys = [], False
    yield items


def names_of(found: re.Match[str]) -> list[str]:
    """Return the names of the arguments or keys that a paragraph explains, without what stands in parentheses."""
    return re.findall(r"\w+", re.sub(r"\(.*?\)", "", found[1]))


def as_in_searches(one: Listed, arguments: list[str]) -> list[str]:
    """Return an item about the arguments of hybrid_search that a search has, and does not explain itself."""
    (model,) = [other for other in listed("function")["core"] if other.name == "hybrid_search"]
    known = [name for found in EXPLAINED.finditer(model.comment.partition("\n")[2]) for name in names_of(found)]
    if one == model or "match_count" not in arguments or re.search(r"\barguments\b.*\bas in\b", one.comment):
        return []
    names = [name for name in arguments if name in known and not re.search(rf"\b{name}\b", one.comment)]
    return (
        item(f"{', '.join(f'`{name}`' for name in names)}: as in [`hybrid_search`](#hybrid_search).") if names else []
    )


def all_links(functions: str) -> dict[str, str]:
    """Return links to functions on the page `functions`, and to views, which prose names with their schema."""
    names = {one.name: f"{functions}#{one.name}" for own in listed("function").values() for one in own}
    return names | {one.header.name: f"views.md#{one.name}" for own in listed("view").values() for one in own}


def section(one: Listed) -> Iterator[list[str]]:
    signature = SIGNATURE.search(one.text)
    assert signature is not None, one.name
    links = {name: link for name, link in all_links("").items() if link != f"#{one.name}"}
    given, returned = signature[1], signature[2] or ""
    first, _, more = one.comment.partition("\n")
    arguments, columns = (re.findall(r"(?:^|, ?|\() *(?:inout )?(\w+) ", text, re.M) for text in (given, returned))
    yield [f"### {one.name}"]
    yield wrapped(coded(first, links))
    shown = call(one.name, given)
    yield block(plain_sql(f"{shown}\nreturns {returned}" if returned else shown))
    yield from explained(more, arguments, columns, links, as_in_searches(one, arguments))
    yield block(f"{'select * from' if returned else 'call'} {one.header.example};")
    yield facts_of(one)


def call(name: str, given: str) -> str:
    lines = [line.strip() for line in given.strip().splitlines()]
    if len(lines) <= 1:
        return f"braid.{name}({''.join(lines)})"
    return f"braid.{name}(\n{given.strip(chr(10))}\n)"


def row_type(name: str) -> Iterator[list[str]]:
    full = f"braid_store.{name}"
    text = "\n".join(file.text for file in resources().migrations)
    yield [f"### {name}"]
    yield wrapped(coded(comment_on(f"type {full}", text)))
    yield [line for column, said in comments_on_columns(full, text) for line in item(f"`{column}`: {coded(said)}")]


def page() -> str:
    """Return the page."""
    every = sorted((one for own in listed("function").values() for one in own), key=lambda one: one.name)
    return document(
        ["# Functions"],
        wrapped(INTRODUCTION),
        *index("function"),
        ["## Each function"],
        wrapped(ARGUMENTS),
        *(part for one in every for part in section(one)),
        ["## Row types"],
        *(part for name in ROW_TYPES for part in row_type(name)),
    )
