"""Standard output that survives a reader who leaves early (``| head``) and an encoding that lacks a letter."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TextIO


class Output:
    """Writes whole texts to a stream; once its reader is gone it stays silent and raises nothing."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._open = True

    def write(self, text: str) -> None:
        """``text`` and a line break, at once.

        Raises:
            OSError: the stream cannot be written for another reason than a reader who left (a full disk).
        """
        if not self._open:
            return
        encoding = self._stream.encoding or "utf-8"
        try:
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
            self._stream.flush()
        except BrokenPipeError:
            self._open = False
            _discard(self._stream)
        except OSError:
            _discard(self._stream)
            raise


def standard_output() -> Output:
    """The present standard output."""
    return Output(sys.stdout or _nowhere())


def standard_error() -> Output:
    """The present standard error."""
    return Output(sys.stderr or _nowhere())


@cache
def _nowhere() -> TextIO:
    """Where output goes when the stream was closed before we started (``>&-``)."""
    return open(os.devnull, "w", encoding="utf-8")


def _discard(stream: TextIO) -> None:
    # The interpreter flushes once more at exit; without this it would fail again.
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, stream.fileno())
    os.close(sink)
