"""The corpus: every readable file of a working tree or of a git ref, each with its content id."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from ..state.errors import FileVanished, UnknownRef, UnknownRoot
from ..state.source import FileEntry, LeftOutReason
from .explain import explain_left_out
from .git import Repository, ask_git, find_repository
from .listing import Listing, list_working_tree
from .tree import GitTree, find_commit, list_commit
from .worktree import WorkingTree


class _Source(Protocol):
    """Where the files of a corpus come from."""

    def read_many(self, entries: Iterable[FileEntry], vanished: list[str]) -> Iterator[tuple[FileEntry, bytes]]: ...

    def ignored(self) -> int: ...

    def explain(self, path: str) -> str: ...


@dataclass(frozen=True, eq=False)
class Corpus:
    """A snapshot of what stands below a root.

    root: absolute real path. ref: as asked; None for the working tree. commit: full id of the ref's commit, for a
    working tree of HEAD's; None outside git or before the first commit. git_dir: absolute path of the common git
    directory, which linked work trees share; None outside git, and for a root that its repository ignores (an
    installed package in ``.venv``). prefix: the root's path inside its repository with a trailing '/', or ''. files:
    by path, relative to the root; a name that is no UTF-8 carries surrogates (``os.fsencode`` gives its bytes back).
    left_out: paths left out one by one, by name, size or kind. vanished: paths that could not be read when they were
    asked for; it grows while reading.
    """

    root: str
    ref: str | None
    commit: str | None
    git_dir: str | None
    prefix: str
    files: list[FileEntry]
    left_out: dict[str, LeftOutReason]
    _source: _Source = field(repr=False)
    vanished: list[str] = field(default_factory=list)

    @cached_property
    def fingerprint(self) -> str:
        """Hex digest of every path and blob: equal content has an equal fingerprint."""
        listed = "\0".join(f"{entry.path}\0{entry.blob}" for entry in self.files)
        return hashlib.sha256(os.fsencode(listed)).hexdigest()

    def read_many(self, entries: Iterable[FileEntry]) -> Iterator[tuple[FileEntry, bytes]]:
        """Each entry with its bytes, in order, one at a time.

        The blob of a yielded entry is always the id of the yielded bytes: when a file changed after it was listed, or
        git keeps it in another form (line ends, filters), a corrected entry comes instead of the asked one. Entries
        that cannot be read are skipped and noted in ``vanished``.

        Args:
            entries: entries of this corpus; path order is fastest.

        Raises:
            GitUnavailable: git failed while it read a commit.
        """
        return self._source.read_many(entries, self.vanished)

    def read(self, path: str) -> bytes:
        """The bytes of one file.

        Raises:
            FileVanished: it is not in the corpus, or can no longer be read.
        """
        entry = self._by_path.get(path)
        for _, content in self.read_many([entry] if entry else []):
            return content
        raise FileVanished(f"{path}: {self.explain(path) or 'gone or unreadable since it was listed; search again'}")

    def read_paths(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Each path that is in the corpus and can still be read, with its bytes; one git process for all of them."""
        known = [self._by_path[path] for path in sorted(set(paths)) if path in self._by_path]
        return ((entry.path, content) for entry, content in self.read_many(known))

    def ignored(self) -> int:
        """How many entries git's ignore rules leave out; a wholly ignored folder counts once. 0 for a ref."""
        return self._source.ignored()

    def explain(self, path: str) -> str | None:
        """Why ``path`` is not in ``files``, in a sentence; None when it is.

        Args:
            path: relative to the root, or absolute.
        """
        inside = self._inside(path)
        if inside is None:
            return f"not below the root {self.root}; nothing outside is read"
        if inside in self._by_path:
            return None
        for place in (inside, *_folders_above(inside)):
            if reason := self.left_out.get(place):
                return f"{'' if place == inside else f'below {place}: '}{explain_left_out(place, reason)}"
        return self._source.explain(inside)

    @cached_property
    def _by_path(self) -> dict[str, FileEntry]:
        return {entry.path: entry for entry in self.files}

    def _inside(self, path: str) -> str | None:
        """``path`` normalised and relative to the root; None when it is outside or the root itself."""
        relative = os.path.relpath(os.path.join(self.root, path), self.root)
        return None if relative.split(os.sep)[0] in (os.pardir, os.curdir) else relative.replace(os.sep, "/")


