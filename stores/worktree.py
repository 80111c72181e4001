"""The working tree behind a corpus: reads its files as they are now, and tells what is not among them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from ..state.source import FileEntry
from .exclusions import size_limit
from .explain import explain_ignored, explain_on_disk
from .files import FolderReader
from .git import ask_git, blob_id
from .listing import Part, git_view


class WorkingTree:
    """Files on disk below one root.

    Args:
        root: absolute real path.
        parts: what was listed: the root's own repository or folder, then nested ones.
    """

    def __init__(self, root: str, parts: list[Part]) -> None:
        self._root = root
        self._parts = parts

    def read_many(self, entries: Iterable[FileEntry], vanished: list[str]) -> Iterator[tuple[FileEntry, bytes]]:
        """Each entry with its bytes, in order; see ``Corpus.read_many``."""
        try:
            reader = FolderReader(self._root)
        except OSError:
            vanished.extend(entry.path for entry in entries)
            return
        with reader:
            for entry in entries:
                try:
                    content = reader.read(entry.path, size_limit(entry.path))
                except OSError:
                    vanished.append(entry.path)
                else:
                    yield _as_read(entry, content), content

    def ignored(self) -> int:
        """How many entries the ignore rules of all parts leave out; a wholly ignored folder counts once."""
        return sum(map(_count_ignored, self._parts))

    def explain(self, path: str) -> str:
        """Why a normalised relative path that was not left out by name is not listed."""
        if reason := explain_on_disk(self._root, path):
            return reason
        part = max((p for p in self._parts if path.startswith(p.base)), key=lambda part: len(part.base))
        if reason := explain_ignored(part, path[len(part.base) :]):
            return reason
        if os.path.isdir(os.path.join(self._root, path)):
            return "a folder; name one of its files"
        return "it appeared after the files were listed; search again"


def _as_read(entry: FileEntry, content: bytes) -> FileEntry:
    blob = blob_id(content, len(entry.blob))
    return entry if blob == entry.blob else FileEntry(entry.path, blob, len(content))


def _count_ignored(part: Part) -> int:
    query = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    with git_view(part) as git_dir:
        answer = ask_git(part.folder, *query, git_dir=git_dir)
    names = answer.required(part.folder).text.split("\0")[:-1]
    count, folder = 0, ""
    for name in sorted(names):  # git names some ignored folders and then their files again
        if not folder or not name.startswith(folder):
            count += 1
            folder = name if name.endswith("/") else ""
    return count
