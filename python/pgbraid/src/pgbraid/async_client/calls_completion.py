"""Calls of completion. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pgbraid.arguments import OtherNames, as_list, optional_json, row_count
from pgbraid.stored import Completion

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.async_client.base import BaseClient


async def complete(
    client: BaseClient,
    prefix: str,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    match_count: int | None = None,
    *,
    kinds: Sequence[Literal["word", "phrase", "title"]] = ("word", "phrase", "title"),
    **other_names: Unpack[OtherNames],
) -> list[Completion]:
    """Complete what somebody has typed into a search field so far, with words of the tenant's texts.

    prefix: the text before the cursor, up to 1000 characters. Its last word is completed; after a space, the next word
    is proposed. filters: only documents and chunks that pass are read. match_count: how many rows, 1 to 100. kinds:
    any of word, phrase and title, in the order of the rows; each gets its share of them. completion is the whole text
    to put into the field, with the word as texts write it. Words that follow the words before the cursor come first,
    then frequent ones. frequency: how many of the chunks read have the completed words after the same words, or how
    many of their documents have the title.

    Maps to braid.complete. `match_count`, or `limit`, is 10 by default. Raise InvalidArgumentError, NotFoundError,
    LimitExceededError.
    """
    match_count = row_count(match_count, other_names, 10)
    found = await client._session.json_rows(
        "complete",
        """
        prefix => %(prefix)s::text, filters => %(filters)s::jsonb, collection => %(collection)s::text,
        match_count => %(match_count)s::int, kinds => %(kinds)s::text[]
        """,
        prefix=prefix,
        filters=optional_json(filters, "filters"),
        collection=collection,
        match_count=match_count,
        kinds=as_list(kinds, "kinds"),
    )
    return [Completion.from_row(row) for row in found]
