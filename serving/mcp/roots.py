"""Which folders a client may have searched: its own roots, within what the server was started with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ...state.errors import CallerError, UnknownRoot
from .checks import checked_path


class RootRefused(CallerError):
    """The folder lies outside of what this client may have searched."""


@dataclass(frozen=True)
class RootPolicy:
    """The allow-list of a server.

    Args:
        allowed: folders named at the start, links resolved; empty: whatever the client offers.
        base: where the server was started, for clients that offer no roots; None where that means nothing (HTTP).
    """

    allowed: tuple[Path, ...] = ()
    base: Path | None = None

    def folders(self, offered: Sequence[Path] | None) -> list[Path]:
        """The folders that may be searched, the client's first one first.

        offered: the client's roots, links resolved; None for a client that knows no roots.
        """
        if offered is None:
            return list(self.allowed) or ([] if self.base is None else [self.base])
        if not self.allowed:
            return _each_once(offered)
        return _each_once(shared for one in offered for other in self.allowed for shared in _shared(one, other))

    def resolve(self, asked: str, offered: Sequence[Path] | None) -> Path:
        """The folder to search, links resolved. asked: absolute, relative to the only folder, or '' for that one.

        Raises:
            RootRefused: it lies outside, or nothing may be searched.
            UnknownRoot: there is no such folder.
        """
        folders = self.folders(offered)
        if not folders:
            raise RootRefused(
                "no folder may be searched: the client offers none within the folders that the server was started "
                "with; open a folder in the client, or start the server with --allow-root DIR"
            )
        wanted = _wanted(checked_path("root", asked), folders)
        found = Path(os.path.realpath(wanted))
        if not any(_within(found, folder) for folder in folders):
            raise RootRefused(f"root: '{asked}' lies outside of what may be searched: {_listed(folders)}")
        if not found.is_dir():
            raise UnknownRoot(f"root: there is no folder '{asked}' in {_listed(folders)}")
        return found


def real_folders(names: Iterable[str]) -> tuple[Path, ...]:
    """The folders of ``--allow-root``, absolute, links resolved.

    Raises:
        UnknownRoot: one is no folder.
    """
    found = []
    for name in names:
        path = Path(os.path.realpath(Path(name).expanduser()))
        if not path.is_dir():
            raise UnknownRoot(f"--allow-root: '{name}' is no folder; name one that exists")
        found.append(path)
    return tuple(found)


def offered_folders(uris: Iterable[str]) -> list[Path]:
    """The local folders among a client's roots, links resolved."""
    found = []
    for uri in uris:
        parts = urlsplit(uri)
        path = unquote(parts.path)
        if parts.scheme == "file" and parts.netloc in ("", "localhost") and "\0" not in path and os.path.isabs(path):
            found.append(Path(os.path.realpath(path)))
    return _each_once(found)


def _wanted(asked: str, folders: Sequence[Path]) -> Path:
    if os.path.isabs(asked):
        return Path(asked)
    if len(folders) > 1 and not asked:
        return folders[0]
    if len(folders) > 1:
        there = [folder / asked for folder in folders if _is_folder_in(folder / asked, folder)]
        if len(there) != 1:
            raise RootRefused(f"root: '{asked}' is not one folder; give an absolute path within {_listed(folders)}")
        return there[0]
    return folders[0] / asked


def _is_folder_in(path: Path, folder: Path) -> bool:
    """Whether a folder is there; of what lies outside nothing is told, not even whether it exists."""
    real = Path(os.path.realpath(path))
    return _within(real, folder) and real.is_dir()


def _shared(one: Path, other: Path) -> Iterator[Path]:
    """The smaller of two folders when it lies within the other."""
    if _within(one, other):
        yield one
    elif _within(other, one):
        yield other


def _within(path: Path, folder: Path) -> bool:
    return path == folder or folder in path.parents


def _each_once(paths: Iterable[Path]) -> list[Path]:
    return list(dict.fromkeys(paths))


def _listed(folders: Sequence[Path]) -> str:
    shown = ", ".join(map(str, folders[:5]))
    return f"{shown} and {len(folders) - 5} more" if len(folders) > 5 else shown
