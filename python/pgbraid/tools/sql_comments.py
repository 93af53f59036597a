"""Read `comment on` from the text of SQL files."""

from __future__ import annotations

import re
from collections.abc import Iterator

LITERAL = re.compile(r"\s*(E?)'((?:[^']|'')*)'")
COLUMN = r"^comment on column {}\.(\w+) is\s"


def comment_on(described: str, text: str) -> str:
    """Return the comment on an object, such as `view braid.collections`, in a file."""
    comment = re.search(rf"^comment on {described}\b[^']*? is\s", text, re.M)
    assert comment is not None, described
    return literal_at(text, comment.end())


def comments_on_columns(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield each column of a view or type that has a comment, with the comment."""
    for comment in re.finditer(COLUMN.format(re.escape(name)), text, re.M):
        yield comment[1], literal_at(text, comment.end())


def literal_at(text: str, place: int) -> str:
    """Return the string that literals on consecutive lines make together."""
    literals = []
    while found := LITERAL.match(text, place):
        literals.append(found)
        place = found.end()
    said = "".join(found[2] for found in literals).replace("''", "'")
    return said.replace("\\n", "\n") if literals[0][1] else said
