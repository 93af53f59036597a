"""Provide embedders behind one protocol, each imported when used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid.embedders.adapted import AdaptedEmbedder
    from pgbraid.embedders.http import HttpEmbedder
    from pgbraid.embedders.local import LocalEmbedder
    from pgbraid.embedders.openai import OpenAIEmbedder
    from pgbraid.embedders.protocol import Embedder

__all__ = [
    "AdaptedEmbedder",
    "Embedder",
    "HttpEmbedder",
    "LocalEmbedder",
    "OpenAIEmbedder",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "adapted": "AdaptedEmbedder",
        "http": "HttpEmbedder",
        "local": "LocalEmbedder",
        "openai": "OpenAIEmbedder",
        "protocol": "Embedder",
    },
)
