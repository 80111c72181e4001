"""One process at a time works on a cycle: a lock file, which a killed process lets go of."""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..state.errors import StoreUnavailable

_PAUSE = 0.05  # seconds between two tries


@contextmanager
def cycle_held(checkpoints: Path, cycle: str, patience: float = 0.0) -> Iterator[bool]:
    """Hold a cycle; False when another process, or another thread, has it for longer than ``patience`` seconds.

    Args:
        checkpoints: the file of its checkpoints; the locks lie beside it, one empty file a cycle.
        cycle: its id.
        patience: seconds to wait for whoever holds it.

    Raises:
        StoreUnavailable: the folder cannot be written.
    """
    folder = checkpoints.with_name(f"{checkpoints.name}.locks")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / hashlib.sha256(cycle.encode()).hexdigest()[:24], "ab")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise StoreUnavailable(f"cannot write {folder}: {error}; choose a data folder that can be written") from error
    with lock:  # closing it lets go
        yield _taken(lock.fileno(), time.monotonic() + patience)


def _taken(lock: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_PAUSE)
        else:
            return True
