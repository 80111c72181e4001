"""How JSON is asked for. Servers differ, so the ways are tried from the strictest to the loosest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

Way = Literal["json_schema", "function_calling", "json_object", "text"]
WAYS: tuple[Way, ...] = ("json_schema", "function_calling", "json_object", "text")
"""A JSON Schema as response format, a forced function call, JSON mode, plain text."""

_ABOUT_WAY = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|\btools?\b|tool_choice|function.?call|schema"
    r"|grammar",
    re.IGNORECASE,
)


def asking(way: Way, schema: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a request carries besides its messages: fields of its body, and arguments of the client."""
    body: dict[str, Any] = {}
    arguments: dict[str, Any] = {}
    # response_format goes into the body as it is: given as an argument, the client would parse the reply itself and
    # raise its own errors on a reply cut short.
    if way == "json_schema":
        wanted = {"name": _name(schema), "schema": dict(schema), "strict": _is_closed(schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    if way == "json_object":
        body["response_format"] = {"type": "json_object"}
    if way == "function_calling":
        arguments["tools"] = [{"type": "function", "function": {"name": _name(schema), "parameters": dict(schema)}}]
        arguments["tool_choice"] = {"type": "function", "function": {"name": _name(schema)}}
    return body, arguments


def with_schema(system: str, schema: Mapping[str, Any], way: Way) -> str:
    """The system text; where the request cannot carry the schema, with the schema."""
    if way in ("json_schema", "function_calling"):
        return system
    return f"{system}\n\nReply with one JSON object that follows this JSON Schema:\n{json.dumps(schema)}"


def refuses_way(status: int, said: str) -> bool:
    """Whether an error says that the server does not know this way; some answer 500 to an unknown format."""
    return status in (400, 404, 405, 415, 422, 500, 501) and bool(_ABOUT_WAY.search(said))


def _name(schema: Mapping[str, Any]) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", str(schema.get("title") or "reply"))[:64]


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Whether every object names all its properties, as strict mode demands."""
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
        return all(map(_is_closed, properties.values()))
    return _is_closed(schema["items"]) if "items" in schema else True


__all__ = ["WAYS", "Way", "asking", "refuses_way", "with_schema"]
