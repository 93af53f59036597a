"""Declare the methods of the client that only call the function of the API of the same name: how Python calls it.

tools/client_calls.py makes them, with the types, the casts and the comments of sql/, to which a docstring here adds. An
argument with another name is passed to the function's argument in the same place among arguments with other names. A
method with `**other_names` takes `limit` as well, and has the default of its number of rows in its body.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal

from typing_extensions import Unpack

from pgbraid.arguments import Duration, OtherNames
from pgbraid.contexts import Context
from pgbraid.explanation import ScorePart
from pgbraid.results import SearchResults
from pgbraid.search_options import SearchOptions
from pgbraid.spaces import LOCAL_MODEL
from pgbraid.stored import (
    Completion,
    Document,
    EmbeddingBacklog,
    EmbeddingJob,
    EmbeddingUsage,
    GrepMatches,
    IndexProblem,
    KeyValues,
    LearnedProfile,
    ListedDocument,
    ListedProfile,
    Profile,
    StandingQueryMatch,
    SyncProblem,
    SyncStatus,
)
from pgbraid.timeframes import Timeframe
from pgbraid.vectors import VectorLike

def create_collection(
    name: str,
    *,
    text_config: str = "english",
    dimensions: int = 384,
    distance: Literal["cosine", "inner_product", "l2"] = "cosine",
    embedding_model: str = LOCAL_MODEL,
    chunk_tokens: int | None = None,
    indexed_attributes: Mapping[str, Literal["text", "number", "time"]] | None = None,
    ranking: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> int:
    """Raise InvalidArgumentError, also for a collection that exists with other settings."""

def set_collection(collection: str, settings: Mapping[str, Any]) -> None:
    """Raise InvalidArgumentError, NotFoundError."""

def drop_collection(collection: str) -> bool: ...
def set_synonyms(word: str, synonyms: Sequence[str], collection: str = "default") -> int:
    """Raise InvalidArgumentError, NotFoundError."""

def set_sparse_encoder(name: str, weights: Mapping[str, float] | None, *, append: bool = False) -> int:
    """Raise InvalidArgumentError, LimitExceededError."""

def set_indexed_attributes(
    attributes: Mapping[str, Literal["text", "number", "time"]], collection: str = "default"
) -> None:
    """Raise InvalidArgumentError, NotFoundError."""

def set_token_vectors(
    collection: str, embedding_model: str | None = LOCAL_MODEL, *, vector_count: int = 32, dimensions: int | None = None
) -> None:
    """Raise InvalidArgumentError, NotFoundError."""

def get_document(
    external_id: str, collection: str = "default", *, first_chunk: int = 0, chunk_count: int | None = None
) -> Document | None:
    """Raise InvalidArgumentError, and NotFoundError for a collection that does not exist."""

def grep(
    pattern: str | None = None,
    *,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    match_count: int = 20,
    after: int | None = None,
    regex: bool = False,
    ignore_case: bool = False,
    excerpt_length: int = 200,
    **other_names: Unpack[OtherNames],
) -> GrepMatches:
    """Raise InvalidArgumentError, LimitExceededError, NotFoundError."""

def list_values(
    keys: Sequence[str] | None = None,
    *,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    value_count: int = 10,
) -> list[KeyValues]:
    """Raise InvalidArgumentError, NotFoundError."""

def list_documents(
    collection: str = "default",
    *,
    match_count: int = 100,
    after: str | None = None,
    filters: Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> list[ListedDocument]:
    """Raise InvalidArgumentError, NotFoundError."""

def update_metadata(
    external_id: str, metadata: Mapping[str, Any], *, replace: bool = False, collection: str = "default"
) -> bool:
    """Raise InvalidArgumentError, NotFoundError for a collection that does not exist, LimitExceededError."""

def delete_document(external_id: str, collection: str = "default") -> bool:
    """Raise NotFoundError for a collection that does not exist."""

def delete_documents(external_ids: Sequence[str], collection: str = "default") -> int:
    """Raise NotFoundError for a collection that does not exist, LimitExceededError."""

def clear_collection(collection: str = "default") -> int:
    """Raise NotFoundError."""

def supersede_documents(documents: Sequence[Mapping[str, Any]], collection: str = "default") -> list[dict[str, Any]]:
    """Raise InvalidArgumentError, NotFoundError, LimitExceededError."""

def complete(
    prefix: str,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    match_count: int = 10,
    *,
    kinds: Sequence[Literal["word", "phrase", "title"]] = ("word", "phrase", "title"),
    **other_names: Unpack[OtherNames],
) -> list[Completion]:
    """Raise InvalidArgumentError, NotFoundError, LimitExceededError."""

def create_standing_query(
    name: str,
    query_text: str | None = None,
    query_embedding: VectorLike | None = None,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    match: str = "all",
    semantic_min_score: float | None = None,
    options: SearchOptions | Mapping[str, Any] | None = None,
) -> None:
    """Raise InvalidArgumentError, NotFoundError, LimitExceededError."""

def drop_standing_query(name: str, collection: str = "default") -> bool:
    """Raise NotFoundError for a collection that does not exist."""

def list_standing_queries(
    collection: str = "default", *, match_count: int = 100, after: str | None = None, **other_names: Unpack[OtherNames]
) -> list[dict[str, Any]]:
    """Raise InvalidArgumentError, NotFoundError."""

def claim_matches(
    match_count: int = 100, lease: Duration = 300.0, collection: str = "default", **other_names: Unpack[OtherNames]
) -> list[StandingQueryMatch]:
    """Raise InvalidArgumentError, NotFoundError."""

def acknowledge_matches(match_ids: Sequence[int], collection: str = "default") -> int:
    """Raise InvalidArgumentError, NotFoundError, LimitExceededError."""

def similar_chunks(
    chunk_id: int,
    match_count: int = 10,
    filters: Mapping[str, Any] | None = None,
    *,
    min_score: float | None = None,
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Raise NotFoundError, and InvalidArgumentError for a chunk that is not embedded yet."""

