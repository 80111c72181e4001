"""Clock and progress: the two things a node borrows from whoever runs the graph."""

from __future__ import annotations

import time
from collections.abc import Callable

from langgraph.config import get_stream_writer

from ..state.progress import Progress

Clock = Callable[[], float]
"""Seconds, monotonic."""

monotonic: Clock = time.monotonic


def announce(event: Progress) -> None:
    """Send a progress event to the graph's ``custom`` stream; nothing happens outside a graph."""
    try:
        writer = get_stream_writer()
    except (RuntimeError, KeyError):  # called as a plain function, or by a tool or chain that no graph runs
        return
    writer(event.model_dump(mode="json"))
