"""The view for pipes and files: the same lines as on a terminal, one by one, without a control sequence."""

from __future__ import annotations

from collections.abc import Iterable

from ..state.progress import Progress
from .lines import Line, plain
from .output import Output
from .trace import trace_lines


class PlainView:
    """Writes each event's lines as it happens."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def __call__(self, event: Progress) -> None:
        """Write what ``event`` tells."""
        write_plain(self._output, trace_lines(event))


def write_plain(output: Output, rows: Iterable[Line]) -> None:
    """Write the rows one by one."""
    for row in rows:
        output.write(plain(row))
