"""Rerankers behind one protocol. Importing this loads none of their libraries."""

from __future__ import annotations

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
