"""Embed by any service with OpenAI's POST /v1/embeddings."""

from __future__ import annotations

from pgbraid.embedders.http import HttpEmbedder


class OpenAIEmbedder(HttpEmbedder):
    """Embed over HTTP with OpenAI's interface: OpenAI itself, Azure, Ollama, vLLM, LiteLLM, llama.cpp and others.

    `base_url` ends before `/embeddings`. `api_key` defaults to the environment variable OPENAI_API_KEY; without a key,
    no Authorization header is sent. All else is as in HttpEmbedder.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | None = None,
        dimensions: int | None = None,
        batch_size: int = 128,
        timeout: float = 30.0,
        retries: int = 3,
    ) -> None:
        super().__init__(
            "openai",
            model,
            base_url=base_url,
            api_key=api_key,
            dimensions=dimensions,
            batch_size=batch_size,
            timeout=timeout,
            retries=retries,
        )
