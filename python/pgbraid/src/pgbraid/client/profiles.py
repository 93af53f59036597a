# Generated from async_client/profiles.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""What users like: profiles, by which searches boost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pgbraid.arguments import as_list, to_json
from pgbraid.stored import LearnedProfile, ListedProfile, Profile
from pgbraid.vectors import to_vector

if TYPE_CHECKING:
    from pgbraid.client.base import BaseClient
    from pgbraid.vectors import VectorLike

__all__ = ["delete_profile", "get_profile", "learn_profile", "list_profiles", "set_profile"]


def set_profile(
    client: BaseClient,
    profile: str,
    embedding: VectorLike | None = None,
    attributes: Mapping[str, Mapping[str, float]] | None = None,
    collection: str = "default",
) -> None:
    """Store what a user likes, in place of the profile of this name: searches with `options={"profile": name}` boost
    by it. Maps to braid.set_profile.

    `embedding` is a vector of the collection's model, `attributes` weights from -1 to 1 of values, by key:
    `{"category": {"billing": 0.5}}`. Raises InvalidArgumentError, DimensionMismatchError, NotFoundError.
    """
    client._session.value(
        "set_profile",
        """
        profile => %(profile)s::text, embedding => %(embedding)s, attributes => %(attributes)s::jsonb,
        collection => %(collection)s::text
        """,
        profile=profile,
        embedding=None if embedding is None else to_vector(embedding, "the profile"),
        attributes=to_json(attributes or {}, "attributes"),
        collection=collection,
    )


def learn_profile(
    client: BaseClient,
    profile: str,
    liked: Sequence[str],
    disliked: Sequence[str] = (),
    keys: Sequence[str] = ("category", "speaker"),
    collection: str = "default",
) -> LearnedProfile:
    """Make a profile of the documents, by external_id, that a user liked and disliked: all of them, as it replaces the
    one of this name. Maps to braid.learn_profile.

    The values of `keys` get weights, by how many of the documents have them. Documents that are not there are in
    `not_found`. Raises InvalidArgumentError, NotFoundError for a collection, LimitExceededError.
    """
    return LearnedProfile.from_json(
        client._session.value(
            "learn_profile",
            """
            profile => %(profile)s::text, liked => %(liked)s::text[], disliked => %(disliked)s::text[],
            keys => %(keys)s::text[], collection => %(collection)s::text
            """,
            profile=profile,
            liked=as_list(liked, "liked"),
            disliked=as_list(disliked, "disliked"),
            keys=as_list(keys, "keys"),
            collection=collection,
        )
    )


def get_profile(client: BaseClient, profile: str) -> Profile | None:
    """A profile, None if there is none of that name. Maps to braid.get_profile."""
    found = client._session.value("get_profile", "profile => %(profile)s::text", profile=profile)
    return None if found is None else Profile.from_json(found)


def list_profiles(client: BaseClient, *, limit: int = 100, after: str | None = None) -> list[ListedProfile]:
    """The profiles of this tenant without their vectors, in the order of their names (by bytes): the first `limit`, 1
    to 10,000, of those that come after the name `after`. Maps to braid.list_profiles.

    Raises InvalidArgumentError.
    """
    rows = client._session.json_rows(
        "list_profiles",
        "match_count => %(limit)s::int, after => %(after)s::text",
        limit=limit,
        after=after,
    )
    return [ListedProfile.from_row(row) for row in rows]


def delete_profile(client: BaseClient, profile: str) -> bool:
    """Delete a profile; False if there is none of that name. Maps to braid.delete_profile."""
    return bool(client._session.value("delete_profile", "profile => %(profile)s::text", profile=profile))
