"""What pydantic refused, in our words: the first field that was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from .errors import CallerError, InvalidGenome

_Model = TypeVar("_Model", bound=BaseModel)


def request_of(kind: type[_Model], fields: Mapping[str, Any]) -> _Model:
    """The validated request.

    Raises:
        CallerError: a field is wrong; the message names the first.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise CallerError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error


def request_in(kind: type[_Model], state: Mapping[str, Any] | _Model) -> _Model:
    """The request that a graph's state holds.

    LangGraph itself would validate for a step that is annotated with ``kind``, before it begins: in pydantic's words,
    and leaving a thread that cannot be looked at any more.

    Raises:
        CallerError: a field is wrong; the message names the first.
    """
    if isinstance(state, Mapping):
        return request_of(kind, {name: state[name] for name in kind.model_fields if name in state})
    return state


def genome_part(where: str, kind: type[_Model], data: object, whole: str = "the whole") -> _Model:
    """The validated part of a genome, a patch or a domain. whole: the field's name when no single one is wrong.

    Raises:
        InvalidGenome: a field is wrong; the message says where, and names the first.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or whole
        raise InvalidGenome(f"{where}, field '{field}': {first['msg']}") from error
