"""Embedders behind one protocol. Importing this loads none of their libraries."""

from __future__ import annotations

from pgbraid.embedders.local import LocalEmbedder
from pgbraid.embedders.openai import OpenAIEmbedder
from pgbraid.embedders.protocol import Embedder
from pgbraid.embedders.sentence_transformer import SentenceTransformerEmbedder

__all__ = ["Embedder", "LocalEmbedder", "OpenAIEmbedder", "SentenceTransformerEmbedder"]
