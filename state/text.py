"""Free text that may be kept: what a question, a tenant or a model says goes through here before any store sees it."""

from __future__ import annotations

from typing import Any


def storable(text: str) -> str:
    """The text with half surrogates and NUL replaced; both databases, checkpoints and terminals keep the rest."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def storable_value(value: Any) -> Any:
    """A JSON value with every string in it storable."""
    match value:
        case str():
            return storable(value)
        case list():
            return [storable_value(item) for item in value]
        case dict():
            return {storable(str(name)): storable_value(item) for name, item in value.items()}
    return value
