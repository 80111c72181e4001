"""What is kept of a file and of the past: arrays and small tables, never texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .source import LeftOutReason, Structure


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """What is kept of a file.

    reason: why its text is left out, None when it is searchable. generated: a banner says a program wrote it.
    lines: number of lines. parts, wholes: term keys in text order (uint32). chunk_ends: (n_chunks, 2), int32, the end
    offsets of each chunk in parts and in wholes. names: keys of the parts of defined names (uint32).
    """

    reason: LeftOutReason | None
    generated: bool
    lines: int
    parts: NDArray[np.uint32]
    wholes: NDArray[np.uint32]
    chunk_ends: NDArray[np.int32]
    names: NDArray[np.uint32]
    structure: Structure


@dataclass(frozen=True)
class History:
    """The newest ancestors of a commit, newest first.

    ids: commit ids. times: unix seconds, (n,), int64. terms: message term keys of all commits, concatenated (uint32).
    ends: (n,), int64, end offset of each commit in terms. files: paths each commit touched, as of that commit; empty
    for sweeping commits. subjects: first line of each message.
    """

    ids: list[str]
    times: NDArray[np.int64]
    terms: NDArray[np.uint32]
    ends: NDArray[np.int64]
    files: list[list[str]]
    subjects: list[str]

    @cached_property
    def by_path(self) -> dict[str, list[int]]:
        """Path -> positions of the commits that touched it, newest first."""
        index: dict[str, list[int]] = {}
        for position, paths in enumerate(self.files):
            for path in paths:
                index.setdefault(path, []).append(position)
        return index


NO_HISTORY = History([], np.zeros(0, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.int64), [], [])
"""The past of a folder outside git."""
