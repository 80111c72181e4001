"""Which view fits: live on a terminal, plain in a pipe, on standard error when standard output is data, or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from rich.console import Console

from ..state.progress import Progress, ProgressSink
from .lines import Line
from .live import LiveView, print_styled
from .output import standard_output
from .plain import PlainView, write_plain


class Shape(StrEnum):
    """What standard output carries."""

    TEXT = "text"  # the cycles and the report, for a person
    JSON = "json"
    MARKDOWN = "markdown"


@contextmanager
def watching(shape: Shape, *, quiet: bool = False, trace: bool = True) -> Iterator[ProgressSink | None]:
    """What to hand a retrieval as ``progress``; None when nobody is to see it.

    trace: False leaves the cycles' lines out and keeps the bar.
    """
    screen, beside = Console(), Console(stderr=True)
    on_screen = shape is Shape.TEXT and screen.is_terminal
    if quiet:
        yield None
    elif on_screen or beside.is_terminal:
        lines_too = trace and (on_screen or shape is not Shape.TEXT)
        with LiveView(screen if on_screen else beside, trace=lines_too) as live:
            yield live if lines_too or not trace else _both(live, PlainView(standard_output()))
    else:
        yield PlainView(standard_output()) if shape is Shape.TEXT and trace else None


def show(rows: list[Line]) -> None:
    """Print the rows, styled on a terminal and plain elsewhere."""
    screen = Console()
    if screen.is_terminal:
        print_styled(screen, rows)
    else:
        write_plain(standard_output(), rows)


def _both(first: ProgressSink, second: ProgressSink) -> ProgressSink:
    def watcher(event: Progress) -> None:
        first(event)
        second(event)

    return watcher
