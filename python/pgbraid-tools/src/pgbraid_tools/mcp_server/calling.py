"""Call a tool: check its arguments, report errors, and answer in the form that the caller asks for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, ConfigDict, ValidationError

from pgbraid.errors import PgbraidError
from pgbraid_tools.mcp_server.answers import Answer

__all__ = ["STRUCTURED", "make_tool"]

# A client that wants data in place of text sends this key with true in the `_meta` of its call.
STRUCTURED = "pgbraid/structured"
# Names that agents know from other tools.
OTHER_NAMES = {
    "document_id": "external_id",
    "id": "external_id",
    "ids": "external_ids",
    "k": "match_count",
    "limit": "match_count",
    "max_results": "match_count",
    "q": "query",
    "query": "pattern",
    "regexp": "regex",
    "text": "content",
    "top_k": "match_count",
}
TYPES = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "a text",
         "array": "an array", "object": "an object"}  # fmt: skip


def make_tool(function: Any, name: str, annotations: ToolAnnotations) -> Tool:
    tool = _Tool.from_function(function, name=name, annotations=annotations, structured_output=False)
    known = tool.fn_metadata.arg_model
    tool.fn_metadata.arg_model = type(known.__name__, (known, _Strict), {"__module__": __name__})
    tool.parameters = _terse(tool.fn_metadata.arg_model.model_json_schema(by_alias=True))
    return tool


class _Strict(BaseModel):
    """Refuse a misspelt argument: a search that drops its filters would return unwanted passages."""

    model_config = ConfigDict(extra="forbid")


class _Tool(Tool):
    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> CallToolResult:
        try:
            given = self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            raise ToolError("\n".join(dict.fromkeys(map(self._told, error.errors())))) from None
        try:
            answer: Answer = await self.fn(**given)
        except PgbraidError as error:
            raise ToolError(str(error)) from error
        except MCPError:
            raise
        except Exception as error:
            # The server logs the error; its text is not for the caller.
            raise UnexpectedToolError(f"{self.name} failed") from error
        meta: Mapping[str, Any] = context.request_context.meta or {}
        if meta.get(STRUCTURED) is True:
            return CallToolResult(content=[], structured_content=answer.data)
        return CallToolResult(content=[TextContent(type="text", text=answer.text)])

    def _told(self, error: Mapping[str, Any]) -> str:
        """Return what is wrong with an argument, and what may stand there."""
        properties: dict[str, Any] = self.parameters["properties"]
        name = str(error["loc"][0]) if error["loc"] else ""
        if error["type"] == "extra_forbidden":
            near = [other] if (other := OTHER_NAMES.get(name)) in properties else []
            near += difflib.get_close_matches(name, properties, 1)
            meant = f"; did you mean {near[0]}?" if near else "."
            return f"{self.name} has no argument {name}{meant} Its arguments: {', '.join(properties)}"
        expected = _expected(properties.get(name, {}))
        if error["type"] == "missing":
            return f"{self.name} needs {name}: give {expected}"
        return f"{name}: give {expected}"


def _expected(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(schema["enum"])
    low, high = schema.get("minimum"), schema.get("maximum")
    span = f" from {low} to {high}" if high is not None else f" from {low} on" if low is not None else ""
    if "minLength" in schema:
        span = " that is not empty"
    elif "maxItems" in schema:
        span = f" of {schema.get('minItems', 0)} to {schema['maxItems']} texts"
    about = f" ({schema['description']})" if "description" in schema else ""
    return f"{TYPES.get(schema.get('type', ''), 'another value')}{span}{about}"


def _terse(schema: Any) -> Any:
    """Shorten a schema, because an agent pays for every word of it: drop titles, which repeat names, and null, which
    means "left out"."""
    if isinstance(schema, list):
        return [_terse(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "properties":
            # In this object, the keys are names of arguments, so `title` is an argument.
            kept[name] = {key: _terse(each) for key, each in value.items()}
        elif name == "anyOf" and len(some := [each for each in value if each != {"type": "null"}]) == 1:
            kept |= _terse(some[0])
        elif not (name == "title" or (name == "default" and value is None)):
            kept[name] = _terse(value)
    # An object may have any keys unless it says otherwise.
    if kept.get("additionalProperties") is True:
        del kept["additionalProperties"]
    return kept
