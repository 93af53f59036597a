"""Define the errors that the tools raise in addition to the driver's errors."""

from __future__ import annotations

from pgbraid.errors import PgbraidError, RerankingError

__all__ = ["IngestError", "RerankingServiceError"]


class IngestError(PgbraidError):
    """Raised when a file, or one line of it, cannot be read as documents. `line` is 1-based; None is the whole file."""

    def __init__(self, message: str, *, file: str, line: int | None = None, hint: str | None = None) -> None:
        super().__init__(
            f"{file}:{line}: {message}" if line else f"{file}: {message}",
            hint=hint or "correct the file, or leave it out with --exclude",
        )
        self.file = file
        self.line = line


class RerankingServiceError(RerankingError):
    """Raised when the reranking service is unreachable, refuses, or sends an invalid answer."""
