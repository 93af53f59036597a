"""Rerankers behind one protocol, each imported when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid.rerankers.cross_encoder import CrossEncoderReranker
    from pgbraid.rerankers.http import HttpReranker
    from pgbraid.rerankers.late_interaction import LateInteractionReranker, TokenEmbedder
    from pgbraid.rerankers.llm import LLMReranker
    from pgbraid.rerankers.protocol import Reranker

__all__ = [
    "CrossEncoderReranker",
    "HttpReranker",
    "LLMReranker",
    "LateInteractionReranker",
    "Reranker",
    "TokenEmbedder",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "cross_encoder": "CrossEncoderReranker",
        "http": "HttpReranker",
        "late_interaction": "LateInteractionReranker TokenEmbedder",
        "llm": "LLMReranker",
        "protocol": "Reranker",
    },
)
