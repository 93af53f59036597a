"""Embedders behind one protocol, each imported when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid.embedders.local import LocalEmbedder
    from pgbraid.embedders.openai import OpenAIEmbedder
    from pgbraid.embedders.protocol import Embedder
    from pgbraid.embedders.sentence_transformer import SentenceTransformerEmbedder

__all__ = ["Embedder", "LocalEmbedder", "OpenAIEmbedder", "SentenceTransformerEmbedder"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "local": ["LocalEmbedder"],
        "openai": ["OpenAIEmbedder"],
        "protocol": ["Embedder"],
        "sentence_transformer": ["SentenceTransformerEmbedder"],
    },
)
