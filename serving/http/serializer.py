"""How answers and events become JSON; LangServe's own serializer breaks off at LangGraph's values."""

from __future__ import annotations

from typing import Any

import orjson
from langgraph.types import Send
from langserve.serialization import WellKnownLCSerializer
from pydantic import BaseModel


class GraphSerializer(WellKnownLCSerializer):
    """Writes whatever a graph puts into its events; reads like its base class."""

    def dumps(self, obj: Any) -> bytes:
        """JSON. What is unknown is named by its type, so that no inside of the server leaks."""
        try:
            return orjson.dumps(obj, default=_plain, option=orjson.OPT_NON_STR_KEYS)
        except TypeError:  # a name that is no UTF-8
            return orjson.dumps(readable(obj), default=_plain, option=orjson.OPT_NON_STR_KEYS)


def readable(value: Any) -> Any:
    r"""``value`` with bytes that are no UTF-8 (lone surrogates in Python) written out, as in ``caf\udce9.py``."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case BaseModel():
            return readable(value.model_dump())
        case dict():
            return {readable(key): readable(held) for key, held in value.items()}
        case list() | tuple() | set() | frozenset():
            return [readable(held) for held in value]
    return value


def _plain(value: Any) -> Any:
    match value:
        case BaseModel():
            return value.model_dump()
        case Send():
            return {"node": value.node, "arg": value.arg}
        case set() | frozenset():
            return sorted(value, key=repr)
    return f"<{type(value).__name__}>"
