"""Runs a tool over instances in worker processes, one repository at a time, and hands on each row as it is made."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from .instances import Instance, mirror_of, pieces
from .predictions import Row

PIECES_A_JOB = 4
"""A repository with many instances is cut so that every job has about this many pieces to choose from."""
_SMALLEST = 8  # instances; below that a worker's start and first listing weigh too much


class Tool(Protocol):
    """What is measured. It travels to worker processes, so it is plain data."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def nothing(self) -> Row:
        """What a failed instance gets beside its id and its error."""

    def settings(self) -> dict[str, Any]:
        """Everything that changes its rows."""

    def predict(self, instance: Instance, root: str) -> Row:
        """The row of one instance, whose git directory is ``root``."""


def run(instances: Sequence[Instance], tool: Tool, mirrors: str, jobs: int, done: Callable[[Row], None]) -> None:
    """Predict every instance; a failing one gets a row with ``error``, and no files.

    A piece of one repository runs in one process, which keeps its index and its memory. A process that dies (out of
    memory) costs the instance it worked on.

    Args:
        instances: what to predict.
        tool: what predicts.
        mirrors: template of git directories, see :func:`benchmarks.instances.mirror_of`.
        jobs: number of worker processes.
        done: called with each row, from one thread at a time.
    """
    stop, lock = threading.Event(), threading.Lock()

    def report(row: Row) -> None:
        with lock:
            done(row)

    most = max(_SMALLEST, math.ceil(len(instances) / (jobs * PIECES_A_JOB)))
    with ThreadPoolExecutor(jobs) as threads:
        waiting = [threads.submit(_run_piece, p, tool, mirrors, report, stop) for p in pieces(instances, most)]
        try:
            for finished in as_completed(waiting):
                finished.result()
        except BaseException:
            stop.set()
            print("stopping; the running instances are finished first", file=sys.stderr)
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def attempt(tool: Tool, instance: Instance, root: str) -> Row:
    """The instance's row, or one that tells what went wrong."""
    try:
        return tool.predict(instance, root)
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        return failure(tool, instance, f"{type(error).__name__}: {error}")


def failure(tool: Tool, instance: Instance, error: str) -> Row:
    """The row of an instance that could not be predicted."""
    return {"instance_id": instance["instance_id"], **tool.nothing, "error": error}


def _run_piece(
    piece: list[Instance], tool: Tool, mirrors: str, done: Callable[[Row], None], stop: threading.Event
) -> None:
    rest = list(piece)
    while rest and not stop.is_set():
        with _worker() as worker:
            while rest and not stop.is_set():
                instance = rest.pop(0)
                row = _result(worker.submit(attempt, tool, instance, mirror_of(instance, mirrors)))
                done(row or failure(tool, instance, "the worker process died; it may have run out of memory"))
                if row is None:
                    break


def _worker() -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")  # threads run here: a forked copy could inherit held locks
    return ProcessPoolExecutor(1, mp_context=context, initializer=_end_with_parent)


def _result(future: Future[Row]) -> Row | None:
    """The row, or None when the process died."""
    try:
        return future.result()
    except BrokenProcessPool:
        return None


def _end_with_parent() -> None:
    """Let this worker end when its parent is killed: the pool's pipes would keep it waiting for ever.

    A Ctrl-C at the terminal reaches every process; only the parent answers it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_for_parent, name="end-with-parent", daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
