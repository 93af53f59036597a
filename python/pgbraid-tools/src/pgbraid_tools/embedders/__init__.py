"""Embed texts with your own models; import each embedder only when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid_tools.embedders.onnx import OnnxEmbedder
    from pgbraid_tools.embedders.sentence_transformer import SentenceTransformerEmbedder
    from pgbraid_tools.embedders.static import StaticEmbedder

__all__ = ["OnnxEmbedder", "SentenceTransformerEmbedder", "StaticEmbedder"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "onnx": "OnnxEmbedder",
        "sentence_transformer": "SentenceTransformerEmbedder",
        "static": "StaticEmbedder",
    },
)
