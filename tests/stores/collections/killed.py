"""A program that indexes again and again in child processes, each killed a step later than the one before.

A step is a transaction that writes: the child is killed just before it commits, or just after. What is left behind
stays in one folder a step.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

from sqlalchemy import event

from iterative_retrieval.stores.collections import SqlCollections
from tests.stores.collections.shelf import HashingEmbedder, index, library, opened, page

BEFORE = library(12)
AFTER = {d: t for d, t in BEFORE.items() if d != "guide/archive/0001.md"} | {
    "guide/account/0000.md": page(777),
    "copy.md": BEFORE["guide/balance/0002.md"],
    "new.md": page(778),
}
STEPS = 200  # more than a run has


def main(base: Path, place: Path, change: str) -> None:
    """Kill a run over a copy of ``base`` at every step, then at some moments; the folders stand in ``place``."""
    for after in (False, True):
        for number in range(1, STEPS):
            folder = place / f"{'after' if after else 'before'}-{number:03}"
            shutil.copytree(base, folder)
            if not _killed(folder, change, number, after):
                break
    begin = time.monotonic()
    shutil.copytree(base, place / "whole")
    _in_child(place / "whole", change, lambda _: None)
    whole = time.monotonic() - begin
    chance = random.Random(8)
    for number in range(12):
        shutil.copytree(base, place / f"moment-{number:03}")
        _killed_later(place / f"moment-{number:03}", change, chance.uniform(0.05, 1.0) * whole)


def run(folder: Path, change: str) -> SqlCollections:
    """The run that gets killed: documents change, or the embedder does."""
    embedder = HashingEmbedder("hashing-16", 16) if change == "embedder" else HashingEmbedder()
    return opened(folder, embedder)


def _killed(folder: Path, change: str, number: int, after: bool) -> bool:
    """Whether the child was killed, and did not come to its end before."""

    def kill_at(collections: SqlCollections) -> None:
        steps = iter(range(number, 0, -1))
        due = []

        def before_commit(connection: Any) -> None:
            if connection.get_execution_options().get("immediate") and next(steps, 0) == 1:
                due.append(True)
                if not after:
                    os.kill(os.getpid(), signal.SIGKILL)

        def after_commit(*_: Any) -> None:
            if due:
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(collections.sql.engine, "commit", before_commit)
        event.listen(collections.sql.engine, "checkin", after_commit)

    return os.WIFSIGNALED(_in_child(folder, change, kill_at))


def _killed_later(folder: Path, change: str, seconds: float) -> None:
    child = _fork(folder, change, lambda _: None)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _in_child(folder: Path, change: str, prepare: Any) -> int:
    return os.waitpid(_fork(folder, change, prepare), 0)[1]


def _fork(folder: Path, change: str, prepare: Any) -> int:
    """A child that indexes; this process itself opens nothing, so that there is nothing to inherit."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            collections = run(folder, change)
            prepare(collections)
            index(collections, AFTER)
            status = 0
        finally:
            os._exit(status)
    return child


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
