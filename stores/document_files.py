"""Finds the files that a collection is made of: folders are walked, globs matched, single files taken as they are."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wcmatch import glob

from ..retrieval.documents import (
    CHUNKING_VERSION,
    KNOWN,
    MAX_BYTES,
    UNSUPPORTED_EXTENSIONS,
    extension_of,
    format_of,
    read_document,
    refuse,
)
from ..state.documents import DocumentChunk, Skipped, SkipReason
from ..state.errors import DocumentSkipped, NoDocuments
from .files import FolderReader

_LEFT_OUT = frozenset({"node_modules", "__pycache__", "site-packages", "venv", "virtualenv", "bower_components"})
_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"
_MINIFIED = re.compile(r"\.min\.\w+$")
_GLOB = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB
_VERSION = f"{CHUNKING_VERSION}\0".encode()  # other chunks of the same bytes are another document


class FileSource:
    """One file on its way into a collection; nothing is read before it is asked for.

    Args:
        document: its id, the path relative to the common folder of all sources.
        root: absolute real path of the folder that must hold the file.
        path: real path below ``root``, forward slashes.
    """

    def __init__(self, document: str, root: str, path: str) -> None:
        self._document, self._root, self._path = document, root, path
        self._sha256 = ""

    def __repr__(self) -> str:
        return f"FileSource({self._document!r})"

    @property
    def document(self) -> str:
        """The document's id."""
        return self._document

    @property
    def sha256(self) -> str:
        """Hash of the bytes that were read last. Raises DocumentSkipped when they cannot be read."""
        if not self._sha256:
            self._read()
        return self._sha256

    def chunks(self) -> list[DocumentChunk]:
        """The chunks of the file as it is now; ``sha256`` is of the same bytes afterwards. Raises DocumentSkipped."""
        return read_document(self._document, self._read())

    def _read(self) -> bytes:
        try:
            with FolderReader(self._root) as reader:
                data = reader.read(self._path, MAX_BYTES)
        except OSError as error:
            raise DocumentSkipped(self._document, *_trouble(error)) from error
        self._sha256 = hashlib.sha256(_VERSION + data).hexdigest()
        return data


def document_sources(paths_or_globs: Sequence[str], base: Path | None = None) -> tuple[list[FileSource], list[Skipped]]:
    """The documents that paths and globs name, by id, and those of them that are left out.

    A folder gives the files below it that have a reader; hidden folders, dependencies, virtual environments and links
    that leave the folder are not entered. A glob (``docs/**/*.md``, ``*.{md,rst}``) gives the files it matches, and
    the documents below the folders it matches. A file named by itself is taken whatever it is called.

    Args:
        paths_or_globs: relative to the working directory, or absolute.
        base: the folder that ids are relative to; None for the deepest folder that holds everything named, which does
            not depend on the working directory.

    Raises:
        NoDocuments: nothing is named, or something named leads to no file.
    """
    places = [_place(named) for named in paths_or_globs]
    found = [(place, list(_files(place))) for place in places]
    empty = [place.named for place, files in found if not files]
    if empty or not found:
        raise NoDocuments(_nothing(empty))
    common = os.path.realpath(base) if base else os.path.commonpath([place.root for place in places])
    sources: dict[str, FileSource] = {}
    skipped: dict[str, Skipped] = {}
    for place, files in found:
        for file in files:
            _take(place.root, file, common, sources, skipped)
    return [sources[name] for name in sorted(sources)], [skipped[name] for name in sorted(skipped)]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where to look. named: as the caller wrote it. root: real path of a folder. pattern: below it; '' for all of it.

    file: the one file that is meant, below the root.
    """

    named: str
    root: str
    pattern: str = ""
    file: str = ""


def _place(named: str) -> _Place:
    path = os.path.abspath(os.path.expanduser(named))
    if os.path.isdir(path):
        return _Place(named, os.path.realpath(path))
    if os.path.lexists(path):
        real = os.path.realpath(path)
        return _Place(named, os.path.dirname(real), file=os.path.basename(real))
    parts = path.split("/")
    magic = next((at for at, part in enumerate(parts) if glob.is_magic(part, flags=_GLOB)), 0)
    folder = os.path.realpath("/".join(parts[:magic]) or "/")
    if not magic or not os.path.isdir(folder):
        raise NoDocuments(f"no such file or folder: {_printable(named)}")
    return _Place(named, folder, pattern="/".join(parts[magic:]))


def _files(place: _Place) -> Iterator[str]:
    """The paths of files below the root of a place, in no particular order."""
    if place.file:
        yield place.file
        return
    telling = bool(re.search(r"\.[^*?/]+$", place.pattern))
    for path in _walk(place.root):
        if place.pattern and not _matches(path, place.pattern):
            continue
        if telling or (_is_document(path) and not _is_empty(os.path.join(place.root, path))):
            yield path


def _matches(path: str, pattern: str) -> bool:
    """Whether a glob matches a path or one of the folders above it."""
    ends = [at for at, character in enumerate(path) if character == "/"] + [len(path)]
    return any(glob.globmatch(path[:end], pattern, flags=_GLOB) for end in ends)


def _is_document(path: str) -> bool:
    """Whether a file found in a folder is a document, or one that its owner may miss when nothing is said."""
    if _MINIFIED.search(path) or path.rpartition("/")[2].startswith("."):
        return False
    return format_of(path) is not None or extension_of(path) in UNSUPPORTED_EXTENSIONS


def _is_empty(path: str) -> bool:
    """Whether a file holds nothing: source folders are full of such files, and nobody misses their text."""
    return os.path.isfile(path) and os.path.getsize(path) == 0


def _walk(root: str) -> Iterator[str]:
    """Files below a folder and links to files, in folders that a person would look into."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not _is_left_out(folder, name)]
        relative = os.path.relpath(folder, root)
        yield from files if relative == "." else (f"{relative}/{name}" for name in files)