def similar_documents(
    external_id: str,
    match_count: int = 10,
    filters: Mapping[str, Any] | None = None,
    collection: str = "default",
    *,
    min_score: float | None = None,
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Raise NotFoundError, and InvalidArgumentError for a document that is not embedded yet."""

def fuse(
    lists: Sequence[Any],
    fusion: Literal["rrf", "convex"] = "rrf",
    *,
    rrf_k: float = 60,
    match_count: int = 100,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """Raise InvalidArgumentError, LimitExceededError."""

def arrange_results(
    chunk_ids: Sequence[int],
    scores: Sequence[float],
    match_count: int = 10,
    collection: str = "default",
    *,
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> SearchResults:
    """Raise InvalidArgumentError, and NotFoundError if none of the chunks exists, or one of a page does not."""

def arrange_context(
    chunk_ids: Sequence[int],
    scores: Sequence[float],
    token_budget: int = 2000,
    match_count: int = 50,
    collection: str = "default",
    *,
    sort: Literal["score", "document"] = "score",
    options: SearchOptions | Mapping[str, Any] | None = None,
    **other_names: Unpack[OtherNames],
) -> Context:
    """Raise InvalidArgumentError, and NotFoundError if none of the chunks exists."""

def highlight(
    chunk_id: int,
    query: str,
    *,
    start_tag: str = "<mark>",
    stop_tag: str = "</mark>",
    fragment_count: int | None = 2,
    fragment_words: int = 30,
    fragment_separator: str = " … ",
) -> str:
    """Raise NotFoundError, InvalidArgumentError."""

def explain_score(
    query: str, chunk_ids: Sequence[int], *, match: str = "any", collection: str = "default"
) -> list[ScorePart]:
    """Raise NotFoundError, InvalidArgumentError."""

def status(collection: str | None = None) -> dict[str, Any]:
    """Raise NotFoundError."""

def health(older_than: Duration = 3600.0) -> list[dict[str, Any]]:
    """Pass older_than as seconds, a text such as '5 minutes', or a timedelta. Raise InvalidArgumentError."""

def maintain(time_budget: Duration | None = None) -> dict[str, Any]:
    """Pass time_budget as seconds, a text such as '5 minutes', or a timedelta. Raise InvalidArgumentError."""

def calibrate() -> dict[str, float]: ...
def check_index(collection: str = "default") -> list[IndexProblem]:
    """Raise NotFoundError."""

def rebuild_index(collection: str = "default") -> int:
    """Raise NotFoundError."""

def rebuild_vector_index(collection: str = "default") -> bool:
    """Raise NotFoundError."""

def measure_index_recall(
    collection: str = "default", *, query_count: int = 100, set_ef_search: bool = False
) -> dict[str, Any]:
    """Raise InvalidArgumentError, NotFoundError."""

def create_tenant(tenant: str) -> int:
    """Raise InvalidArgumentError."""

def drop_tenant(tenant: str, confirm_tenant: str) -> bool:
    """Raise InvalidArgumentError if the keys differ."""

def embedding_backlog() -> list[EmbeddingBacklog]:
    """Raise PermissionDeniedError."""

def list_embedding_jobs(
    state: Literal["waiting", "claimed", "paused", "abandoned"] | None = None,
    match_count: int = 100,
    collection: str = "default",
    *,
    after: int = 0,
    embedding_model: str | None = None,
    **other_names: Unpack[OtherNames],
) -> list[EmbeddingJob]:
    """Raise NotFoundError, InvalidArgumentError, PermissionDeniedError."""

def retry_embedding_jobs(
    chunk_ids: Sequence[int] | None = None, collection: str = "default", *, embedding_model: str | None = None
) -> int:
    """Raise NotFoundError, InvalidArgumentError, PermissionDeniedError."""

def drop_embedding_jobs(
    chunk_ids: Sequence[int] | None = None, collection: str = "default", *, embedding_model: str | None = None
) -> int:
    """Raise NotFoundError, InvalidArgumentError, PermissionDeniedError."""

def embedding_usage(since: date | None = None) -> list[EmbeddingUsage]:
    """Raise PermissionDeniedError."""

def set_search_log(
    collection: str = "default",
    log: Literal["off", "sampled", "all"] = "all",
    *,
    sample_share: float | None = None,
    keep_query: Literal["text", "hash", "nothing"] | None = None,
    retention: timedelta | str | None = None,
) -> None:
    """Raise NotFoundError, InvalidArgumentError."""

def set_validity(
    collection: str = "default", has_validity: bool = True, *, retention: timedelta | str | None = None
) -> None:
    """Raise NotFoundError, InvalidArgumentError."""

def set_ranking(
    collection: str,
    ranking: Mapping[str, Any],
    reason: str | None = None,
    *,
    evaluation: Mapping[str, Any] | None = None,
    expected_ranking: Mapping[str, Any] | None = None,
) -> int:
    """Raise InvalidArgumentError, NotFoundError, LimitExceededError."""

def list_rankings(collection: str = "default") -> list[dict[str, Any]]:
    """Raise NotFoundError."""

def restore_ranking(collection: str, version: int, reason: str | None = None) -> int:
    """Raise InvalidArgumentError, NotFoundError."""

def start_model_change(
    collection: str,
    embedding_model: str,
    dimensions: int,
    *,
    distance: Literal["cosine", "inner_product", "l2"] | None = None,
    vector_storage: Literal["vector", "halfvec", "binary"] | None = None,
) -> None:
    """Raise InvalidArgumentError, NotFoundError."""

def pause_model_change(collection: str) -> None:
    """Raise NotFoundError, and InvalidArgumentError if the collection has no model change, or one in another stage."""

def resume_model_change(collection: str) -> None:
    """Raise NotFoundError, and InvalidArgumentError if the collection has no model change, or one in another stage."""

def cut_over_model_change(collection: str) -> None:
    """Raise InvalidArgumentError, which says how many chunks still wait for an embedding by the new model."""

def roll_back_model_change(collection: str) -> None:
    """Raise NotFoundError, and InvalidArgumentError if the collection has no model change, or one in another stage."""

def finish_model_change(collection: str) -> None:
    """Raise NotFoundError, and InvalidArgumentError if the collection has no model change, or one in another stage."""

def unsync_table(table_name: str, *, keep_documents: bool = False) -> int:
    """Raise NotFoundError, PermissionDeniedError."""

def apply_changes(time_budget: Duration = 10) -> dict[str, Any]:
    """Pass time_budget as seconds, a text such as '5 minutes', or a timedelta.

    Raise InvalidArgumentError, PermissionDeniedError.
    """

def sync_status() -> list[SyncStatus]:
    """Raise PermissionDeniedError."""

def check_sync(table_name: str) -> list[SyncProblem]:
    """Raise NotFoundError, PermissionDeniedError."""

def set_profile(
    profile: str,
    embedding: VectorLike | None = None,
    attributes: Mapping[str, Mapping[str, float]] | None = None,
    collection: str = "default",
) -> None:
    """Raise InvalidArgumentError, DimensionMismatchError, NotFoundError."""

def learn_profile(
    profile: str,
    liked: Sequence[str],
    disliked: Sequence[str] = (),
    keys: Sequence[str] = ("category", "speaker"),
    collection: str = "default",
) -> LearnedProfile:
    """Raise InvalidArgumentError, NotFoundError for a collection, LimitExceededError."""

def get_profile(profile: str) -> Profile | None: ...
def list_profiles(
    *, match_count: int = 100, after: str | None = None, **other_names: Unpack[OtherNames]
) -> list[ListedProfile]:
    """Raise InvalidArgumentError."""

def delete_profile(profile: str) -> bool: ...
def ranking_features(
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    after: str | None = None,
    query_count: int = 100,
    **other_names: Unpack[OtherNames],
) -> list[dict[str, Any]]:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def store_ranking_model(name: str, model: Mapping[str, Any]) -> bool:
    """Raise InvalidArgumentError, LimitExceededError."""

def get_ranking_model(name: str) -> dict[str, Any] | None: ...
def list_ranking_models() -> list[dict[str, Any]]: ...
def drop_ranking_model(name: str) -> bool: ...
def create_query_set(query_set: str, level: str = "document", *, description: str = "") -> bool:
    """Raise InvalidArgumentError."""

def store_queries(query_set: str, queries: Sequence[Mapping[str, Any]], collection: str = "default") -> int:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def store_judgments(query_set: str, judgments: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def list_query_sets() -> list[dict[str, Any]]: ...
def list_queries(
    query_set: str, *, match_count: int = 100, after: str | None = None, **other_names: Unpack[OtherNames]
) -> list[dict[str, Any]]:
    """Raise NotFoundError, InvalidArgumentError."""

def drop_query_set(query_set: str) -> bool: ...
def evaluate(
    query_set: str,
    configuration: Mapping[str, Any] | None = None,
    metrics: Sequence[str] = ("ndcg@10", "recall@10", "precision@10", "mrr@10", "map@10", "judged@10"),
    *,
    judge: str | None = None,
    details: bool = False,
) -> dict[str, Any]:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def compare_evaluations(
    baseline: Mapping[str, Any],
    candidate: Mapping[str, Any],
    *,
    resample_count: int = 2000,
    seed: int = 0,
    changed_count: int = 10,
) -> dict[str, Any]:
    """Raise InvalidArgumentError, LimitExceededError."""

def pool_results(
    query_set: str,
    configurations: Sequence[Mapping[str, Any]] = ({},),
    depth: int = 10,
    *,
    judge: str | None = None,
    seed: int = 0,
    query_ids: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def judge_agreement(query_set: str, judge: str, reference: str | None = None) -> dict[str, Any]:
    """Raise NotFoundError, InvalidArgumentError."""

def sample_queries(
    query_set: str,
    collection: str = "default",
    method: Literal["random", "frequency", "worst"] = "random",
    query_count: int = 100,
    *,
    since: datetime | None = None,
    min_searches: int = 1,
    with_filters: bool = False,
    seed: int = 0,
) -> int:
    """Raise NotFoundError, InvalidArgumentError."""

def judgments_from_clicks(
    query_set: str,
    collection: str = "default",
    *,
    since: datetime | None = None,
    min_impressions: float = 5.0,
    eta: float = 1.0,
    judge: str = "clicks",
) -> dict[str, int]:
    """Raise NotFoundError, InvalidArgumentError."""

def tune(
    query_set: str,
    search_space: Mapping[str, Sequence[Any]] | None = None,
    budget: int = 50,
    configuration: Mapping[str, Any] | None = None,
    *,
    metric: str = "ndcg@10",
    judge: str | None = None,
    fold_count: int = 5,
    seed: int = 0,
) -> dict[str, Any]:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def plan_tuning(
    query_set: str,
    search_space: Mapping[str, Sequence[Any]] | None = None,
    budget: int = 50,
    configuration: Mapping[str, Any] | None = None,
    *,
    judge: str | None = None,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Raise NotFoundError, InvalidArgumentError, LimitExceededError."""

def choose_configuration(
    evaluations: Sequence[Mapping[str, Any]],
    metric: str = "ndcg@10",
    *,
    fold_count: int = 5,
    resample_count: int = 2000,
    seed: int = 0,
) -> dict[str, Any]:
    """Raise InvalidArgumentError, LimitExceededError."""

def timeframe_filter(
    timeframe: Timeframe | None,
    filters: Mapping[str, Any] | None = None,
    *,
    time_zone: str | None = None,
    reference_time: datetime | None = None,
) -> dict[str, Any] | None:
    """Raise InvalidArgumentError; its hint lists the accepted forms."""
