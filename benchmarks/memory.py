"""How much memory a process takes, its helper processes included."""

from __future__ import annotations

import resource
import sys
import threading
from pathlib import Path

_EVERY = 0.05  # seconds between two looks
_PROC = Path("/proc")


def own_peak_mb() -> float:
    """Peak resident memory of this process in MB; ``ru_maxrss`` is second choice, since Linux inherits the parent's."""
    try:
        return _status_mb(_PROC / "self", "VmHWM")
    except (OSError, StopIteration):
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def tree_mb(pid: int) -> float:
    """Resident memory of a process and all its descendants, now, in MB; 0.0 where there is no /proc.

    Pages that they share are counted once for each, so it is an upper bound.
    """
    place = _PROC / str(pid)
    try:
        own = _status_mb(place, "VmRSS")
        children = [int(c) for task in (place / "task").iterdir() for c in (task / "children").read_text().split()]
    except (OSError, StopIteration):  # it ended, or there is no such list
        return 0.0
    return own + sum(map(tree_mb, children))


class TreePeak:
    """Looks at a process and its descendants until it is left; ``mb`` is the most it saw."""

    def __init__(self, pid: int) -> None:
        self.mb = 0.0
        self._pid = pid
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._look, name="tree-peak", daemon=True)

    def __enter__(self) -> TreePeak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._left.wait(_EVERY):
            self.mb = max(self.mb, tree_mb(self._pid))


def _status_mb(place: Path, name: str) -> float:
    lines = (place / "status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:")) / 1024