def _is_left_out(folder: str, name: str) -> bool:
    if name.startswith(".") or name in _LEFT_OUT:
        return True
    return os.path.lexists(os.path.join(folder, name, _VIRTUAL_ENVIRONMENT))


def _take(root: str, path: str, common: str, sources: dict[str, FileSource], skipped: dict[str, Skipped]) -> None:
    """Put a file among the sources or the skipped."""
    real = os.path.realpath(os.path.join(root, path))
    document = os.path.relpath(os.path.join(root, path), common)
    try:
        _admit(document, root, real)
    except DocumentSkipped as reason:
        name = _printable(document)
        skipped[name] = Skipped(document=name, reason=SkipReason(reason.reason), detail=reason.detail)
    else:
        sources[document] = FileSource(document, root, os.path.relpath(real, root))


def _admit(document: str, root: str, real: str) -> None:
    """Raise DocumentSkipped for what needs no reading to be left out."""
    if not _is_text(document):
        detail = "its name is not UTF-8; rename it"
        raise DocumentSkipped(_printable(document), SkipReason.UNREADABLE, detail)
    if os.path.commonpath([root, real]) != root:
        detail = "a link that leaves the folder; name its target to index it"
        raise DocumentSkipped(document, SkipReason.UNREADABLE, detail)
    try:
        size = os.stat(real).st_size
    except OSError as error:
        raise DocumentSkipped(document, *_trouble(error)) from error
    refuse(document, size)
    if not _is_text(real):
        raise DocumentSkipped(document, SkipReason.UNREADABLE, "a link to a name that is not UTF-8; rename its target")


def _trouble(error: OSError) -> tuple[SkipReason, str]:
    """Reason and detail of a file that cannot be read."""
    match error.errno:
        case errno.EFBIG:
            return SkipReason.TOO_LARGE, f"more than {MAX_BYTES:,} bytes; split it or leave it out"
        case errno.ENOENT | errno.ENOTDIR:
            return SkipReason.UNREADABLE, "the file is gone; index again when it is back"
        case errno.EACCES | errno.EPERM:
            return SkipReason.UNREADABLE, "no permission to read the file"
        case errno.ELOOP:
            return (
                SkipReason.UNREADABLE,
                "a link took the place of the file or of a folder above it; it is not followed",
            )
        case errno.EINVAL:
            return SkipReason.UNREADABLE, "no regular file"
        case _:
            return SkipReason.UNREADABLE, f"it cannot be read: {error.strerror}"


def _nothing(empty: Sequence[str]) -> str:
    wanted = ", ".join(map(_printable, empty)) or "nothing was named"
    return f"no documents: {wanted}; name folders, files or globs that hold documents ({KNOWN})"


def _is_text(path: str) -> bool:
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _printable(path: str) -> str:
    """A path that can be shown and stored: bytes that are no UTF-8 as ``\\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
