"""Where the task comes from: the command line, a file, or standard input."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from charset_normalizer import from_bytes

from ..state.errors import EmptyTask, TaskUnreadable

MAX_TASK_BYTES = 1_000_000  # the longest issue texts in public trackers are a tenth of this
STANDARD_INPUT = "-"


def read_task(task: str | None, task_file: str | None) -> str:
    """The task's text: ``task``, or the file's, or standard input's for ``-`` or when neither is given and it is piped.

    Raises:
        TaskUnreadable: the file cannot be read, holds no text, or is longer than MAX_TASK_BYTES.
        EmptyTask: there is no task anywhere, or it is blank.
    """
    text = _raw_task(task, task_file)
    if not text.strip():
        raise EmptyTask('the task is empty; write what is to be done in plain words ("Fix the login")')
    return text


def decode_task(raw: bytes, origin: str) -> str:
    """``raw`` as text: UTF-8 (with or without a mark), else the most likely encoding.

    Raises:
        TaskUnreadable: ``raw`` (from ``origin``) is too long or is no text.
    """
    if len(raw) > MAX_TASK_BYTES:
        raise TaskUnreadable(f"{origin} holds more than {MAX_TASK_BYTES:,} bytes; name a file with the task alone")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        best = from_bytes(raw).best()
        text = "\0" if best is None else str(best)
    if "\0" in text:
        raise TaskUnreadable(f"{origin} is not text; save the task as UTF-8")
    return text


def _raw_task(task: str | None, task_file: str | None) -> str:
    if task is not None and task != STANDARD_INPUT:
        return os.fsencode(task).decode("utf-8", "replace")  # an argument with broken bytes is still a task
    if task_file is not None and task_file != STANDARD_INPUT:
        return _read_file(Path(task_file))
    asked_for = STANDARD_INPUT in (task, task_file)
    if sys.stdin is None or (sys.stdin.isatty() and not asked_for):
        raise EmptyTask('no task; write it as the first argument ("Fix ..."), pipe it in, or name a --task-file')
    return _read_stream(sys.stdin.buffer, "standard input")


def _read_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return _read_stream(file, str(path))
    except OSError as error:
        raise TaskUnreadable(f"cannot read the task file {path}: {error.strerror}") from error


def _read_stream(stream: BinaryIO, origin: str) -> str:
    return decode_task(stream.read(MAX_TASK_BYTES + 1), origin)
