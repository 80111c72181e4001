"""Reading what a model sent: tolerant of what stands around the JSON, strict about the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..state.errors import ModelUnreadable
from ..state.text import storable_value

_FENCED = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def read_object(text: str) -> dict[str, Any]:
    """The JSON object in a reply: bare, in a fence, or after a few words; raw line breaks in strings are accepted.

    Raises:
        ModelUnreadable: there is none, or it breaks off.
    """
    text = _THOUGHT.sub("", text).strip().removeprefix("\ufeff")
    if not text:
        raise ModelUnreadable("the reply is empty")
    for candidate in (text, *(m[1] for m in _FENCED.finditer(text)), text[text.find("{") :] if "{" in text else ""):
        found = _decoded(candidate.strip())
        if isinstance(found, dict):
            kept: dict[str, Any] = storable_value(found)
            return kept
    raise ModelUnreadable(f"the reply holds no JSON object: {text[:80]!r}")


def check_schema(value: object, schema: Mapping[str, Any], place: str = "reply") -> None:
    """Check a value against the JSON Schema keywords that our schemas use.

    Those are type, enum, properties, required, additionalProperties, items, minItems, maxItems, minimum, maximum.
    Alternatives (anyOf) and lengths of texts are left to whoever reads the value.

    Raises:
        ModelUnreadable: names the place and what is wrong with it.
    """
    if (kinds := schema.get("type")) is not None:
        _check_type(value, [kinds] if isinstance(kinds, str) else kinds, place)
    if "enum" in schema and value not in schema["enum"]:
        raise ModelUnreadable(f"{place}: {value!r} is none of {', '.join(map(repr, schema['enum']))}")
    match value:
        case dict():
            _check_object(value, schema, place)
        case list():
            _check_array(value, schema, place)
        case int() | float() if not isinstance(value, bool):
            _check_bounds(value, schema, place)


def _decoded(text: str) -> object:
    """The first JSON value of ``text``; None when it does not begin with a whole one."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):  # nested thousands deep: no reply that anybody asked for
        return None


def _check_type(value: object, kinds: list[str], place: str) -> None:
    fits = any(isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds)
    if not fits:
        raise ModelUnreadable(f"{place}: {' or '.join(kinds)} expected, not {type(value).__name__}")


def _check_object(value: dict[str, Any], schema: Mapping[str, Any], place: str) -> None:
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise ModelUnreadable(f"{place}: '{name}' is missing")
    for name, inner in value.items():
        if name in properties:
            check_schema(inner, properties[name], f"{place}.{name}")
        elif schema.get("additionalProperties", True) is False:
            raise ModelUnreadable(f"{place}: '{name}' is not part of the schema")


def _check_array(value: list[Any], schema: Mapping[str, Any], place: str) -> None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        raise ModelUnreadable(f"{place}: {len(value)} items are too few or too many")
    for i, inner in enumerate(value):
        check_schema(inner, schema.get("items", {}), f"{place}[{i}]")


def _check_bounds(value: float, schema: Mapping[str, Any], place: str) -> None:
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise ModelUnreadable(f"{place}: {value} is out of bounds")


__all__ = ["check_schema", "read_object"]
