"""A commit's files, read from the object store: no checkout, no configuration of the repository, no network."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from ..state.errors import GitUnavailable, UnknownRef, UnknownRoot
from ..state.source import FileEntry, LeftOutReason
from .exclusions import left_out_reason
from .git import GitProcess, Repository, ask_git, empty_git_dir, finish_git, start_git

_TREE_LINE = re.compile(r"(\d{6}) (\w+) ([0-9a-f]+) +(\S+)\t([^\0]+)\0")


@dataclass(slots=True)
class TreeListing:
    """What stands below one folder of a commit. submodules: paths whose files other repositories hold."""

    entries: list[FileEntry] = field(default_factory=list)
    left_out: dict[str, LeftOutReason] = field(default_factory=dict)
    submodules: list[str] = field(default_factory=list)


def find_commit(repository: Repository, ref: str) -> str:
    """The full id of the commit that ``ref`` names.

    Raises:
        UnknownRef: it names none.
    """
    # A leading '-' would be an option, a leading '^' means "all but"; git forbids both in names.
    if ref and not ref.startswith(("-", "^")) and "\0" not in ref and _encodable(ref):
        answer = ask_git(repository.folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if answer.code == 0:
            return answer.text.strip()
    raise UnknownRef(f"{ref!r} names no commit in {repository.git_dir}; `git branch -a` and `git tag` list names")


def _encodable(ref: str) -> bool:
    try:
        os.fsencode(ref)
    except UnicodeEncodeError:
        return False
    return True


def list_commit(repository: Repository, commit: str) -> TreeListing:
    """Every file of ``commit`` below the repository's ``prefix``.

    Raises:
        UnknownRoot: the commit has no such folder.
        GitUnavailable: git failed.
    """
    with _open_objects(repository, "ls-tree", "-r", "-l", "-z", f"{commit}:{repository.prefix}") as process:
        answer = finish_git(process)
    if answer.code != 0 and re.search("not a valid object name|not a tree object", answer.errors, re.IGNORECASE):
        raise UnknownRoot(f"commit {commit[:12]} has no folder {repository.prefix}; use another root or another ref")
    listing = TreeListing()
    for mode, kind, blob, size, path in _TREE_LINE.findall(answer.required(repository.folder).text):
        _sort(listing, mode, kind, FileEntry(path, blob, int(size) if size.isdigit() else _MISSING))
    listing.entries.sort(key=lambda entry: entry.path)
    return listing


class GitTree:
    """The listed files of one commit."""

    def __init__(self, repository: Repository, commit: str, listing: TreeListing) -> None:
        self._repository = repository
        self._commit = commit
        self._listing = listing

    def read_many(self, entries: Iterable[FileEntry], vanished: list[str]) -> Iterator[tuple[FileEntry, bytes]]:
        """Each entry with its blob, in order; see ``Corpus.read_many``."""
        wanted = list(entries)
        with _open_objects(self._repository, "cat-file", "--batch", "--buffer") as process, _fed(process, wanted):
            for entry in wanted:
                content = _next_blob(process)
                if content is None:
                    vanished.append(entry.path)
                else:
                    yield entry, content

    def ignored(self) -> int:
        """0: a commit holds no ignored files."""
        return 0

    def explain(self, path: str) -> str:
        """Why a normalised relative path that was not left out by name is not listed."""
        for submodule in self._listing.submodules:
            if f"{path}/".startswith(f"{submodule}/"):
                return f"in the submodule {submodule}, whose files are not part of this commit"
        if any(entry.path.startswith(f"{path}/") for entry in self._listing.entries):
            return "a folder; name one of its files"
        return f"does not exist at commit {self._commit[:12]}"


_MISSING = -1  # the size of a blob that a partial clone does not have


def _sort(listing: TreeListing, mode: str, kind: str, entry: FileEntry) -> None:
    if kind == "commit":
        listing.submodules.append(entry.path)
    elif mode == "120000":
        listing.left_out[entry.path] = LeftOutReason.LINK
    elif reason := left_out_reason(entry.path, entry.size):
        listing.left_out[entry.path] = reason
    elif entry.size == _MISSING:
        listing.left_out[entry.path] = LeftOutReason.UNREADABLE
    else:
        listing.entries.append(entry)


@contextmanager
def _open_objects(repository: Repository, *arguments: str) -> Iterator[GitProcess]:
    """A git command over the repository's objects that does not outlive the block.

    It runs under an empty git directory: what the repository configures (a promisor remote to fetch missing blobs from,
    replacement objects) does not apply.
    """
    objects = os.path.join(repository.git_dir, "objects")
    with empty_git_dir(repository.id_digits) as git_dir:
        process = start_git(repository.folder, *arguments, git_dir=git_dir, objects=objects)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()


@contextmanager
def _fed(process: GitProcess, entries: list[FileEntry]) -> Iterator[None]:
    """Ask in a thread of its own: git answers while it is still asked, so from one thread both pipes could block."""
    feeder = threading.Thread(target=_feed, args=(process, entries), name="ask-for-blobs", daemon=True)
    feeder.start()
    try:
        yield
    finally:
        process.kill()
        feeder.join()


def _feed(process: GitProcess, entries: list[FileEntry]) -> None:
    """Ask for every blob; the reader may stop early, then git is gone and nobody listens."""
    assert process.stdin is not None
    with suppress(BrokenPipeError, ValueError):
        for entry in entries:
            process.stdin.write(f"{entry.blob}\n".encode("ascii"))
        process.stdin.close()


def _next_blob(process: GitProcess) -> bytes | None:
    """The next answer of ``cat-file --batch``; None when the repository lacks the blob."""
    assert process.stdout is not None
    header = process.stdout.readline().split()
    if header[1:2] == [b"missing"]:
        return None
    if len(header) != 3:
        raise GitUnavailable(f"git cat-file ended early: {_last_words(process)}; `git fsck` may tell more")
    size = int(header[2])
    content = process.stdout.read(size + 1)[:size]
    if len(content) < size:
        raise GitUnavailable(f"git cat-file ended early: {_last_words(process)}; `git fsck` may tell more")
    return content


def _last_words(process: GitProcess) -> str:
    assert process.stderr is not None
    return process.stderr.read().decode("utf-8", "replace").strip() or "it gave no reason"
