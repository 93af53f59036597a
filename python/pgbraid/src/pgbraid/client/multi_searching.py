# Generated from async_client/multi_searching.py by tools/async_to_sync.py. DO NOT CHANGE.
# fmt: off
"""Search for several queries at once: the caller's, or an expander's variants of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pgbraid.arguments import Mode, OtherNames, check_mode, optional_json, row_count, to_json
from pgbraid.client.queries import embed_query, embedded_text, ranked
from pgbraid.errors import EmbeddingError, InvalidArgumentError
from pgbraid.expanders import expanded
from pgbraid.results import SearchResults, results_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from pgbraid.client.base import BaseClient
    from pgbraid.expanders import Expander
    from pgbraid.search_options import SearchOptions


def multi_search(
    client: BaseClient,
    queries: str | Sequence[str],
    match_count: int | None = None,
    mode: Mode = "hybrid",
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    expand: Expander | Callable[[str], Sequence[str]] | None = None,
    full_text_weight: float | None = None,
    semantic_weight: float | None = None,
    fusion: str | None = None,
    rrf_k: float | None = None,
    candidate_count: int | None = None,
    min_score: float | None = None,
    match: str = "any",
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Return the rows that are best for several queries together. Maps to braid.logged_multi_search; `search` calls it
    for a list of queries and for `expand`.

    Rows are ordered by the sum of weight / (60 + rank) over the queries; their `query_ranks` hold the rank in each
    query. Queries that `expand` adds have half the weight. `match_count`, or `limit`, is 10 by default, at most 1,000.
    The other arguments are the same as in `search`.

    Raise InvalidArgumentError, DimensionMismatchError, NotFoundError.
    """
    client = client._for_one_call()
    match_count = row_count(match_count, other_names, 10)
    check_mode(mode)
    texts: list[Any] = (
        list(queries) if isinstance(queries, Iterable) and not isinstance(queries, (str, bytes, Mapping)) else [queries]
    )
    if not texts or not all(isinstance(text, str) and text for text in texts):
        raise InvalidArgumentError(
            f"query is {queries!r}"[:200], hint="give a text, or a list of texts that are not empty", sqlstate="22023"
        )
    # With a greater weight, the database would use a stored vector of the query.
    semantic_weight = 0.0 if mode == "full_text" else semantic_weight
    ranking = ranked(filters, full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match)
    unexpanded: str | None = None
    count = len(texts)
    if expand is not None:
        if count > 1:
            raise InvalidArgumentError(
                f"expand is for one query, and there are {count}",
                hint="leave out expand, or search for each query with expand",
                sqlstate="22023",
            )
        further, unexpanded = expanded(expand, texts[0])
        texts += further
    while True:
        warnings: list[dict[str, Any]] = []
        if unexpanded is not None:
            message = f"searched for the query alone; {unexpanded}"
            warnings.append({"code": "expansion_unavailable", "message": message})
        asked, model = _embedded(client, texts, count, mode, collection, options, warnings)
        try:
            (answer,) = client._session.json(
                "logged_multi_search",
                """
                queries => %(queries)s::jsonb, match_count => %(match_count)s::int, filters => %(filters)s::jsonb,
                collection => %(collection)s::text, full_text_weight => %(full_text_weight)s::float8,
                semantic_weight => %(semantic_weight)s::float8, fusion => %(fusion)s::text,
                rrf_k => %(rrf_k)s::float8, candidate_count => %(candidate_count)s::int,
                min_score => %(min_score)s::float8, match => %(match)s::text, options => %(options)s::jsonb
                """,
                queries=to_json(asked, "query"),
                match_count=match_count,
                collection=collection,
                **ranking,
                # The database refuses this vector if the collection has since switched to another model.
                options=optional_json({"embedding_model": model, **(options or {})} if model else options, "options"),
            )
            break
        except InvalidArgumentError:
            if model is None or not client._spaces.has_moved(collection):
                raise
    return results_of(answer, queries if isinstance(queries, str) else " | ".join(queries), warnings)


def searched_together(
    client: BaseClient,
    query: str | Sequence[str] | None,
    match_count: int,
    mode: Mode,
    filters: Mapping[str, Any] | None,
    collection: str,
    embedding: object,
    late_interaction: object,
    reranker: object,
    /,
    **arguments: Any,
) -> SearchResults:
    """Call multi_search with the arguments of `search`. Raise InvalidArgumentError for arguments of a single query."""
    for name, value in (("embedding", embedding), ("late_interaction", late_interaction), ("reranker", reranker)):
        if value is not None and value is not False:
            raise InvalidArgumentError(
                f"{name} is for one query, without expand", hint=f"leave {name} out", sqlstate="22023"
            )
    return multi_search(client, query or "", match_count, mode, filters, collection, **arguments)


def _embedded(
    client: BaseClient,
    texts: list[str],
    count: int,
    mode: Mode,
    collection: str,
    options: Mapping[str, Any] | None,
    warnings: list[dict[str, Any]],
) -> tuple[list[dict[str, Any]], str | None]:
    """Return the queries as braid.multi_search takes them, and the model of their vectors. If the embedder fails,
    return queries without vectors, and add a warning. Raise EmbeddingError only if a semantic search has no vector for
    one of the first `count` queries."""
    asked: list[dict[str, Any]] = []
    model: str | None = None
    fails = False
    for number, text in enumerate(texts):
        is_expansion = number >= count
        query: dict[str, Any] = {"expansion": True} if is_expansion else {}
        if mode != "semantic":
            query["text"] = text
        if mode != "full_text" and not fails:
            try:
                read = {"operators": False} if is_expansion else options
                vector, found, _ = embed_query(client, text, collection, read, warnings)
                if vector is None and mode == "semantic":
                    from pgbraid.client.query_embeddings import static_vector

                    vector = static_vector(
                        client, embedded_text(client, text, collection, read), collection
                    )
            except EmbeddingError as error:
                if mode == "semantic" and not is_expansion:
                    raise
                fails = True  # one attempt is enough
                done = "searched by full text only" if mode != "semantic" else "searched without further queries"
                message = "; ".join(filter(None, (done, error.message, error.hint)))
                warnings.append({"code": "embedding_unavailable", "message": message})
            else:
                model = found or model
                if vector is not None:
                    query["embedding"] = vector.to_list()
        if not is_expansion or len(query) > 1:
            asked.append(query)
    unique = {(warning["code"], warning["message"]): warning for warning in warnings}
    warnings[:] = unique.values()
    return asked, model
