"""A line of output that knows both its plain and its styled form, so that terminal and pipe say the same."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ..state.candidate import Band

LABEL_WIDTH = 10  # "DISPATCH: "
BAND_STYLES = {Band.HIGH: "green", Band.MEDIUM: "yellow", Band.LOW: "dim", Band.NONE: "dim"}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``indent`` columns, then ``label`` (padded), then ``body``, which wraps under itself on a terminal."""

    body: Text
    label: str = ""
    indent: int = 0


def line(body: str | Text = "", *, label: str = "", indent: int = 0, style: str = "") -> Line:
    """A line from plain or styled text."""
    return Line(Text(body, style) if isinstance(body, str) else body, label, indent)


def plain(row: Line) -> str:
    """The row as text without any control sequence."""
    label = row.label.ljust(LABEL_WIDTH) if row.label else ""
    return (" " * row.indent + label + row.body.plain).rstrip()


def styled(row: Line) -> RenderableType:
    """The row for a rich console."""
    if not row.body:
        return row.body  # a non-expanding Padding around nothing would print nothing
    if not row.label:
        return Padding(row.body, (0, 0, 0, row.indent), expand=False)
    grid = Table.grid(padding=0)
    grid.add_column(width=LABEL_WIDTH, style="bold cyan", no_wrap=True)
    grid.add_column()
    grid.add_row(row.label, row.body)
    return Padding(grid, (0, 0, 0, row.indent), expand=False)


def printable(text: str) -> str:
    """``text`` on one line, with white space as blanks and everything a terminal could obey as an escape.

    >>> printable("a\\x1b[31mb\\udce9.py")
    'a\\\\x1b[31mb\\\\udce9.py'
    """
    return "".join(" " if char.isspace() else _visible(char) for char in text)


def printable_block(text: str) -> str:
    """``text`` with its lines and tabs kept, and every other character made ``printable``."""
    return "".join(char if char in "\n\t" else printable(char) for char in text)


def listing(words: list[str], limit: int) -> str:
    """The first ``limit`` words with commas, and how many more there are."""
    shown = ", ".join(printable(word) for word in words[:limit])
    more = len(words) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def _visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
