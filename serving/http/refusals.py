"""Errors as HTTP: a status, a readable message, what to do; never a traceback, never a path outside the roots."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ...state.errors import (
    CallerError,
    EvolutionRefused,
    IterativeRetrievalError,
    ModelError,
    UnknownCollection,
    UnknownDomain,
    UnknownGenome,
    UnknownRef,
    UnknownRoot,
)
from ..roots import AllowedRoots

_ABSENT = (UnknownRoot, UnknownRef, UnknownCollection, UnknownDomain, UnknownGenome)
_ABSOLUTE = re.compile(r"(?<![\w.~/:-])~?/[^\s'\"`,;:()<>|]+")
_ELSEWHERE = "(a path of the server)"


class Refused(Exception):
    """A request that the door itself turns away.

    Args:
        status: of HTTP.
        kind: one word for programs.
        message: for people; says what to do.
        headers: of the answer.
    """

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.refusal = Refusal(status, kind, message, dict(headers or {}))


@dataclass(frozen=True)
class Refusal:
    """What goes back instead of an answer."""

    status: int
    kind: str
    message: str
    headers: dict[str, str] = field(default_factory=dict)

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON object; its ``error`` is that of the command line's ``--json``, with the id of the request."""
        return {"error": {"kind": self.kind, "message": self.message, "request_id": request_id}}


def refusal_of(error: BaseException, roots: AllowedRoots) -> Refusal:
    """What a client is told of an error."""
    match error:
        case Refused():
            return error.refusal
        case CallerError() | EvolutionRefused():
            return Refusal(_status(error), type(error).__name__, scrubbed(str(error), roots))
        case ModelError():
            return Refusal(503, type(error).__name__, _WORLD.format("the language model did not answer"), _LATER)
        case IterativeRetrievalError():
            what = "something that the server needs (git, a store, a file) failed"
            return Refusal(503, type(error).__name__, _WORLD.format(what), _LATER)
        case OSError():
            return Refusal(503, "SystemError", _WORLD.format("the server's system failed"), _LATER)
        case BaseExceptionGroup() if len(error.exceptions) == 1:
            return refusal_of(error.exceptions[0], roots)
    return Refusal(
        500, "Bug", "this is a bug of the server; whoever runs it finds the reason in its log, under the request id"
    )


def complaint_of(errors: Sequence[Any]) -> Refusal:
    """What a client is told of a body that does not follow the schema: the first field that is wrong."""
    first = errors[0] if errors else ""
    if not isinstance(first, Mapping):
        return Refusal(422, "RequestInvalid", f"{first or 'the request is not valid'}; see /docs")
    place = ".".join(str(part) for part in first.get("loc", ()) if part not in ("body", "input"))
    return Refusal(422, "RequestInvalid", f"{place or 'the body'}: {_words(first)}; see /docs")


def _words(complaint: Mapping[str, Any]) -> str:
    return str(complaint.get("msg", "is not valid")).removeprefix("Value error, ")


def complaint(error: ValidationError) -> Refusal:
    """What a client is told of an input that pydantic refuses."""
    return complaint_of(error.errors(include_input=False, include_url=False))


def scrubbed(message: str, roots: AllowedRoots) -> str:
    """A message without absolute paths that lead outside the allowed roots."""

    def shown(match: re.Match[str]) -> str:
        path = match[0].rstrip(".")
        return match[0] if roots.holds(os.path.normpath(path)) else _ELSEWHERE + match[0][len(path) :]

    return _ABSOLUTE.sub(shown, message)


_WORLD = "{}; try again, and if it stays, whoever runs the server finds the reason in its log, under the request id"
_LATER = {"Retry-After": "5"}


def _status(error: CallerError | EvolutionRefused) -> int:
    if isinstance(error, _ABSENT):
        return 404
    return 409 if isinstance(error, EvolutionRefused) else 400
