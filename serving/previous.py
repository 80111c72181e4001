"""The earlier result that a search continues, read from what ``--json`` printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..state.complaints import request_of
from ..state.errors import CallerError
from ..state.package import ContextPackage


def read_previous(file: str | None, gap: str | None) -> ContextPackage | None:
    """The package in ``file``; None when no search is continued.

    Raises:
        CallerError: a gap without a file or a file without a gap; the file is unreadable or holds no result.
    """
    if (file is None) != (gap is None):
        raise CallerError('--previous and --gap go together: --previous result.json --gap "where are tokens stored?"')
    if file is None:
        return None
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CallerError(f"cannot read the previous result {file}: {error}") from error
    if not isinstance(found, Mapping):
        raise CallerError(f"{file} holds no result; write one with: --json > {file}")
    try:
        return package_of(found)
    except CallerError as error:
        raise CallerError(f"{file} holds no result of a search: {error}") from error


def package_of(found: Mapping[str, Any]) -> ContextPackage:
    """The package of the object that ``--json`` prints, or of a package's own ``model_dump``.

    Raises:
        CallerError: a field is wrong; the message names it.
    """
    files = found.get("files")
    plain = {**found, "files": [_file(f) for f in files] if isinstance(files, list) else files}
    plain.pop("seconds", None)
    return request_of(ContextPackage, plain)


def _file(found: object) -> object:
    """A file whose spans are ``[first, last]`` pairs, with its symbols beside them."""
    if not isinstance(found, Mapping):
        return found
    plain = dict(found)
    symbols = plain.pop("symbols", None)
    spans = _spans(plain.get("spans"), symbols)
    return {**plain, "spans": spans, "known": _of(spans, plain.get("known"))}


def _spans(pairs: object, symbols: object) -> object:
    if not isinstance(pairs, list):
        return pairs
    names = symbols if isinstance(symbols, list) and len(symbols) == len(pairs) else [""] * len(pairs)
    return [
        {"first": p[0], "last": p[1], "symbol": name} if isinstance(p, list) and len(p) == 2 else p
        for p, name in zip(pairs, names, strict=True)
    ]


def _of(spans: object, known: object) -> object:
    """The known spans, as they stand among all spans."""
    if not isinstance(known, list) or not isinstance(spans, list):
        return known or []
    return [
        next((s for s in spans if [s.get("first"), s.get("last")] == k), k) if isinstance(k, list) else k for k in known
    ]
