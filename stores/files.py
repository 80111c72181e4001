"""Reads files below one folder, and never anything else: no link is followed on the way."""

from __future__ import annotations

import errno
import os
import stat

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC  # non-blocking: a pipe has no writer


class FolderReader:
    """Opens files below ``root`` step by step from open folder descriptors.

    So a folder that was replaced by a link after the listing is an error, not a way out of the root. The descriptors
    of the last path stay open, which makes reading in path order as fast as opening by name.

    Args:
        root: absolute real path of the folder.

    Raises:
        OSError: the root cannot be opened.
    """

    def __init__(self, root: str) -> None:
        self._descriptors = [os.open(root, _FOLDER)]
        self._names: list[str] = []

    def __enter__(self) -> FolderReader:
        return self

    def __exit__(self, *_: object) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a regular file.

        Args:
            path: relative to the root, forward slashes.
            limit: largest size in bytes that is read.

        Raises:
            OSError: it is gone, unreadable, a link or behind one (``ELOOP`` or ``ENOTDIR``), no regular file
                (``EINVAL``), or larger than the limit (``EFBIG``).
        """
        *folders, name = path.split("/")
        if folders != self._names:
            self._enter(folders)
        descriptor = os.open(name, _FILE, dir_fd=self._descriptors[-1])
        try:
            return _read_regular(descriptor, limit)
        finally:
            os.close(descriptor)

    def _enter(self, folders: list[str]) -> None:
        shared = 0
        while folders[shared : shared + 1] == self._names[shared : shared + 1] != []:
            shared += 1
        while len(self._names) > shared:
            self._names.pop()
            os.close(self._descriptors.pop())
        for name in folders[shared:]:
            self._descriptors.append(os.open(name, _FOLDER, dir_fd=self._descriptors[-1]))
            self._names.append(name)


def _read_regular(descriptor: int, limit: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    if status.st_size > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    content = os.read(descriptor, status.st_size + 1)
    if len(content) == status.st_size:
        return content
    return _read_on(descriptor, content, limit)


def _read_on(descriptor: int, begin: bytes, limit: int) -> bytes:
    """All of a file that is being written, or that comes in pieces (network file systems)."""
    content = bytearray(begin)
    while len(content) <= limit and (piece := os.read(descriptor, 1 << 16)):
        content += piece
    if len(content) > limit:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return bytes(content)
