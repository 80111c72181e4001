"""What a reader sees in a document: its lines, which of them are headings, and which belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

MAX_TITLE = 200
"""A longer heading stays in the text and stands in the heading path shortened (characters)."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. level: 1 is outermost. first, last: its lines, 1-based, inclusive, underline and overline included.

    ``last`` is ``first - 1`` when the heading takes no line of the text: a page of a PDF, or a heading that holds more
    than its title says (a link), whose line therefore stays in the text.
    """

    level: int
    title: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: a paragraph, an item, a table, a piece of code.

    first, last: 1-based, inclusive. depth: 0 for blocks of the document, 1 for an item of a list, and so on; a text is
    rather cut between blocks of little depth. code: not cut unless it is longer than a chunk, and no prose.
    """

    first: int
    last: int
    depth: int = 0
    code: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """A document as its reader understood it.

    lines: without line ends; where the document is no text of lines (HTML, PDF), the lines of the extracted text.
    headings: by line. blocks: by first line, outer before inner; lines outside every block stand for themselves.
    title: of the whole document, '' when it has none beside its headings.
    """

    lines: Sequence[str]
    headings: Sequence[Heading]
    blocks: Sequence[Block]
    title: str = ""

    def line_starts(self) -> list[int]:
        """Offsets of the lines in the text (lines joined by ``\\n``), and one past its end + 1."""
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))


def heading(level: int, title: str, first: int, last: int) -> Heading | None:
    """A heading with a title fit for a heading path; None when nothing of the title is left."""
    title = " ".join(title.split())
    if not title:
        return None
    if len(title) > MAX_TITLE:
        return Heading(level, title[: MAX_TITLE - 1].rstrip() + "…", first, first - 1)
    return Heading(level, title, first, last)
