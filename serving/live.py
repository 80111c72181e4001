"""The view for a terminal: the cycles' lines stay, under them a bar tells what is being done.

While a model writes an answer, its last words stand above the bar; the finished answer, checked, takes their place.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.text import Text

from ..state.progress import AnswerComposed, AnswerToken, IndexProgress, PastRead, Progress
from .lines import Line, printable_block, styled
from .trace import activity, trace_lines

PREVIEW_LINES = 8
"""As many lines of a growing answer as are shown; more would push the cycles off a small screen."""


class _Bars(Bars):
    """Bars with a text above them."""

    preview = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        """The end of the text, then the bars."""
        if self.preview:
            rows = Text(printable_block(self.preview), "dim").wrap(self.console, max(20, self.console.width - 2))
            yield from (Padding(row, (0, 0, 0, 2), expand=False) for row in rows[-PREVIEW_LINES:])
        yield from super().get_renderables()


class LiveView:
    """A context manager that shows events on ``console``; the bar is gone when it ends.

    trace: False shows the bar alone, for when the lines go elsewhere.
    """

    def __init__(self, console: Console, *, trace: bool = True) -> None:
        self._console = console
        self._trace = trace
        self._bars = _Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._doing = self._bars.add_task("reading the task", total=None)
        self._counting = self._bars.add_task("", visible=False)

    def __enter__(self) -> LiveView:
        """Show the bar."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away, whatever happened."""
        self._bars.stop()

    def __call__(self, event: Progress) -> None:
        """Show what ``event`` tells."""
        if self._trace:
            print_styled(self._console, trace_lines(event))
        self._preview(event)
        counting = isinstance(event, IndexProgress | PastRead) and event.total > 0
        if isinstance(event, IndexProgress | PastRead):
            self._bars.update(self._counting, completed=event.done, total=event.total)
        self._bars.update(self._counting, visible=counting, description=activity(event))
        self._bars.update(self._doing, visible=not counting, description=activity(event))

    def _preview(self, event: Progress) -> None:
        match event:
            case AnswerToken():
                self._bars.preview += event.text
            case AnswerComposed():
                self._bars.preview = ""


def print_styled(console: Console, rows: list[Line]) -> None:
    """Print the rows with their styles, wrapped to the console's width."""
    for row in rows:
        console.print(styled(row), highlight=False)
