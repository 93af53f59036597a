"""Call chat models over any service that speaks OpenAI's POST /v1/chat/completions (vLLM, Ollama, llama.cpp, …)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pgbraid._http import JsonService
from pgbraid.errors import PgbraidError

__all__ = ["CHAT_URL", "ChatService", "response_format"]

CHAT_URL = "https://api.openai.com/v1"


def response_format(name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the response format that makes the model answer with an object of one key, whose value has this schema."""
    schema = {"type": "object", "properties": {name: value}, "required": [name], "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


class ChatService:
    """Send JSON material to a model with fixed instructions. `options` adds fields to the request; None removes a
    field. Raise `error` if the service fails."""

    def __init__(
        self,
        model: str,
        instructions: str,
        *,
        error: type[PgbraidError],
        base_url: str,
        api_key: str | None,
        timeout: float,
        retries: int,
        options: Mapping[str, Any],
    ) -> None:
        self._model = model
        self._instructions = instructions
        self._options = options
        self._error = error
        self._service = JsonService(
            base_url,
            "/chat/completions",
            error=self.failure,
            api_key=api_key,
            environment="OPENAI_API_KEY",
            timeout=timeout,
            retries=retries,
        )

    def ask(self, material: Mapping[str, Any]) -> str:
        """Return the model's answer."""
        body = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": self._instructions},
                {"role": "user", "content": json.dumps(material, ensure_ascii=False)},
            ],
            **self._options,
        }
        answer = self._service.post({name: value for name, value in body.items() if value is not None})
        try:
            return str(answer["choices"][0]["message"]["content"])
        except (KeyError, IndexError, TypeError) as error:
            raise self.failure("did not answer as /v1/chat/completions does") from error

    def failure(self, what: str) -> PgbraidError:
        return self._error(
            f"the language model service {self._service.address} {what}",
            hint="check base_url, api_key and model, and that the model can answer in JSON",
        )
