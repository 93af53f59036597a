"""Read documents from data frames with pgbraid-tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from pgbraid._tools import tool


class Frame(Protocol):
    """Match a DataFrame of pandas or Polars, or a Table of Arrow, for type checkers."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def is_frame(documents: object) -> bool:
    """Return whether this is a DataFrame of pandas or of Polars, or a Table or RecordBatch of Arrow."""
    return any(hasattr(documents, name) for name in ("itertuples", "iter_rows", "to_pylist")) and (
        hasattr(documents, "columns") or hasattr(documents, "schema")
    )


def frame_documents(frame: Any, id: str, text: str) -> Iterator[dict[str, Any]]:  # noqa: A002
    """Return one document per row. Raise InvalidArgumentError, and NotSupportedError without the tools."""
    documents: Iterator[dict[str, Any]] = tool("frames", "a data frame of documents").frame_documents(frame, id, text)
    return documents
