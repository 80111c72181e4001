"""Blocking work in a thread of its own, told step by step, ended when its caller gives up."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
from anyio import from_thread, to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.mcpserver import Context

from ...state.progress import Finished, IndexProgress, Progress, ProgressSink
from ..lines import plain, printable
from ..trace import trace_lines

T = TypeVar("T")
Work = Callable[[ProgressSink], T]
_LONGEST = 300
_BETWEEN = 0.25  # seconds between two counts of the same phase
_FORGIVEN = (anyio.BrokenResourceError, anyio.ClosedResourceError)


class GivenUp(Exception):
    """Nobody waits for the work any more."""


@dataclass(frozen=True)
class Workers:
    """Threads for a few calls at a time; further ones wait their turn.

    Args:
        most: how many.
    """

    most: int = 4
    _limiter: list[anyio.CapacityLimiter] = field(default_factory=list, repr=False)

    async def run(self, work: Work[T], ctx: Context[Any, Any]) -> T:
        """What ``work`` gives. Its events become progress of the call; a cancelled call ends it at its next event."""
        send, receive = anyio.create_memory_object_stream[Progress](math.inf)
        given_up = threading.Event()
        outcome: list[T] = []
        failure: list[Exception] = []

        def in_thread() -> None:
            try:
                outcome.append(work(_sink(send, given_up)))
            except Exception as error:  # raised again below, outside of the task group, which would wrap it
                failure.append(error)

        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_tell, receive, ctx)
                async with send:
                    await to_thread.run_sync(in_thread, abandon_on_cancel=True, limiter=self._limit())
        finally:
            given_up.set()
        if failure:
            raise failure[0]
        return outcome[0]

    def _limit(self) -> anyio.CapacityLimiter:
        """Made at the first call, in the event loop."""
        if not self._limiter:
            self._limiter.append(anyio.CapacityLimiter(self.most))
        return self._limiter[0]


def _sink(send: MemoryObjectSendStream[Progress], given_up: threading.Event) -> ProgressSink:
    told = _Sparing()

    def tell(event: Progress) -> None:
        if given_up.is_set():
            raise GivenUp
        if told.worth(event):
            try:
                from_thread.run_sync(send.send_nowait, event)
            except _FORGIVEN:
                raise GivenUp from None

    return tell


@dataclass
class _Sparing:
    """Lets counts pass only now and then."""

    phase: str = ""
    last: float = field(default=-math.inf)

    def worth(self, event: Progress) -> bool:
        if not isinstance(event, IndexProgress):
            return bool(message_of(event))
        now = time.monotonic()
        if event.phase == self.phase and now - self.last < _BETWEEN:
            return False
        self.phase, self.last = event.phase, now
        return True


async def _tell(receive: MemoryObjectReceiveStream[Progress], ctx: Context[Any, Any]) -> None:
    """Send events as progress; how many steps there will be nobody knows."""
    step = 0
    async with receive:
        async for event in receive:
            step += 1
            await ctx.report_progress(float(step), message=message_of(event))


def message_of(event: Progress) -> str:
    """An event on one line; '' when it tells nothing new."""
    match event:
        case IndexProgress(total=0):
            return printable(event.phase)
        case IndexProgress():
            return f"{printable(event.phase)}: {event.done:,} of {event.total:,} files"
        case Finished():
            return f"packed {event.files} files, {event.tokens:,} tokens"
        case _:
            rows = [" ".join(plain(row).split()) for row in trace_lines(event)]
            return " ".join(row for row in rows if row)[:_LONGEST]
