"""The fields of models in the reference: what a docstring leaves to the fields, told from them."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from sphinx.util.typing import stringify_annotation

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def add_fields(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Append fields of a model, members of an enumeration, to the lines of its docstring."""
    if not inspect.isclass(value):
        return
    if issubclass(value, Enum):
        lines += ["", "Values: " + ", ".join(f"``{member.value}``" for member in value), ""]
    elif issubclass(value, BaseModel):
        lines += ["", *(_row(field, about) for field, about in value.model_fields.items()), ""]


def without_fields(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str, returned: str
) -> tuple[str, str] | None:
    """No signature for a model, whose fields stand below; None keeps that of anything else."""
    return ("", "") if inspect.isclass(value) and issubclass(value, (BaseModel, Enum)) else None


def _row(name: str, field: Any) -> str:
    kind = stringify_annotation(field.annotation, "smart").replace("~", "").replace("`", "")
    default = "" if field.is_required() else f", default ``{field.get_default(call_default_factory=True)!r}``"
    about = f": {field.description}" if field.description else ""
    return f"* ``{name}`` (``{kind}``{default}){about}"
