"""A predictions file: one JSON row an instance, appended as it is made, so that an interrupted run can go on."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class BenchmarkError(Exception):
    """The benchmark cannot run as asked; the message says what to do."""


def read_rows(path: Path) -> dict[str, Row]:
    """instance_id -> row; {} when there is no file yet. A torn last line is dropped.

    Raises:
        BenchmarkError: another line is damaged.
    """
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").split("\n")
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError as error:
            if number == len(lines):  # no line end behind it: the run was stopped while it wrote
                break
            raise BenchmarkError(f"{path}, line {number} is not JSON ({error}); mend or delete the line") from error
        if row is not None:
            rows[row["instance_id"]] = row
    return rows


def resume(path: Path, wanted: Iterable[str]) -> dict[str, Row]:
    """The rows that need not be made again; the file is left with whole rows only, without failed ones that are wanted.

    Args:
        path: the predictions file.
        wanted: instance ids of this run.
    """
    retried = set(wanted)
    kept = {i: row for i, row in read_rows(path).items() if not ("error" in row and i in retried)}
    if path.exists():
        write_whole(path, "".join(_line(row) for row in kept.values()))
    return kept


def append(path: Path, row: Row) -> None:
    """Add one row at the end of the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(_line(row))


def write_whole(path: Path, text: str) -> None:
    """Replace a file as a whole: a reader sees the old or the new text, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"
