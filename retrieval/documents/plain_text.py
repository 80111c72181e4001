"""Plain text: paragraphs, items, titles that are underlined, or in capitals above an indented text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .layout import Heading, Layout, heading
from .paragraphs import paragraphs
from .titles import adorned_headings


def read_plain_text(text: str) -> Layout:
    """The layout of a plain text; its lines are the lines of the file."""
    lines = text.split("\n")
    headings = list(adorned_headings(lines, lambda _number: False)) or list(_manual_titles(lines))
    titles = {number for found in headings for number in range(found.first, found.last + 1)}
    return Layout(lines, headings, paragraphs([("" if n in titles else line) for n, line in enumerate(lines, 1)]))


_TITLE = re.compile(r"[A-Z\u0400-\u042f][A-Z\u0400-\u042f0-9 ,/&()-]{2,50}$")


def _manual_titles(lines: Sequence[str]) -> Iterator[Heading]:
    """The titles of a manual page: capitals at the margin, an indented line below."""
    for number, (before, line, below) in enumerate(zip(["", *lines], lines, lines[1:], strict=False), start=1):
        if _TITLE.match(line.rstrip()) and not before.strip() and below[:1].isspace() and below.strip():
            found = heading(1, line, number, number)
            yield from [found] if found else []
