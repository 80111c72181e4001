"""What changed before: past commits of a ref's ancestors, kept by commit id.

Only commits reachable from the ref are read, so nothing of the future leaks into a search at an old commit. Commits are
stored once and shared by every ref; mining reads messages and paths, never diffs.
"""

from __future__ import annotations

import re

import numpy as np

from ..retrieval.text import content_terms, term_hash
from ..state.analysis import NO_HISTORY, History
from .blobs import BlobStore
from .git import run_git

MAX_COMMITS = 6_000
_MAX_FILES = 60  # a commit that touches more is a sweep (a rename, a licence year), not evidence
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def read_history(store: BlobStore, git_dir: str, commit: str, prefix: str = "", limit: int = MAX_COMMITS) -> History:
    """The history of ``commit``: at most ``limit`` of its newest ancestors with one parent; merges and root commits, which bring a whole tree, say nothing.

    Args:
        store: keeps what was mined.
        git_dir: the repository.
        commit: full id; its own change counts, it is an ancestor of the state that is searched.
        prefix: path of the searched root inside the repository, '' or ending in '/'; paths are made relative to it.
        limit: number of commits.
    """
    ids = run_git(git_dir, ["rev-list", "--min-parents=1", "--max-parents=1", f"--max-count={limit}", commit]).decode().split()
    known = store.known_commits(ids)
    new = [i for i in ids if i not in known]
    if new:
        store.put_commits(_mine(git_dir, new))
    return _assemble(store.commits(ids), prefix)


def _mine(git_dir: str, ids: list[str]) -> list[tuple[str, int, bytes, str, str]]:
    """Messages and touched paths of the given commits."""
    arguments = ["log", "--no-walk=unsorted", "--stdin", "--no-renames", "--name-only", "-z", "--format=%H%x00%ct%x00%B%x00"]
    output = run_git(git_dir, arguments, "\n".join(ids).encode())
    fields = output.decode("utf-8", "surrogateescape").split("\0")  # NUL is the one byte no message and no path holds
    rows = []
    at = 0
    while at + 2 < len(fields):
        commit, seconds, message = fields[at].strip("\n"), fields[at + 1], fields[at + 2]
        at += 3
        paths = []
        while at < len(fields) and not (_ID.fullmatch(fields[at].strip("\n")) and at + 2 < len(fields) and fields[at + 1].isdigit()):
            if path := fields[at].lstrip("\n"):
                paths.append(path)
            at += 1
        rows.append(_row(commit, int(seconds), message, paths))
    return rows


def _row(commit: str, seconds: int, message: str, paths: list[str]) -> tuple[str, int, bytes, str, str]:
    keys = np.array([term_hash(t) for t in _message_terms(message)], dtype=np.uint32)
    kept = "\0".join(paths if len(paths) <= _MAX_FILES else [])
    subject = message.strip().split("\n", 1)[0][:200]
    return commit, seconds, keys.tobytes(), kept.encode("utf-8", "surrogateescape").decode("latin-1"), _plain(subject)


def _message_terms(message: str) -> list[str]:
    terms = content_terms(message[:4000])
    return terms.parts + terms.wholes


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _assemble(rows: list[tuple[str, int, bytes, str, str]], prefix: str) -> History:
    if not rows:
        return NO_HISTORY
    terms = [np.frombuffer(r[2], dtype=np.uint32) for r in rows]
    return History(
        ids=[r[0] for r in rows],
        times=np.array([r[1] for r in rows], dtype=np.int64),
        terms=np.concatenate(terms),
        ends=np.cumsum([len(t) for t in terms]),
        files=[_paths(r[3], prefix) for r in rows],
        subjects=[r[4] for r in rows],
    )


def _paths(joined: str, prefix: str) -> list[str]:
    paths = [p for p in joined.encode("latin-1").decode("utf-8", "surrogateescape").split("\0") if p]
    return [p[len(prefix) :] for p in paths if p.startswith(prefix)] if prefix else paths
