"""Work handed to helper processes, so that indexing uses more than one core.

Helpers are plain interpreters that speak pickle over their standard streams, not ``multiprocessing``: nothing of the
caller's main module runs in them, so a script without a main guard, a notebook, ``python -`` and a daemonic process
can all use them. Whatever a helper cannot do is done in this process.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

A = TypeVar("A")
B = TypeVar("B")

_log = logging.getLogger(__name__)
_MOST = 4  # each takes some 150 MB
_THREADS = 3  # without helpers: while one waits for the disk, the others work

# Isolated (-I), so that the current folder, often the one that is searched, is no place to import from.
_BOOT = f"import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from {__name__} import serve; serve()"


def processors() -> int:
    """How many helpers are worth starting: one a processor that this process may use, none when there is only one."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, _MOST) if usable > 1 and _is_python() else 0


def unordered(function: Callable[[A], B], jobs: Iterable[A], helpers: int) -> Iterator[B]:
    """``function`` of every job, in the order in which they are done.

    Args:
        function: of a module; must not depend on the state of this process.
        jobs: taken one by one as helpers get free, by the thread that iterates.
        helpers: number of processes; 0 means that threads of this one do it all.
    """
    workers = helpers or _THREADS
    with ExitStack() as stack:
        threads = stack.enter_context(ThreadPoolExecutor(workers, thread_name_prefix="helper"))
        crew = _Crew(function, workers, helpers)
        stack.callback(crew.dismiss)  # before the threads are waited for
        waiting: set[Future[B]] = set()
        for job in jobs:
            waiting.add(threads.submit(crew.do, job))
            if len(waiting) > workers:  # one job more than workers: none has to wait for the next
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in done)


def serve() -> None:
    """What a helper does: answer jobs until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks; it ends its helpers itself
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # whatever prints must not disturb the answers
        while True:
            try:
                function, job = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            _send(answers, function(job))


class _Crew(Generic[A, B]):
    """The helpers of one call."""

    def __init__(self, function: Callable[[A], B], threads: int, helpers: int) -> None:
        self._function = function
        self._dismissed = False
        self._idle: SimpleQueue[subprocess.Popen[bytes] | None] = SimpleQueue()
        self._all = [helper for _ in range(helpers) if (helper := _start())]
        for number in range(threads):
            self._idle.put(self._all[number] if number < len(self._all) else None)

    def do(self, job: A) -> B:
        """The answer of a helper, or of this process when the helper fails; for as many threads as there are."""
        if self._dismissed:
            raise CancelledError
        helper = self._idle.get()
        try:
            if helper is not None:
                answer: B = _ask(helper, (self._function, job))
                return answer
        except Exception as error:  # ended, out of memory, not to be pickled: whatever it is, it is not repeated here
            if self._dismissed:
                raise
            _log.warning("a helper process failed (%r); going on without it", error)
            helper = None
        finally:
            self._idle.put(helper)
        return self._function(job)

    def dismiss(self) -> None:
        """End all helpers at once."""
        self._dismissed = True
        for helper in self._all:
            helper.kill()
            helper.wait()
            for stream in (helper.stdin, helper.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def _start() -> subprocess.Popen[bytes] | None:
    """A new helper; None when this system does not start one."""
    pipe = subprocess.PIPE
    try:
        helper = subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        _log.warning("no helper process (%s); going on without it", error)
        return None
    assert helper.stdin is not None
    with suppress(OSError):  # it ended already: found out when it is asked
        _send(helper.stdin, sys.path)
    return helper


def _ask(helper: subprocess.Popen[bytes], question: object) -> Any:
    assert helper.stdin is not None and helper.stdout is not None
    _send(helper.stdin, question)
    return pickle.load(helper.stdout)


def _send(stream: Any, message: object) -> None:
    stream.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
    stream.flush()


def _is_python() -> bool:
    """Whether ``sys.executable`` is an interpreter: in a frozen program or an embedding server it is something else."""
    name = os.path.basename(sys.executable or "")
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)