def open_corpus(root: str | Path, ref: str | None = None) -> Corpus:
    """The corpus below ``root``, listed now.

    Args:
        root: a folder: a work tree or a part of one, a bare repository, or a plain folder.
        ref: a git ref (branch, tag, commit id); None means the files on disk, or HEAD in a bare repository.

    Raises:
        UnknownRoot: there is no such folder, or the ref has no such folder.
        UnknownRef: the ref names no commit, or the root is not in a git repository.
        GitUnavailable: git is missing or failed.
    """
    folder = _real_folder(root)
    repository = find_repository(folder)
    if ref is not None:
        if repository is None:
            raise UnknownRef(f"{folder} is not in a git repository, so there is no ref {ref!r}; leave the ref out")
        return _commit_corpus(repository, ref, find_commit(repository, ref))
    if repository and folder == repository.git_dir:
        return _commit_corpus(repository, None, repository.commit)
    return _disk_corpus(folder, repository if repository and repository.work_tree else None)


def _folders_above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _real_folder(root: str | Path) -> str:
    try:
        folder = os.path.realpath(os.path.expanduser(root))
        is_folder, exists = os.path.isdir(folder), os.path.exists(folder)
    except ValueError as error:  # a NUL in the path
        raise UnknownRoot(f"{str(root)!r} is no path; give an existing folder") from error
    if is_folder:
        return _readable(folder)
    if exists:
        raise UnknownRoot(f"{folder} is a file; give its folder, {os.path.dirname(folder)}")
    raise UnknownRoot(f"there is no folder {folder}; give an existing one")


def _readable(folder: str) -> str:
    if os.access(folder, os.R_OK | os.X_OK):
        return folder
    raise UnknownRoot(f"the folder {folder} may not be read; check its permissions")


def _commit_corpus(repository: Repository, ref: str | None, commit: str | None) -> Corpus:
    if commit is None:  # a bare repository before its first commit
        return Corpus(repository.folder, ref, None, repository.git_dir, "", [], {}, _Nothing())
    listing = list_commit(repository, commit)
    return Corpus(
        root=repository.folder,
        ref=ref,
        commit=commit,
        git_dir=repository.git_dir,
        prefix=repository.prefix,
        files=listing.entries,
        left_out=listing.left_out,
        _source=GitTree(repository, commit, listing),
    )


def _disk_corpus(folder: str, repository: Repository | None) -> Corpus:
    listing = list_working_tree(folder, repository)
    if repository and _is_ignored_root(repository, listing):
        return _disk_corpus(folder, None)
    return Corpus(
        root=folder,
        ref=None,
        commit=repository.commit if repository else None,
        git_dir=repository.git_dir if repository else None,
        prefix=repository.prefix if repository else "",
        files=listing.entries,
        left_out=listing.left_out,
        _source=WorkingTree(folder, listing.parts),
    )


def _is_ignored_root(repository: Repository, listing: Listing) -> bool:
    """Whether the root's own repository ignores it as a whole: whoever names such a folder wants it searched."""
    if not repository.prefix or listing.entries or listing.left_out:
        return False
    return ask_git(repository.folder, "check-ignore", "--quiet", ".").code == 0


class _Nothing:
    """A repository without a commit."""

    def read_many(self, entries: Iterable[FileEntry], vanished: list[str]) -> Iterator[tuple[FileEntry, bytes]]:
        vanished.extend(entry.path for entry in entries)
        return iter(())

    def ignored(self) -> int:
        return 0

    def explain(self, path: str) -> str:
        return "the repository has no commit yet"
