"""How checkpointers read our values back: LangGraph asks for a list of the types it may make."""

from __future__ import annotations

import importlib
import pkgutil
from enum import Enum
from functools import cache

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from .. import state


def checkpoint_serializer() -> JsonPlusSerializer:
    """A serializer for any saver, which knows the values of all three graphs: ``SqliteSaver(connection, serde=...)``.

    Without it LangGraph warns of each type today, and means to refuse them later.
    """
    return JsonPlusSerializer(allowed_msgpack_modules=_state_types())


@cache
def _state_types() -> list[tuple[str, ...]]:
    """(module, class) of every model and enumeration of the state."""
    modules = [importlib.import_module(f"{state.__name__}.{m.name}") for m in pkgutil.iter_modules(state.__path__)]
    return sorted(
        (kind.__module__, kind.__qualname__)
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, BaseModel | Enum) and kind.__module__ == module.__name__
    )


__all__ = ["checkpoint_serializer"]
