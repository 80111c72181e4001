"""Titles marked by a line of punctuation below them, or above and below, as in reStructuredText and plain texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from .layout import Heading, heading

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+")
_SHORTEST = 3


def adorned_headings(
    lines: Sequence[str], inside: Callable[[int], bool], words: Callable[[str], str] = str
) -> Iterator[Heading]:
    """The titles of a text; each new kind of adornment is one level deeper than those seen before it.

    inside: whether a line (1-based) lies in code, where no title stands. words: a title without its markup.
    """
    levels: dict[tuple[str, bool], int] = {}
    number = 1
    while number < len(lines):
        size = 0 if inside(number) else _title_at(lines, number - 1)
        if size:
            kind = lines[number + size - 2][0], size == 3
            level = levels.setdefault(kind, len(levels) + 1)
            found = heading(level, words(lines[number + size - 3].strip()), number, number + size - 1)
            yield from [found] if found else []
        number += size or 1


def _title_at(lines: Sequence[str], at: int) -> int:
    """How many lines the title that begins at index ``at`` takes: 3 with an overline, 2 without, 0 for no title."""
    if at and lines[at - 1].strip() and not _ends_block(lines[at - 1]):
        return 0
    if is_adornment(lines[at]) and at + 2 < len(lines) and lines[at + 2].rstrip() == lines[at].rstrip():
        return 3 if _underlines(lines[at + 2], lines[at + 1].strip()) else 0
    underlined = not lines[at][:1].isspace() and _underlines(lines[at + 1], lines[at].rstrip())
    return 2 if underlined and not is_adornment(lines[at]) else 0


def is_adornment(line: str) -> bool:
    """Whether a line is nothing but one mark of punctuation, repeated."""
    return _ADORNMENT.fullmatch(line.rstrip()) is not None


def _ends_block(line: str) -> bool:
    """Whether a title may follow a line directly: an adornment, a label, a comment."""
    return is_adornment(line) or line.startswith("..")


def _underlines(line: str, title: str) -> bool:
    """Whether a line is a full underline of a title; two marks may be missing, as in hasty writing."""
    length = len(line.rstrip())
    return bool(title) and is_adornment(line) and length >= max(_SHORTEST, len(title) - 2)
