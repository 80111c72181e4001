"""A working tree as git sees it: tracked and untracked files, ignore rules, nested repositories."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from ..state.errors import GitUnavailable
from ..state.source import FileEntry, LeftOutReason
from .exclusions import left_out_reason, size_limit
from .files import FolderReader
from .git import SHA1_DIGITS, Repository, blob_id, empty_git_dir, find_repository, finish_git, start_git
from .index import Index, read_index


@dataclass(frozen=True, slots=True)
class Part:
    """One repository's share of a listing, or a plain folder's.

    base: '' or the path of its folder below the root, with a trailing '/'. folder: absolute. repository: None outside
    git; then git's matcher still applies the folder's own .gitignore files and the user's global excludes.
    """

    base: str
    folder: str
    repository: Repository | None


@dataclass(slots=True)
class Listing:
    """What stands below a root. parts: the root's own part first, then nested repositories."""

    entries: list[FileEntry] = field(default_factory=list)
    left_out: dict[str, LeftOutReason] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)


def list_working_tree(root: str, repository: Repository | None) -> Listing:
    """Every file below ``root`` that git does not ignore, nested repositories and submodules included.

    Args:
        root: absolute real path.
        repository: the repository that holds it, None outside git.

    Raises:
        GitUnavailable: git is missing or failed.
    """
    listing = Listing()
    waiting = [Part("", root, repository)]
    seen: set[str] = set()
    while waiting:
        part = waiting.pop()
        if part.repository and part.repository.git_dir in seen:
            listing.left_out[part.base.rstrip("/")] = LeftOutReason.IGNORED  # another work tree of the same repository
            continue
        seen |= {part.repository.git_dir} if part.repository else set()
        listing.parts.append(part)
        waiting.extend(_nested(root, base) for base in sorted(_try_part(part, listing), reverse=True))
    listing.entries.sort(key=lambda entry: entry.path)
    return listing


@contextmanager
def git_view(part: Part) -> Iterator[str | None]:
    """The git directory to name on the command line for this part: None (git finds its own), or an empty one."""
    with nullcontext(None) if part.repository else empty_git_dir() as git_dir:
        yield git_dir


def _nested(root: str, base: str) -> Part:
    folder = os.path.join(root, base.rstrip("/"))
    try:
        repository = find_repository(folder)
    except GitUnavailable:
        repository = None  # a damaged nested repository: its files are there all the same
    return Part(base, folder, repository if repository and repository.work_tree and not repository.prefix else None)


def _try_part(part: Part, listing: Listing) -> set[str]:
    """List one part; a nested one that cannot be listed does not spoil the rest."""
    try:
        return _list_part(part, listing)
    except (GitUnavailable, OSError):
        if not part.base:
            raise
        listing.left_out[part.base.rstrip("/")] = LeftOutReason.UNREADABLE
        return set()


def _list_part(part: Part, listing: Listing) -> set[str]:
    """Add one part's files to the listing; the answer is its nested repositories, as bases."""
    with git_view(part) as git_dir:
        others = start_git(part.folder, "ls-files", "-z", "--others", "--exclude-standard", git_dir=git_dir)
        tracked = _Sorter(part, listing)
        try:
            if part.repository:
                tracked.add_tracked(read_index(part.repository))
        finally:
            answer = finish_git(others)
        tracked.add_others(answer.required(part.folder).text)
    for folder in _CLOSED_FOLDER.findall(answer.errors):
        listing.left_out[part.base + folder] = LeftOutReason.UNREADABLE
    tracked.hash_pending()
    return tracked.nested


_CLOSED_FOLDER = re.compile(r"^warning: could not open directory '(.*?)/?': Permission denied$", re.MULTILINE)


class _Sorter:
    """Sorts one part's paths into entries, left-out files, nested repositories and files to hash."""

    def __init__(self, part: Part, listing: Listing) -> None:
        self._part = part
        self._listing = listing
        self._prefix = os.path.join(part.folder, "")
        self._real_folders = {"": True}
        self._pending: set[str] = set()
        self._id_digits = part.repository.id_digits if part.repository else SHA1_DIGITS
        self.nested: set[str] = set()

    def add_tracked(self, index: Index) -> None:
        """Sort what the index holds. A file that looks as it did when git hashed it keeps git's blob id."""
        entries, left_out, base = self._listing.entries, self._listing.left_out, self._part.base
        for tracked in index.files:
            entry = tracked.entry
            status = self._status(entry.path)
            if status is None:
                continue
            if not tracked.fits(status) or not stat.S_ISREG(status.st_mode):
                self._add_changed(entry.path, status)
            elif tracked.reason:
                left_out[base + entry.path] = tracked.reason
            else:
                entries.append(FileEntry(base + entry.path, entry.blob, entry.size) if base else entry)
        for path in index.submodules:
            self._add_submodule(path)

    def add_others(self, names: str) -> None:
        """Sort what git calls untracked: files, links, and nested repositories with a trailing '/'."""
        for path in names.split("\0")[:-1]:
            if path.endswith("/"):
                self.nested.add(self._part.base + path)
            elif status := self._status(path):
                self._add_changed(path, status)

    def hash_pending(self) -> None:
        """Read and hash the files whose content git does not know."""
        if not self._pending:
            return
        try:
            reader = FolderReader(self._part.folder)
        except OSError:
            return  # the folder vanished, and the files with it
        with reader:
            for path in sorted(self._pending):
                self._hash(reader, path)

    def _add_submodule(self, path: str) -> None:
        """A checked-out submodule is listed like any nested repository; one that is not has no files."""
        if self._is_real_folder(path) and os.path.lexists(f"{self._prefix}{path}/.git"):
            self.nested.add(f"{self._part.base}{path}/")

    def _add_changed(self, path: str, status: os.stat_result) -> None:
        """Sort one file whose content git does not know."""
        if reason := _kind(status) or left_out_reason(path, status.st_size):
            self._listing.left_out[self._part.base + path] = reason
        else:
            self._pending.add(path)

    def _status(self, path: str) -> os.stat_result | None:
        """The status of anything but a folder; None when it is gone, or is behind a link (which is listed itself)."""
        try:
            status = os.lstat(self._prefix + path)
        except OSError:
            return None
        if stat.S_ISDIR(status.st_mode) or not self._is_real_folder(path.rpartition("/")[0]):
            return None
        return status

    def _is_real_folder(self, folder: str) -> bool:
        """Whether a folder of this part is one, and is reached without passing a link."""
        unknown = []
        while folder not in self._real_folders:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        real = self._real_folders[folder]
        for folder in reversed(unknown):
            real = real and _is_folder(self._prefix + folder)
            self._real_folders[folder] = real
        return real

    def _hash(self, reader: FolderReader, path: str) -> None:
        try:
            content = reader.read(path, size_limit(path))
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM, errno.EIO):
                self._listing.left_out[self._part.base + path] = LeftOutReason.UNREADABLE
            return  # otherwise it vanished, or turned into something else, since git saw it
        blob = blob_id(content, self._id_digits)
        self._listing.entries.append(FileEntry(self._part.base + path, blob, len(content)))


def _kind(status: os.stat_result) -> LeftOutReason | None:
    """LINK or NOT_A_FILE; None for a regular file."""
    if stat.S_ISREG(status.st_mode):
        return None
    return LeftOutReason.LINK if stat.S_ISLNK(status.st_mode) else LeftOutReason.NOT_A_FILE


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
