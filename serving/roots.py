"""Roots that a server's clients may search: an allow-list of folders, links resolved, and what git keeps elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..state.errors import CallerError, UnknownRoot
from ..state.ports import Workspace, Workspaces
from ..state.progress import ProgressSink

_SHOWN = 8


class AllowedRoots:
    """The folders below which clients may search.

    A relative root counts from the first of them. A folder that is named here is trusted with what its git repository
    is linked to (a linked work tree, borrowed objects); a repository further below must keep its objects inside.

    Args:
        folders: at least one; links are resolved now.

    Raises:
        UnknownRoot: one of them is no folder.
    """

    def __init__(self, folders: Sequence[str | Path]) -> None:
        self.folders = [_folder(folder) for folder in folders]
        if not self.folders:
            raise CallerError("name at least one folder that may be searched")

    def place(self, root: str) -> str:
        """The absolute real path of a root.

        Raises:
            UnknownRoot: it lies elsewhere, or its repository does. Whether it exists is not told.
        """
        real = self._resolved(root)
        if not self.holds(real):
            raise UnknownRoot(f"this root is not below a folder that may be searched here: {self.in_words()}")
        if any(not self.holds(place) for place in self._kept_elsewhere(real)):
            raise UnknownRoot(
                "the git objects of this root lie outside the folders that may be searched here; allow their folder too"
            )
        return real

    def file(self, path: str) -> str:
        """The absolute real path of a file.

        Raises:
            CallerError: it lies elsewhere.
        """
        real = self._resolved(path)
        if not self.holds(real):
            raise CallerError(f"this file is not below a folder that may be read here: {self.in_words()}")
        return real

    def holds(self, place: str) -> bool:
        """Whether an absolute path is one of the folders, or below one."""
        return any(place == folder or place.startswith(folder.rstrip(os.sep) + os.sep) for folder in self.folders)

    def in_words(self) -> str:
        """The folders, for a message."""
        more = len(self.folders) - _SHOWN
        return ", ".join(self.folders[:_SHOWN]) + (f" and {more} more" if more > 0 else "")

    def _resolved(self, path: str) -> str:
        try:
            return os.path.realpath(os.path.join(self.folders[0], path))
        except ValueError as error:  # a NUL in the path
            raise UnknownRoot(f"{path!r} is no path; give an existing folder") from error

    def _kept_elsewhere(self, real: str) -> Iterator[str]:
        """Every place to which the repositories between an allowed folder and a root lead, as absolute real paths."""
        place = real
        while place not in self.folders:
            yield from _git_places(place)
            place = os.path.dirname(place)


@dataclass(frozen=True)
class ConfinedWorkspaces:
    """Workspaces of allowed roots only: whoever is handed these can open nothing else.

    Args:
        inner: opens them.
        roots: what is allowed.
    """

    inner: Workspaces
    roots: AllowedRoots

    def open(self, root: str, ref: str | None = None, report: ProgressSink = lambda _: None) -> Workspace:
        """The workspace of an allowed root. Raises UnknownRoot and what opening raises."""
        workspace = self.inner.open(self.roots.place(root), ref, report)
        if not self.roots.holds(workspace.root):  # a link that was put there in the meantime
            raise UnknownRoot("this root is not below a folder that may be searched here")
        return workspace

    def opened(self, root: str, ref: str | None, fingerprint: str) -> Workspace:
        """The workspace that a request began with. Raises UnknownRoot."""
        return self.inner.opened(self.roots.place(root), ref, fingerprint)


def _folder(folder: str | Path) -> str:
    real = os.path.realpath(os.path.expanduser(folder))
    if not os.path.isdir(real):
        raise UnknownRoot(f"there is no folder {real} to allow; name an existing one")
    return real


def _git_places(folder: str) -> Iterator[str]:
    """Where the git directories of ``folder`` lead: a work tree's, and the folder itself if it is a bare one."""
    dot_git = os.path.join(folder, ".git")
    if os.path.isfile(dot_git):
        linked = os.path.realpath(os.path.join(folder, _first_line(dot_git).removeprefix("gitdir:").strip()))
        yield linked
        yield from _object_places(linked)
    elif os.path.isdir(dot_git):
        yield os.path.realpath(dot_git)
        yield from _object_places(dot_git)
    if os.path.exists(os.path.join(folder, "HEAD")) and os.path.isdir(os.path.join(folder, "objects")):
        yield from _object_places(folder)


def _object_places(git_dir: str) -> Iterator[str]:
    """The common git directory, its objects, links among them, and what is borrowed from other repositories."""
    common = os.path.realpath(os.path.join(git_dir, _first_line(os.path.join(git_dir, "commondir"))))
    objects = os.path.join(common, "objects")
    yield common
    yield os.path.realpath(objects)
    for borrowed in _lines(os.path.join(objects, "info", "alternates")):
        yield os.path.realpath(os.path.join(objects, borrowed))
    for folder in (common, objects, os.path.join(objects, "pack"), os.path.join(objects, "info")):
        yield from _links(folder)


def _links(folder: str) -> Iterator[str]:
    """Where the links in a folder lead."""
    try:
        with os.scandir(folder) as entries:
            yield from [os.path.realpath(entry.path) for entry in entries if entry.is_symlink()]
    except OSError:
        return  # no such folder: nothing leads anywhere


def _first_line(path: str) -> str:
    return next(iter(_lines(path)), "")


def _lines(path: str) -> list[str]:
    """The lines of a small file; [] when there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    except OSError:
        return []
