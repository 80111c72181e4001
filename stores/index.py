"""Git's index: which files are tracked, their blob ids, and how they looked when git hashed them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ..state.source import FileEntry, LeftOutReason
from .exclusions import left_out_reason
from .git import Repository, ask_git

# One line of `ls-files --stage --debug -z`. Git calls the debug part unstable: without it every file is hashed anew.
_LINE = re.compile(
    r"(\d{6}) ([0-9a-f]+) \d\t([^\0]+)\0"
    r"(?:  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev:[^\n]*\n  uid:[^\n]*\n  size: (\d+)\t)?"
)
_SUBMODULE = "160000"
_SECOND = 1_000_000_000


class Tracked(NamedTuple):
    """One tracked file. reason: why a file of its name and size is left out. mtime, ctime: nanoseconds."""

    entry: FileEntry
    reason: LeftOutReason | None
    mtime: int
    ctime: int

    def fits(self, status: os.stat_result) -> bool:
        """Whether the file still looks as it did when git hashed it."""
        return (
            status.st_mtime_ns == self.mtime and status.st_ctime_ns == self.ctime and status.st_size == self.entry.size
        )


@dataclass(frozen=True, slots=True)
class Index:
    """What one folder's index holds, paths relative to the folder. submodules: paths of other repositories' trees.

    Unmerged and intent-to-add files, and files outside a sparse checkout, carry no times: they never fit.
    """

    files: list[Tracked]
    submodules: list[str]


def read_index(repository: Repository) -> Index:
    """The index of a repository below the folder by which it was found.

    Raises:
        GitUnavailable: git cannot read the index.
    """
    try:
        status = os.stat(repository.index)
    except FileNotFoundError:
        return Index([], [])
    return _read(repository.folder, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=8)
def _read(folder: str, stamp: tuple[int, int, int]) -> Index:
    """Parse the index, once for each version of it.

    stamp: inode, size and mtime. A file that changed in the tick in which the index was written could hide a later
    change (git calls it racy), so its times are dropped.
    """
    lines = _LINE.findall(ask_git(folder, "ls-files", "-z", "--stage", "--debug").required(folder).text)
    submodules = [path for mode, _, path, *_ in lines if mode == _SUBMODULE]
    files = [_tracked(blob, path, times, stamp[2]) for mode, blob, path, *times in lines if mode != _SUBMODULE]
    return Index(files, submodules)


def _tracked(blob: str, path: str, times: list[str], index_time: int) -> Tracked:
    ctime, ctime_ns, mtime, mtime_ns, size = (int(number or 0) for number in times)
    changed = mtime * _SECOND + mtime_ns
    entry = FileEntry(path, blob, size)
    if changed >= index_time:
        return Tracked(entry, None, 0, 0)
    return Tracked(entry, left_out_reason(path, size), changed, ctime * _SECOND + ctime_ns)
