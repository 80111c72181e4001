"""Which folders a client may have searched: its own roots, within what the server was started with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from ...state.errors import CallerError
from ..roots import AllowedRoots
from .checks import checked_path


class RootRefused(CallerError):
    """Nothing may be searched for this client."""


@dataclass(frozen=True)
class RootPolicy:
    """What a server was started with.

    Args:
        allowed: the folders named then; None: whatever the client offers.
        base: the folder the server was started in, for clients that know no roots; None where it means nothing (HTTP).
    """

    allowed: AllowedRoots | None = None
    base: str | None = None

    def of(self, offered: Sequence[str] | None) -> AllowedRoots:
        """What one client may have searched, its first root first.

        offered: the client's roots, absolute; None for a client that knows no roots.

        Raises:
            RootRefused: nothing.
        """
        folders = self._folders(offered)
        if not folders:
            raise RootRefused(
                "no folder may be searched: the client offers none, or none within the folders that the server was "
                "started with; open a folder in the client, or start the server with --allow-root DIR"
            )
        return AllowedRoots(folders)

    def _folders(self, offered: Sequence[str] | None) -> list[str]:
        if offered is None:
            return self.allowed.folders if self.allowed else [self.base] if self.base else []
        there = [os.path.realpath(folder) for folder in offered if os.path.isdir(folder)]
        if self.allowed is None:
            return there
        shared = (folder for one in there for other in self.allowed.folders for folder in _shared(one, other))
        return list(dict.fromkeys(shared))


def placed(roots: AllowedRoots, root: str) -> str:
    """The real path of a root. root: absolute, or relative to the client's first root; '' for that one.

    Raises:
        UnknownRoot, CallerError: it lies elsewhere, or is no path.
    """
    return roots.place(checked_path("root", root) or ".")


def local_folders(uris: Iterable[str]) -> list[str]:
    """The paths among a client's roots that name a place on this machine."""
    found = []
    for uri in uris:
        parts = urlsplit(uri)
        path = unquote(parts.path)
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and "\0" not in path and os.path.isabs(path):
            found.append(path)
    return found


def _shared(one: str, other: str) -> Iterator[str]:
    """The smaller of two folders, when it lies within the other."""
    if AllowedRoots([other]).holds(one):
        yield one
    elif AllowedRoots([one]).holds(other):
        yield other
