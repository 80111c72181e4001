"""What changed before: past commits of a ref's ancestors, kept by commit id.

Only commits reachable from the ref are read, so nothing of the future leaks into a search at an old commit. Commits are
stored once and shared by every ref; mining reads messages and paths, never diffs.
"""

from __future__ import annotations

import numpy as np

from ..retrieval.text import content_terms, term_hash
from ..state.analysis import NO_HISTORY, History
from .blobs import BlobStore

MAX_COMMITS = 6_000
_MAX_FILES = 60  # a commit that touches more is a sweep (a rename, a licence year), not evidence


def read_history(store: BlobStore, git_dir: str, commit: str, prefix: str = "", limit: int = MAX_COMMITS) -> History:
    """The history of ``commit``: at most ``limit`` of its newest non-merge ancestors.

    Args:
        store: keeps what was mined.
        git_dir: the repository.
        commit: full id; its own change counts, it is an ancestor of the state that is searched.
        prefix: path of the searched root inside the repository, '' or ending in '/'; paths are made relative to it.
        limit: number of commits.
    """
    ids = _git(git_dir, ["rev-list", "--no-merges", f"--max-count={limit}", commit]).decode().split()
    known = store.known_commits(ids)
    new = [i for i in ids if i not in known]
    if new:
        store.put_commits(_mine(git_dir, new))
    return _assemble(store.commits(ids), prefix)


def _mine(git_dir: str, ids: list[str]) -> list[tuple[str, int, bytes, str, str]]:
    """Messages and touched paths of the given commits."""
    arguments = ["log", "--no-walk=unsorted", "--stdin", "--no-renames", "--name-only", "-z", "--format=%x01%H%x02%ct%x02%B%x02"]
    output = _git(git_dir, arguments, "\n".join(ids).encode())
    rows = []
    for record in output.decode("utf-8", "surrogateescape").split("\x01")[1:]:
        commit, seconds, message, names = (record.split("\x02", 3) + [""])[:4]
        paths = [p.lstrip("\n") for p in names.split("\0") if p.strip("\n")]
        keys = np.array([term_hash(t) for t in _message_terms(message)], dtype=np.uint32)
        kept = paths if len(paths) <= _MAX_FILES else []
        subject = message.strip().split("\n", 1)[0][:200]
        rows.append((commit, int(seconds), keys.tobytes(), "\0".join(kept).encode("utf-8", "surrogateescape").decode("latin-1"), _plain(subject)))
    return rows


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


def _git(git_dir: str, arguments: list[str], stdin: bytes = b"") -> bytes:
    from .git import run_git

    return run_git(git_dir, arguments, stdin)
