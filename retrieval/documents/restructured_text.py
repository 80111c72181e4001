"""reStructuredText: sections by the order of their adornments, directives, literal blocks, field lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .layout import Block, Layout
from .paragraphs import indentation, indented, paragraphs
from .titles import adorned_headings


def read_restructured_text(text: str) -> Layout:
    """The layout of a reStructuredText; its lines are the lines of the file.

    Nothing is included or evaluated: what a directive would insert is not part of the document.
    """
    lines = text.split("\n")
    code = list(_code(lines))
    inside = {number for block in code for number in range(block.first, block.last + 1)}
    headings = list(adorned_headings(lines, inside.__contains__, _plain))
    titles = {number for found in headings for number in range(found.first, found.last + 1)}
    bodies = [("" if number in titles else line) for number, line in enumerate(lines, 1)]
    return Layout(lines, headings, paragraphs(bodies, code))


def _code(lines: Sequence[str]) -> Iterator[Block]:
    """Literal blocks and the bodies of directives that hold code, doctest blocks."""
    number = 1
    while number <= len(lines):
        line = lines[number - 1]
        first = last = 0
        if _DIRECTIVE.match(line) or _opens_literal(line):
            first, last = _body(lines, number)
        elif line.lstrip().startswith(">>> "):
            first, last = number, _end_of_paragraph(lines, number)
        if last:
            yield Block(first, last, 1, code=True)
        number = max(number, last) + 1


_DIRECTIVE = re.compile(
    r"\s*\.\. (?:code|code-block|sourcecode|parsed-literal|ipython|prompt|doctest|testcode|testoutput|math|graphviz)::",
    re.IGNORECASE,
)


def _opens_literal(line: str) -> bool:
    """Whether a line announces a literal block; directives end in ``::`` too, their bodies are text."""
    stripped = line.strip()
    return stripped.endswith("::") and not re.match(r"\.\. [\w:.+-]+::$", stripped)


def _body(lines: Sequence[str], opening: int) -> tuple[int, int]:
    """First and last line of the indented body below a line, (0, 0) without one."""
    last = indented(lines, opening, indentation(lines[opening - 1]))
    first = next((number for number in range(opening + 1, last + 1) if lines[number - 1].strip()), 0)
    return first, last


def _end_of_paragraph(lines: Sequence[str], number: int) -> int:
    while number < len(lines) and lines[number].strip():
        number += 1
    return number


def _plain(title: str) -> str:
    """A title without inline markup: roles, references and literals show their text."""
    title = _LINK.sub(r"\1", _ROLE.sub(r"\1", title))
    return _MARKS.sub(r"\2", title).replace("\\", "")


_ROLE = re.compile(r":[\w:+.-]+:`~?!?([^`<]*[^`<\s])(?:\s*<[^`>]*>)?`")
_LINK = re.compile(r"`([^`<]*[^`<\s])(?:\s*<[^`>]*>)?`__?")
_MARKS = re.compile(r"(\*\*|\*|``|`)([^*`]+)\1")
