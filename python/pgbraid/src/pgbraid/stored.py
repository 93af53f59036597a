"""Define what the database stores, and results of writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pgbraid.result_rows import Row


@dataclass(frozen=True)
class DocumentChunk(Row):
    """Hold a chunk of a `Document`. `chunk_index` starts at 0; `token_count` is in the collection's own tokens."""

    chunk_id: int
    chunk_index: int
    content: str
    token_count: int
    speaker: str | None
    category: str | None
    importance: float | None
    occurred_at: datetime | None
    language: str | None
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Completion(Row):
    """Hold a completion of what was typed: the row of `braid.complete`."""

    completion: str
    kind: str
    frequency: int


@dataclass(frozen=True)
class StandingQueryMatch(Row):
    """Hold a document that matched a standing query: the row of `braid.claim_matches`. `name` is the query's name."""

    match_id: int
    name: str
    kind: str
    document_id: int
    external_id: str
    chunk_id: int
    chunk_index: int
    matched_at: datetime


@dataclass(frozen=True)
class ListedDocument(Row):
    """Hold a document without its text: the row of `braid.list_documents`."""

    document_id: int
    external_id: str
    title: str | None
    source_uri: str | None
    metadata: dict[str, Any]
    occurred_at: datetime | None
    created_at: datetime
    updated_at: datetime
    chunk_count: int


@dataclass(frozen=True)
class Document(Row):
    """Hold a stored document: the JSON object of `braid.get_document`. Its text is the text of its chunks, in order;
    chunks that `add_documents` made of one content may overlap. `chunk_count` is the number of chunks
    that the document has, even if only some were asked for."""

    document_id: int
    external_id: str
    title: str | None
    source_uri: str | None
    metadata: dict[str, Any]
    occurred_at: datetime | None
    created_at: datetime
    updated_at: datetime
    chunks: list[DocumentChunk] = field(default_factory=list)
    chunk_count: int = 0

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Document:
        return super().from_row({**row, "chunks": [DocumentChunk.from_row(chunk) for chunk in row["chunks"]]})


@dataclass(frozen=True)
class EmbeddingBacklog:
    """Count chunks of a tenant's part of a collection that wait for an embedding by a model: the row of
    `braid.embedding_backlog`. No worker has claimed `claimable_count` of them; `last_error` is a failed chunk's."""

    tenant: str
    collection: str
    embedding_model: str
    dimensions: int
    waiting_count: int
    claimable_count: int
    last_error: str | None


@dataclass(frozen=True)
class EmbeddingJob(Row):
    """Hold a chunk that waits for its embedding: the row of `braid.list_embedding_jobs`. `state` is waiting, claimed,
    paused or abandoned; `last_error` says why it failed. Workers can claim it from `available_at` on: None is now, the
    year 9999 never."""

    chunk_id: int
    external_id: str
    chunk_index: int
    state: str
    attempts: int
    last_error: str | None
    available_at: datetime | None


@dataclass(frozen=True)
class EmbeddingUsage:
    """Sum a service's work for a tenant on a day (UTC): the row of `braid.embedding_usage`. The service did not report
    `estimated_token_count` of `token_count`; `cost` is None without a known price."""

    tenant: str
    embedding_model: str
    day: date
    request_count: int
    text_count: int
    token_count: int
    estimated_token_count: int
    cost: Decimal | None


@dataclass(frozen=True)
class SyncStatus:
    """Report a synced table's progress: the row of `braid.sync_status`. `state` is backfill, sweep or follow, end after
    `unsync_table`, or says that the table, its collection or its tenant is gone."""

    table_name: str
    collection: str | None
    tenant: str | None
    state: str
    row_estimate: int
    document_count: int
    waiting_count: int
    failed_count: int
    last_error: str | None
    rows_per_second: float | None
    seconds_left: float | None


@dataclass(frozen=True)
class SyncProblem:
    """Report a row without a document or with another one, or a document without a row: the row of `braid.check_sync`.

    `tenant` and `external_id` are None for a problem of the whole table, such as a disabled trigger.
    """

    tenant: str | None
    external_id: str | None
    problem: str


