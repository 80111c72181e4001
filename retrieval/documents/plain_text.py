"""Plain text: paragraphs, items, titles that are underlined."""

from __future__ import annotations

from .layout import Layout
from .paragraphs import paragraphs
from .titles import adorned_headings


def read_plain_text(text: str) -> Layout:
    """The layout of a plain text; its lines are the lines of the file."""
    lines = text.split("\n")
    headings = list(adorned_headings(lines, lambda _number: False))
    titles = {number for found in headings for number in range(found.first, found.last + 1)}
    return Layout(lines, headings, paragraphs([("" if n in titles else line) for n, line in enumerate(lines, 1)]))
