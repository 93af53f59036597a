"""What tests share besides fixtures."""

from __future__ import annotations

from helpers.embedder import HashEmbedder

__all__ = ["HashEmbedder"]