@dataclass(frozen=True)
class FailedDocument:
    """Report a document that was left out: its `index` in the documents given, from 0, its `external_id`, and the
    error's `message` and `hint`."""

    index: int
    external_id: str | None
    message: str
    hint: str | None = None


@dataclass(frozen=True)
class WriteSummary:
    """Count what `add_documents` did: documents by outcome, and chunks written.

    `superseded` documents came again later in the same batch with the same external_id; `failed` ones were left out.
    """

    inserted: int = 0
    replaced: int = 0
    updated: int = 0
    unchanged: int = 0
    superseded: int = 0
    chunks: int = 0
    failed: tuple[FailedDocument, ...] = ()

    @property
    def documents(self) -> int:
        return self.inserted + self.replaced + self.updated + self.unchanged + self.superseded

    def __add__(self, other: WriteSummary) -> WriteSummary:
        return WriteSummary(*(getattr(self, column.name) + getattr(other, column.name) for column in fields(self)))

    def __str__(self) -> str:
        return (
            f"{self.documents} document{'' if self.documents == 1 else 's'}: {self.inserted} inserted, "
            f"{self.replaced} replaced, {self.updated} updated, {self.unchanged} unchanged"
            f"{f', {self.superseded} superseded' if self.superseded else ''}; "
            f"{self.chunks} chunk{'' if self.chunks == 1 else 's'} written"
            f"{f'; {len(self.failed)} failed' if self.failed else ''}"
        )


@dataclass(frozen=True)
class IndexProblem:
    """Report a difference between the full-text index and the chunks, at the chunk or the lexeme named."""

    problem: str
    chunk_id: int | None = None
    lexeme: str | None = None
    detail: str | None = None


@dataclass(frozen=True)
class Profile(Row):
    """Hold what a user likes: the JSON object of `braid.get_profile`. `embedding` was made by `embedding_model`."""

    profile: str
    embedding: list[float] | None
    embedding_model: str | None
    dimensions: int | None
    distance: str | None
    attributes: dict[str, dict[str, float]]
    updated_at: datetime


@dataclass(frozen=True)
class ListedProfile(Row):
    """Hold a profile without its vector: the row of `braid.list_profiles`. `embedding_model` is None without a
    vector."""

    profile: str
    embedding_model: str | None
    attributes: dict[str, dict[str, float]]
    updated_at: datetime


@dataclass(frozen=True)
class LearnedProfile(Row):
    """Report what `learn_profile` learned from: how many documents exist, how many of these are embedded, which are
    missing; and the weights of attributes."""

    liked: int
    disliked: int
    embedded: int
    not_found: list[str]
    attributes: dict[str, dict[str, float]]


@dataclass(frozen=True)
class GrepMatch(Row):
    """Hold a chunk that `braid.grep` found; `excerpts` has the lines of its first matches."""

    chunk_id: int
    document_id: int
    external_id: str
    chunk_index: int
    title: str | None
    source_uri: str | None
    speaker: str | None
    occurred_at: datetime | None
    metadata: dict[str, Any]
    excerpts: list[str]


@dataclass(frozen=True)
class GrepMatches(Row):
    """Hold the answer of `braid.grep`. If there may be more, `stopped_by` says why it ended, and `grep` with `after`
    set to `next_after` goes on."""

    matches: list[GrepMatch]
    scanned_count: int
    stopped_by: str | None
    next_after: int | None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> GrepMatches:
        return super().from_row({**row, "matches": [GrepMatch.from_row(match) for match in row["matches"]]})


@dataclass(frozen=True)
class KeyValues:
    """Hold a key by which chunks can be filtered: the row of `braid.list_values`. Each of `top_values` has `value` and
    `count`, the number of chunks with it."""

    key: str
    distinct_count: int
    minimum: Any
    maximum: Any
    top_values: list[dict[str, Any]]


@dataclass(frozen=True)
class FacetValue:
    """Hold a value of a key, and the number of chunks with it. The value of an aggregation is a bucket or a dict of
    results; None stands for chunks without a value."""

    value: str | float | bool | dict[str, Any] | None
    count: int
