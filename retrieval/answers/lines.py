"""Lines of a text with their offsets."""

from __future__ import annotations

from dataclasses import dataclass

from .markup import Markup


@dataclass(frozen=True, slots=True)
class Line:
    """A line: ``text[start:end]`` of the whole, without its line break. blank: whether it says nothing."""

    start: int
    end: int
    text: str
    blank: bool

    @property
    def margin(self) -> int:
        """Characters of white space before the first other one."""
        return len(self.text) - len(self.text.lstrip())

    @property
    def indent(self) -> int:
        """Columns before the first character; a tab reaches the next multiple of four."""
        return len(self.text.expandtabs(4)) - len(self.text.expandtabs(4).lstrip())


def lines_of(text: str, markup: Markup) -> list[Line]:
    """The lines of a text in order."""
    found: list[Line] = []
    start = 0
    for line in text.split("\n"):
        found.append(Line(start, start + len(line), line, not line.strip(" \t>\r" if markup.quotes else None)))
        start += len(line) + 1
    return found
