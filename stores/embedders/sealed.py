"""A file in the cache folder that took time to compute: written whole or not at all, and checked when it is opened."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ...state.errors import EmbedderUnavailable

_SEAL = 32  # bytes of sha256 before the content
_STALE = 3600.0  # seconds after which what a killed process left behind is swept
_TEMPORARY = ".part"


def sealed(path: Path, compute: Callable[[], bytes]) -> bytes:
    """The content of a file, computed and stored when the file is absent or damaged.

    Any number of processes may do this at once: each writes a file of its own and renames it into place.

    Raises:
        EmbedderUnavailable: the folder cannot be read or written.
    """
    try:
        content = _opened(path)
        if content is None:
            content = compute()
            _write(path, content)
    except OSError as error:
        raise EmbedderUnavailable(
            f"the cache folder {path.parent} cannot be used ({error.strerror or error}); free some space, mend its "
            "permissions, or choose another cache folder"
        ) from error
    return content


def _opened(path: Path) -> bytes | None:
    """The content, or None when there is none or its seal is broken."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    content = data[_SEAL:]
    return content if hashlib.sha256(content).digest() == data[:_SEAL] else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path.parent)
    handle, name = tempfile.mkstemp(prefix=f"{path.name}-", suffix=_TEMPORARY, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(name, path)
    except BaseException:  # an interrupt too must not leave half a file; it goes on
        Path(name).unlink(missing_ok=True)
        raise


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"*{_TEMPORARY}"):
        with suppress(FileNotFoundError):  # another process swept it
            if time.time() - left.stat().st_mtime > _STALE:
                left.unlink()
