"""Provide rerankers behind one protocol, each imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgbraid._lazy import lazy_names

if TYPE_CHECKING:
    from pgbraid.reranker import Reranker
    from pgbraid_tools.rerankers.cross_encoder import CrossEncoderReranker
    from pgbraid_tools.rerankers.http import HttpReranker
    from pgbraid_tools.rerankers.late_interaction import LateInteractionReranker
    from pgbraid_tools.rerankers.llm import LLMReranker

__all__ = [
    "CrossEncoderReranker",
    "HttpReranker",
    "LLMReranker",
    "LateInteractionReranker",
    "reranker_by_name",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "cross_encoder": "CrossEncoderReranker",
        "http": "HttpReranker",
        "late_interaction": "LateInteractionReranker",
        "llm": "LLMReranker",
    },
)


def reranker_by_name(name: str) -> Reranker:
    """Return the reranker `late-interaction` with the offline model, or else the cross-encoder of that name or path."""
    if name == "late-interaction":
        from pgbraid_tools.rerankers.late_interaction import LateInteractionReranker

        return LateInteractionReranker()
    from pgbraid_tools.rerankers.cross_encoder import CrossEncoderReranker

    return CrossEncoderReranker(name)
