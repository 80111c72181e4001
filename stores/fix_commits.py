"""The past commits of a root, newest first, as they are mined for labelled tasks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ..retrieval.fixes import PastCommit
from ..state.errors import CallerError, UnknownRef, UnknownRoot
from .git import ask_git, find_repository, run_git

_BATCH = 400  # commits a call of git
_PLAIN = ("--no-replace-objects",)
_CHANGES = (
    *(*_PLAIN, "diff-tree", "--stdin", "--always", "-r", "--no-renames", "--name-status", "-z"),
    *("--encoding=UTF-8", "--format=%x00%H%x00%P%x00%an <%ae>%x00%ct%x00%B%x00"),
)
_FIELDS = 5


class PastCommits(NamedTuple):
    """Where a root's past is. root: absolute. tip: full id of the commit it begins at. commits: newest first."""

    root: str
    tip: str
    commits: Iterator[PastCommit]


def past_commits(root: str, ref: str = "HEAD") -> PastCommits:
    """The ancestors of a ref that changed something below a root, merges left out; read as they are asked for.

    Args:
        root: a work tree, a folder in one, or a bare repository.
        ref: where to begin.

    Raises:
        UnknownRoot: no such folder.
        CallerError: it lies in no git repository.
        UnknownRef: the ref names no commit.
        GitUnavailable: git failed.
    """
    folder = os.path.realpath(os.path.expanduser(root))
    if not os.path.isdir(folder):
        raise UnknownRoot(f"there is no folder {root}; name the root of a repository")
    found = find_repository(folder)
    if found is None:
        raise CallerError(f"{root} lies in no git repository, so it has no past to learn from; name one with --root")
    tip = ask_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if tip.code:
        raise UnknownRef(f"'{ref}' names no commit in {root}; commit something first, or name another ref")
    listed = [*_PLAIN, "rev-list", "--no-merges", tip.text.strip(), "--", f":(top,literal){found.prefix}"]
    ids = run_git(folder, listed if found.prefix else listed[:-2]).decode("ascii").split()
    return PastCommits(folder, tip.text.strip(), _read(folder, ids, found.prefix))


def _read(folder: str, ids: list[str], prefix: str) -> Iterator[PastCommit]:
    rest = iter(ids)
    while batch := list(islice(rest, _BATCH)):
        stdin = "\n".join([*batch, ""]).encode("ascii")
        yield from _parsed(run_git(folder, _CHANGES, stdin).split(b"\0"), prefix)


def _parsed(fields: list[bytes], prefix: str) -> Iterator[PastCommit]:
    """A commit is '', five fields, '', and pairs of status and path; the first status follows a line end."""
    at = 1
    while at + _FIELDS < len(fields):
        name, parents, author, seconds, message = fields[at : at + _FIELDS]
        end = fields.index(b"", at + _FIELDS + 1)
        changes = [os.fsdecode(field) for field in fields[at + _FIELDS + 1 : end]]
        pairs = zip(changes[::2], changes[1::2], strict=True)
        yield PastCommit(
            id=name.decode("ascii"),
            parents=parents.decode("ascii").split(),
            author=author.decode("utf-8", "replace"),
            time=int(seconds),
            message=message.decode("utf-8", "replace"),
            changed=[(letter.strip(), path[len(prefix) :]) for letter, path in pairs if path.startswith(prefix)],
        )
        at = end + 1
