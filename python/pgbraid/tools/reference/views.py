"""Make docs/reference/views.md: an index, then each view with its columns."""

from __future__ import annotations

from collections.abc import Iterator

from sql_comments import comments_on_columns

from reference.functions import Listed, all_links, facts_of, index, listed
from reference.markdown import coded, document, item, wrapped

INTRODUCTION = r"""
`make generate` makes this page from the files of `sql/`. All views are in the schema `braid`, as in `select * from
braid.collections`. Writers may read all that readers may read. In psql, `\d+ braid.collections` shows one.
"""


def section(one: Listed) -> Iterator[list[str]]:
    links = all_links("functions.md")
    columns = comments_on_columns(one.header.name, one.text)
    yield [f"### {one.name}"]
    yield wrapped(coded(one.comment, links))
    yield [line for column, said in columns for line in item(f"`{column}`: {coded(said, links)}")]
    yield facts_of(one)


def page() -> str:
    """Return the page."""
    every = sorted((one for own in listed("view").values() for one in own), key=lambda one: one.name)
    return document(
        ["# Views"],
        wrapped(INTRODUCTION),
        *index("view"),
        ["## Each view"],
        *(part for one in every for part in section(one)),
    )
