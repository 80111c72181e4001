"""Splitting: a section that is too long becomes parts, cut where a reader would pause, with a little overlap."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from .layout import Block, Layout

MAX_CHUNK = 1_800
"""The longest part (characters): some 450 tokens of English prose, a screen for a person."""
OVERLAP = 200
"""Most characters that a part repeats of the one before it in the same section."""

_LEAST = 0.6  # a part is at least this share of its even size, when there is a place to cut
_DEEPEST = 3  # blocks below this depth are equally good places


class Splitter:
    """Cuts stretches of one document into parts.

    Cuts fall between blocks if possible, the shallow ones first; else between sentences; inside code, or where nothing
    pauses, between lines, then words. Code is cut only when it is longer than ``MAX_CHUNK`` by itself.

    Args:
        layout: the document.
    """

    def __init__(self, layout: Layout) -> None:
        self.text = "\n".join(layout.lines)
        self.starts = layout.line_starts()
        self._borders = self._ranked(layout)
        self._positions = sorted(self._borders)
        self._code = [self._stretch(block) for block in _outermost(block for block in layout.blocks if block.code)]
        self._kept = [(first, last) for first, last in self._code if last - first < MAX_CHUNK]

    def parts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The parts of lines first to last (1-based, inclusive) as offsets into ``text``, in order.

        They are at most ``MAX_CHUNK`` long and hold everything but white space; each repeats at most ``OVERLAP``
        characters of the part before it.
        """
        begin = start = self.starts[first - 1]
        end = self.starts[last] - 1
        while start < end:
            cut = self._cut(start, end) if end - start > MAX_CHUNK else end
            first, last = self._trimmed(begin if cut - begin <= MAX_CHUNK else start, cut)
            if self.text[start:cut].strip():
                yield first, last
            begin, start = self._overlap(max(start, first), cut), cut

    def line_of(self, offset: int) -> int:
        """The line (1-based) that holds a character."""
        return bisect_right(self.starts, offset)

    def prose(self, begin: int, end: int) -> str:
        """The text between two offsets without its code; '' when all of it is code."""
        pieces = []
        for at in range(self._first_code(begin), len(self._code)):
            first, last = self._code[at]
            if first >= end:
                break
            pieces.append(self.text[begin:first])
            begin = max(begin, last)
        return "".join([*pieces, self.text[begin:end]]).strip()

    def _ranked(self, layout: Layout) -> dict[int, int]:
        """Offset of every place between two blocks -> the depth of the blocks it parts."""
        borders = {self.starts[heading.first - 1]: 0 for heading in layout.headings}
        for block in layout.blocks:
            for line in (block.first - 1, block.last):
                depth = min(block.depth, _DEEPEST, borders.get(self.starts[line], _DEEPEST))
                borders[self.starts[line]] = depth
        return borders

    def _stretch(self, block: Block) -> tuple[int, int]:
        return self.starts[block.first - 1], self.starts[block.last] - 1

    def _first_code(self, offset: int) -> int:
        """Index of the first piece of code that ends after ``offset``."""
        return bisect_right(self._code, offset, key=lambda stretch: stretch[1])

    def _cut(self, start: int, end: int) -> int:
        """The best place to end a part that begins at ``start``; more than a part remains."""
        count = -(-(end - start) // (MAX_CHUNK - OVERLAP))
        even = start + (end - start) // count
        low, high = start + int((even - start) * _LEAST), start + MAX_CHUNK
        if (cut := self._border(low, high, even)) or (cut := self._sentence(low, high, even)):
            return cut
        if cut := self._border(start + 1, low, low):
            return cut
        return self._pause(low, high, even)

    def _border(self, low: int, high: int, even: int) -> int | None:
        """The shallowest border between two offsets, the one nearest to ``even`` among equals."""
        near = self._positions[bisect_left(self._positions, low) : bisect_right(self._positions, high)]
        free = [place for place in near if not _within(self._kept, place)]
        return min(free, key=lambda place: (self._borders[place], abs(place - even)), default=None)

    def _sentence(self, low: int, high: int, even: int) -> int | None:
        """The beginning of a sentence outside code, nearest to ``even``."""
        places = [found.end() for found in _SENTENCE_END.finditer(self.text, low, high)]
        free = [place for place in places if low < place <= high and not _within(self._code, place)]
        return min(free, key=lambda place: abs(place - even), default=None)

    def _pause(self, low: int, high: int, even: int) -> int:
        """A blank line, a line end, a space, or just the limit: the first of these that there is."""
        for pause in _PAUSES:
            places = [found.end() for found in pause.finditer(self.text, low, high)]
            free = [place for place in places if not _within(self._kept, place)]
            if free:
                return min(free, key=lambda place: abs(place - even))
        return high

    def _overlap(self, start: int, cut: int) -> int:
        """Where the part after ``cut`` begins: a last short paragraph or sentences before it, or ``cut``."""
        low = max(start + 1, cut - OVERLAP, self._end_of_code(cut))
        near = self._positions[bisect_left(self._positions, low) : bisect_left(self._positions, cut)]
        sentences = [found.end() for found in _SENTENCE_END.finditer(self.text, low, cut)]
        return min([place for place in (*near[:1], *sentences[:1]) if place < cut], default=cut)

    def _end_of_code(self, offset: int) -> int:
        """Where the last piece of code that begins before ``offset`` ends, 0 without one."""
        at = bisect_left(self._code, offset, key=lambda stretch: stretch[0])
        return self._code[at - 1][1] if at else 0

    def _trimmed(self, begin: int, end: int) -> tuple[int, int]:
        """The offsets without blank lines at either end, and without spaces where a line was cut."""
        piece = self.text[begin:end]
        content = begin + len(piece) - len(piece.lstrip())
        line = self.text.rfind("\n", 0, content) + 1
        return (line if line >= begin else content), begin + len(piece.rstrip())


_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’»)\]*_]{0,3}\s+(?=[^\sa-zа-я.,;:])|(?<=[。！？；])[”’」』）]*\s*")
_PAUSES = [re.compile(r"\n[ \t]*\n"), re.compile(r"\n"), re.compile(r"[^\S\n]+|(?<=[，、,;])")]


def _outermost(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks without those inside another."""
    last = 0
    for block in blocks:
        if block.first > last:
            yield block
            last = block.last


def _within(stretches: list[tuple[int, int]], offset: int) -> bool:
    """Whether an offset lies inside a stretch, not at its beginning."""
    at = bisect_right(stretches, offset, key=lambda stretch: stretch[1])
    return at < len(stretches) and stretches[at][0] < offset
