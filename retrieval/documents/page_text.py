"""The text of a page while it is read: words flow into lines, lines into blocks, headings are kept apart."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .layout import Block, Heading, Layout, heading

_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_TIGHT = frozenset({"li", "tr", "thead", "tbody", "tfoot"})  # follow each other without a blank line


class PageText:
    """Lines, blocks and headings of a page, written from its beginning to its end."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self._lines: list[str] = []
        self._blocks: list[Block] = []
        self._words: list[str] = []
        self._lists: list[int] = []  # one per open list: the next number, or 0 for bullets
        self._mark = ""  # of the item whose first line is still to come
        self._level = 0  # of the open heading
        self._cells = 0  # open ones
        self._row: list[bool] = []  # of the open row: whether each cell is a heading
        self._in_head = False  # whether the open table may still have its head
        self._in_term = False
        self._terms: list[str] = []  # to be explained by what follows
        self._gap = False  # whether a blank line stands before the next line
        self._first = 0  # first line of the open block, 0 while it has none

    @property
    def in_cell(self) -> bool:
        """Whether words flow into a cell of a table."""
        return self._cells > 0

    def words(self, text: str) -> None:
        """Add flowing text; its white space counts as one space."""
        self._words.append(text)

    def end_line(self) -> None:
        """End the line, not the block; inside a heading or a cell only a word ends."""
        if self._level or self._cells:
            self._words.append(" ")
        else:
            self._flush()

    def open_part(self, tag: str) -> None:
        """Begin a block."""
        self._end_block(tag)
        self._begin_table(tag)
        if tag == "dl":
            self._end_terms()
        elif tag == "dt":
            self._in_term = True
        elif tag in ("ul", "ol"):
            self._lists.append(int(tag == "ol"))
        elif tag == "li":
            self._mark = self._next_mark()

    def close_part(self, tag: str) -> None:
        """End a block."""
        self._end_block("")
        if tag == "tr":
            self._end_row()
        if tag == "dt":
            self._in_term = False
        elif tag in ("dd", "dl"):
            self._end_terms()
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._mark = ""
        self._gap = self._gap or self._parts(tag)

    def open_cell(self, tag: str) -> None:
        """Begin a cell; cells of a row stand in one line, empty ones too."""
        if self._row:
            self._words.append(" | ")
        self._row.append(tag == "th")
        self._cells += 1

    def close_cell(self) -> None:
        """End a cell."""
        self._cells = max(0, self._cells - 1)

    def open_heading(self, level: int) -> None:
        """Begin a heading: its text is its title."""
        self._end_block("")
        self._level = level

    def close_heading(self) -> None:
        """End a heading; one without text is none."""
        level, self._level = self._level, 0
        title = self._taken().rstrip("¶").rstrip()
        if level and title:
            line = self._write([title])
            found = heading(level, title, line, line)
            self.headings += [found] if found else []

    def code(self, text: str) -> None:
        """Add a block of code, its lines as they stand."""
        if self._level:
            self._words.append(text)
            return
        self._end_block("")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
        if any(line.strip() for line in lines):
            first = self._write(lines)
            self._blocks.append(Block(first, len(self._lines), len(self._lists), code=True))

    def layout(self, title: str) -> Layout:
        """The finished page."""
        self._level = 0
        self._end_block("")
        return Layout(self._lines, self.headings, self._blocks, title)

    def _begin_table(self, tag: str) -> None:
        if tag == "table":
            self._in_head = True
        if tag in ("table", "tr"):
            self._row = []

    def _end_row(self) -> None:
        """Part a first row of headings from the rows below it."""
        if self._in_head and len(self._row) > 1 and all(self._row) and self._lines and "|" in self._lines[-1]:
            self._lines.append("  " * len(self._lists) + " | ".join("---" for _ in self._row))
        self._in_head = self._in_head and not self._row
        self._row = []

    def _end_terms(self) -> None:
        """Write terms that nothing explains as a line."""
        terms, self._terms, self._in_term = self._terms, [], False
        if terms:
            self._words.insert(0, ", ".join(terms))
            self._flush()

    def _next_mark(self) -> str:
        if not self._lists or not self._lists[-1]:
            return "- "
        self._lists[-1] += 1
        return f"{self._lists[-1] - 1}. "

    def _taken(self) -> str:
        """The words so far as one line; none are left."""
        line = _SPACE.sub(" ", "".join(self._words)).strip()
        self._words.clear()
        return line

    def _write(self, lines: Sequence[str]) -> int:
        """Write a block of its own, blank lines around it; the number of its first line."""
        self._end_terms()
        self._lines += [""] if self._lines else []
        self._lines += lines
        self._gap = True
        return len(self._lines) - len(lines) + 1

    def _flush(self) -> None:
        """Write the words as a line of the open block."""
        line = self._taken()
        if self._in_term and line:
            self._terms.append(line)
        if self._in_term or not line:
            return
        if self._terms:
            terms, self._terms = ", ".join(self._terms), []
            line = f"{terms} {line}" if terms.endswith(":") else f"{terms}: {line}"
        if self._gap and self._lines:
            self._lines.append("")
        indent = "  " * len(self._lists)
        self._lines.append(indent[2:] + (self._mark or indent[:2]) + line)
        self._mark, self._gap = "", False
        self._first = self._first or len(self._lines)

    def _end_block(self, following: str) -> None:
        """End the open block; ``following``: the tag of the one that begins, or ''."""
        if self._level:
            self._words.append(" ")
            return
        self._flush()
        if self._first:
            self._blocks.append(Block(self._first, len(self._lines), len(self._lists)))
        self._first = 0
        self._gap = self._gap or self._parts(following)

    def _parts(self, tag: str) -> bool:
        """Whether a blank line parts this block from its neighbours; inside lists lines follow each other."""
        return bool(tag) and tag not in _TIGHT and not self._lists
