"""Query files: one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...state.errors import CallerError


def read_rows(path: str, *needed: str) -> list[dict[str, Any]]:
    """The rows of a JSONL file.

    Args:
        path: of the file.
        needed: fields that every row must have.

    Raises:
        CallerError: the file cannot be read, or a row lacks a field; the message names the line.
    """
    try:
        lines = Path(path).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise CallerError(f"cannot read the queries {path}: {error}") from error
    rows = list(_rows(path, lines, needed))
    if not rows:
        raise CallerError(f"{path} holds no query")
    return rows


def _rows(path: str, lines: list[str], needed: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise CallerError(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise CallerError(f"{path}, line {number}: give an object a line")
        missing = [name for name in needed if name not in row]
        if missing:
            raise CallerError(f"{path}, line {number}: lacks {', '.join(missing)}")
        yield row
