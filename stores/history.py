"""What changed before: past commits of a ref's ancestors, kept by commit id.

Only commits reachable from the ref are read, so nothing of the future leaks into a search at an old commit. Commits are
stored once and shared by every ref; mining reads messages and paths, never diffs.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..retrieval.text import ANALYSIS_VERSION, content_terms, term_hash
from ..state.analysis import NO_HISTORY, History
from .blobs import BlobStore
from .git import run_git

MAX_COMMITS = 6_000
MAX_FILES = 60
"""A commit that touches more files is a sweep (a rename, a licence year), not evidence: its paths do not count."""

_MESSAGE = 4_000  # characters of a message that are read
_SUBJECT = 200  # characters of its first line that are kept
_VERSION = f"{ANALYSIS_VERSION}.2"  # part of every key: other terms or another form, another record
_HEAD = struct.Struct("<qI")  # time, number of terms; then the terms, then subject and paths

# Plumbing, since `git log` heeds what people set for their eyes. Replacement objects would change the past.
_PLAIN = ("--no-replace-objects",)
_ANCESTORS = (*_PLAIN, "rev-list", "--no-merges")
_CHANGES = (
    # without --root: a root commit brings a whole tree and says nothing of a single file, so it names none
    *(*_PLAIN, "diff-tree", "--stdin", "--always", "-r", "--no-renames", "--name-only", "-z"),
    *("--encoding=UTF-8", "--format=%x00%H%x00%ct%x00%B%x00"),
)


class _Commit(NamedTuple):
    """One commit. time: unix seconds. terms: keys of its message's terms (uint32). paths: none of a sweep or a root."""

    time: int
    terms: NDArray[np.uint32]
    subject: str
    paths: list[str]


def read_history(store: BlobStore, git_dir: str, commit: str, prefix: str = "", limit: int = MAX_COMMITS) -> History:
    """The history of ``commit``: at most ``limit`` of its newest non-merge ancestors.

    Args:
        store: keeps what was mined.
        git_dir: the repository.
        commit: full id; its own change counts, it is an ancestor of the state that is searched.
        prefix: path of the searched root inside the repository, '' or ending in '/'; paths are made relative to it.
        limit: number of commits.

    Raises:
        GitUnavailable: git failed, or the repository lacks what it needs (a clone without trees).
        StoreUnavailable: the store cannot be used.
    """
    listed = run_git(git_dir, [*_ANCESTORS, f"--max-count={limit}", commit]).decode("ascii").split()
    shallow = _shallow(git_dir)
    keys = {f"{i}.{_VERSION}": i for i in listed if i not in shallow}
    records = {keys[key]: record for key, record in store.commits(list(keys)).items()}
    if new := [i for i in keys.values() if i not in records]:
        mined = dict(_mine(git_dir, new))
        store.put_commits({f"{i}.{_VERSION}": record for i, record in mined.items()})
        records |= mined
    ids = [i for i in keys.values() if i in records]
    return _assemble(ids, [_unpack(records[i]) for i in ids], prefix)


def _shallow(git_dir: str) -> set[str]:
    """Commits whose parents a shallow clone lacks: what they changed cannot be told until it is deepened."""
    try:
        return set((Path(git_dir) / "shallow").read_text("ascii").split())
    except FileNotFoundError:
        return set()


def _mine(git_dir: str, ids: list[str]) -> Iterator[tuple[str, bytes]]:
    """Id and record of each of the given commits."""
    fields = run_git(git_dir, _CHANGES, "\n".join([*ids, ""]).encode("ascii")).split(b"\0")
    # NUL is the one byte that no message and no path holds, and no path is empty. So a commit is '', id, time, message,
    # '', its paths; the first path follows a line end.
    at = 1
    while at + 3 < len(fields):
        commit, seconds, message = fields[at : at + 3]
        end = fields.index(b"", at + 4)
        paths = [path.removeprefix(b"\n") if number == 0 else path for number, path in enumerate(fields[at + 4 : end])]
        yield commit.decode("ascii"), _pack(int(seconds), message.decode("utf-8", "replace"), paths)
        at = end + 1


def _pack(seconds: int, message: str, paths: list[bytes]) -> bytes:
    found = content_terms(message[:_MESSAGE])
    terms = np.array([term_hash(t) for t in (*found.parts, *found.wholes)], dtype=np.uint32)
    texts = [_one_line(message).encode("utf-8", "replace"), *(paths if len(paths) <= MAX_FILES else ())]
    return _HEAD.pack(seconds, len(terms)) + terms.tobytes() + b"\0".join(texts)


def _unpack(record: bytes) -> _Commit:
    seconds, count = _HEAD.unpack_from(record)
    terms = np.frombuffer(record, dtype=np.uint32, count=count, offset=_HEAD.size)
    subject, *paths = record[_HEAD.size + 4 * count :].decode("utf-8", "surrogateescape").split("\0")
    return _Commit(seconds, terms, subject, paths)


def _one_line(message: str) -> str:
    """The first line of a message, without the control characters that could move a terminal's cursor."""
    line = message.strip().split("\n", 1)[0]
    return "".join(c if c.isprintable() else " " for c in line[:_SUBJECT]).strip()


def _assemble(ids: list[str], commits: list[_Commit], prefix: str) -> History:
    if not ids:
        return NO_HISTORY
    return History(
        ids=ids,
        times=np.array([c.time for c in commits], dtype=np.int64),
        terms=np.concatenate([c.terms for c in commits]),
        ends=np.cumsum([len(c.terms) for c in commits], dtype=np.int64),
        files=[[p[len(prefix) :] for p in c.paths if p.startswith(prefix)] for c in commits],
        subjects=[c.subject for c in commits],
    )
