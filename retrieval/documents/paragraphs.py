"""Paragraphs and items of texts whose blocks are told by blank lines, indentation and bullets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .layout import Block

_ITEM = re.compile(
    r"\s*(?:[-*+•·–—]\s+\S"  # a bullet
    r"|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,6}|#)[.)]\s+\S"  # 1.  a)  (iv)  #.
    r"|:[^:\s][^:]*:(?:\s|$)"  # a field list
    r"|\.\.\s+\S)"  # a directive, a label, a footnote
)


def paragraphs(lines: Sequence[str], code: Sequence[Block] = ()) -> list[Block]:
    """The blocks of a text: runs between blank lines, split where an item begins; ``code`` stays as it is.

    Indented runs and items lie one deeper than the runs at the margin.
    """
    return sorted([*code, *_runs(lines, code)], key=lambda block: (block.first, -block.last))


def _runs(lines: Sequence[str], code: Sequence[Block]) -> Iterator[Block]:
    taken = {number for block in code for number in range(block.first, block.last + 1)}
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        ends = number in taken or not line.strip()
        if first and (ends or _ITEM.match(line)):
            yield Block(first, number - 1, _depth(lines[first - 1]))
            first = 0
        if not (ends or first):
            first = number


def _depth(line: str) -> int:
    return 1 if line[:1].isspace() or _ITEM.match(line) else 0


def indented(lines: Sequence[str], after: int, margin: int) -> int:
    """The last line of the run below line ``after`` (1-based) that is indented deeper than ``margin``; 0 without one.

    Blank lines inside the run belong to it.
    """
    last = 0
    for number in range(after + 1, len(lines) + 1):
        line = lines[number - 1]
        if line.strip():
            if indentation(line) <= margin:
                break
            last = number
    return last


def indentation(line: str) -> int:
    """Columns of white space before the first word; a tab reaches the next multiple of eight."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
