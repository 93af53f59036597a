# Generated from async_client/calls_reranking.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Calls of reranking. Made by tools/client_calls.py. DO NOT CHANGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import OtherNames, as_list, row_count, to_json
from pgbraid.spaces import LOCAL_MODEL
from pgbraid.stored import LearnedProfile, ListedProfile, Profile
from pgbraid.vectors import VectorLike, to_vector

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient


def set_token_vectors(
    client: BaseClient,
    collection: str,
    embedding_model: str | None = LOCAL_MODEL,
    *,
    vector_count: int = 32,
    dimensions: int | None = None,
) -> None:
    """Set which token vectors the chunks of a collection may have, for searches with the option late_interaction.

    embedding_model: the model that makes them; null for none. vector_count: the most vectors per chunk, 1 to 512;
    clients pool the tokens of a chunk to fit. dimensions: their length; null takes the length of the collection's
    embeddings. Stored vectors of another model or another length are no longer read. They are deleted when others are
    stored for the chunk, or with the chunk. Only administrators may call it.

    Maps to braid.set_token_vectors. Raise InvalidArgumentError, NotFoundError.
    """
    client._session.value_for_all(
        "set_token_vectors",
        """
        collection => %(collection)s::text, embedding_model => %(embedding_model)s::text,
        vector_count => %(vector_count)s::int, dimensions => %(dimensions)s::int
        """,
        collection=collection,
        embedding_model=embedding_model,
        vector_count=vector_count,
        dimensions=dimensions,
    )
    client._spaces.forget(collection)


def set_profile(
    client: BaseClient,
    profile: str,
    embedding: VectorLike | None = None,
    attributes: Mapping[str, Mapping[str, float]] | None = None,
    collection: str = "default",
) -> None:
    """Store a profile of the session's tenant: what a user likes, for the option profile of searches.

    profile: the name of the profile; an existing one is replaced. embedding: a vector of the collection's embedding
    model; chunks with similar vectors are boosted. attributes: weights from -1 to 1 of values, by key: {"category":
    {"billing": 0.5}}. A key is category, speaker, language or a metadata key. collection: the collection whose model
    made the embedding; the profile works in every collection with the same model.

    Maps to braid.set_profile. Raise InvalidArgumentError, DimensionMismatchError, NotFoundError.
    """
    client._session.value(
        "set_profile",
        """
        profile => %(profile)s::text, embedding => %(embedding)s, attributes => %(attributes)s::jsonb,
        collection => %(collection)s::text
        """,
        profile=profile,
        embedding=None if embedding is None else to_vector(embedding, "the embedding"),
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
    """Make a profile from the documents that a user liked and disliked, and store it.

    profile: the name of the profile. An existing one is replaced, so give all documents that the user ever liked, not
    only new ones. liked, disliked: name external_ids in the collection, at most 1000 in all. keys: the attributes to
    learn weights for, category, speaker, language or metadata keys. The vector is Rocchio's: 0.75 × the mean of the
    liked documents - 0.15 × the mean of the disliked ones. A document counts as the mean of its first 100 chunks. The
    weight of a value is the share of liked documents that have it - 0.2 × the share of disliked documents that have
    it. For each key, the 16 values with the greatest weights are kept. The same documents give the same profile.
    Return an object with liked and disliked (how many documents counted), embedded (how many of them have a vector),
    not_found (unknown ids) and the attributes learned.

    Maps to braid.learn_profile. Raise InvalidArgumentError, NotFoundError for a collection, LimitExceededError.
    """
    (found,) = client._session.json(
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
    return LearnedProfile.from_row(found)


def get_profile(client: BaseClient, profile: str) -> Profile | None:
    """Return a profile of the session's tenant; null if there is none of that name.

    The profile is an object with profile (its name), embedding (an array), embedding_model, dimensions, distance,
    attributes and updated_at. For writers; all other roles only use a profile in searches.

    Maps to braid.get_profile.
    """
    (found,) = client._session.json("get_profile", "profile => %(profile)s::text", profile=profile)
    return None if found is None else Profile.from_row(found)


def list_profiles(
    client: BaseClient, *, match_count: int | None = None, after: str | None = None, **other_names: Unpack[OtherNames]
) -> list[ListedProfile]:
    """List the profiles of the session's tenant, in the order of their names (by bytes).

    match_count: limits the number of profiles, up to 10000. after: the last name of the page before; null gives the
    first page. embedding_model: the model of the profile's vector; null if it has none.

    Maps to braid.list_profiles. `match_count`, or `limit`, is 100 by default. Raise InvalidArgumentError.
    """
    match_count = row_count(match_count, other_names, 100)
    found = client._session.json_rows(
        "list_profiles",
        "match_count => %(match_count)s::int, after => %(after)s::text",
        match_count=match_count,
        after=after,
    )
    return [ListedProfile.from_row(row) for row in found]


def delete_profile(client: BaseClient, profile: str) -> bool:
    """Delete a profile of the session's tenant.

    Return true, or false if there is none of that name.

    Maps to braid.delete_profile.
    """
    found = client._session.value("delete_profile", "profile => %(profile)s::text", profile=profile)
    return bool(found)


def store_ranking_model(client: BaseClient, name: str, model: Mapping[str, Any]) -> bool:
    """Store a ranking model of the session's tenant, replacing an existing one of this name.

    name: the name by which the option ranking_model, or a collection by set_ranking, chooses it. model: an object with
    version (1), mode (hybrid, full_text or semantic), features (names), intercept, weights (one for each feature) and
    trees, as pgbraid learn writes it. If it has the key checksum, the checksum must match. Return true if the name is
    new.

    Maps to braid.store_ranking_model. Raise InvalidArgumentError, LimitExceededError.
    """
    found = client._session.value(
        "store_ranking_model",
        "name => %(name)s::text, model => %(model)s::jsonb",
        name=name,
        model=to_json(model, "model"),
    )
    return bool(found)


def get_ranking_model(client: BaseClient, name: str) -> dict[str, Any] | None:
    """Return a ranking model of the session's tenant as it was stored; null if there is none of that name.

    For writers; all other roles only rank by it in searches.

    Maps to braid.get_ranking_model.
    """
    (found,) = client._session.json("get_ranking_model", "name => %(name)s::text", name=name)
    return None if found is None else dict(found)


def list_ranking_models(client: BaseClient) -> list[dict[str, Any]]:
    """List the ranking models of the session's tenant, in the order of their names (by bytes).

    mode: the mode of the searches that it was learned from. learned: the data it was learned from, and its gain; null
    if unknown. collections: the collections whose searches it ranks by default.

    Maps to braid.list_ranking_models.
    """
    found: list[dict[str, Any]] = client._session.json_rows("list_ranking_models")
    return found


def drop_ranking_model(client: BaseClient, name: str) -> bool:
    """Drop a ranking model of the session's tenant.

    Return true, or false if there is none of that name. Collections that name it rank this tenant's searches without
    it.

    Maps to braid.drop_ranking_model.
    """
    found = client._session.value("drop_ranking_model", "name => %(name)s::text", name=name)
    return bool(found)
