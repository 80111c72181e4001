"""Where data lives, how large it is, and whether it can be written."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..env_file import env_file
from ..settings import Settings
from .finding import Finding, Status


class Place(BaseModel):
    """A folder or file. bytes: None when it does not exist yet. writable: it, or where it would be made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    path: str
    bytes: int | None
    writable: bool

    def finding(self) -> Finding | None:
        """What is wrong with it; None when nothing is."""
        if self.writable:
            return None
        return Finding(
            name=self.what,
            status=Status.PROBLEM,
            detail=f"{self.path} cannot be written",
            advice="change its permissions, or choose another folder (IR_CACHE_DIR, IR_DATA_DIR)",
        )


def places_of(settings: Settings) -> list[Place]:
    """The cache, the data and the file of settings."""
    folders = (("indexes", settings.cache_dir), ("data", settings.data_dir))
    found = [Place(what=w, path=str(p), bytes=size_of(p), writable=can_write(p)) for w, p in folders]
    file = env_file()
    return [*found, Place(what="settings", path=str(file), bytes=size_of(file), writable=True)]


def size_of(path: Path) -> int | None:
    """Bytes of a file or of everything in a folder; None when it does not exist. What vanishes meanwhile counts 0."""
    if not path.exists():
        return None
    if path.is_file():
        return path.stat().st_size
    return sum(_bytes(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def can_write(path: Path) -> bool:
    """Whether a folder, or the nearest one above it that exists, can be written."""
    there = next((place for place in (path, *path.parents) if place.exists()), path)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def _bytes(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0


__all__ = ["Place", "can_write", "places_of", "size_of"]
