"""Quotes: verbatim slices of a chunk, found again with white space aside, with the exact lines they stand on."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ...state.answer import AnswerSource
from ...state.documents import StoredChunk

MIN_QUOTE = 12
"""Characters below which a quote proves nothing, unless it is all of its chunk."""
MAX_QUOTE = 300
"""Characters of a quote that this package makes."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A piece of a chunk's text: ``text[start:end]``."""

    start: int
    end: int


def find_quote(quote: str, text: str) -> Slice | None:
    """Where ``quote`` stands in ``text``; runs of white space and Unicode composition may differ. None: nowhere."""
    wanted = squeezed(quote)
    if not wanted:
        return None
    at = text.find(quote.strip())
    if at >= 0:
        return Slice(at, at + len(quote.strip()))
    pattern = r"\s+".join(map(re.escape, wanted.split(" ")))
    found = re.search(pattern, text)
    if found:
        return Slice(found.start(), found.end())
    return _composed(wanted, text)


def squeezed(text: str) -> str:
    """``text`` in composed form (NFC) with single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def source_of(chunk: StoredChunk, number: int, start: int, end: int) -> AnswerSource:
    """A source that quotes ``chunk.text[start:end]``, cut to ``MAX_QUOTE`` at a word."""
    start, end = _long_enough(chunk.text, start, min(end, _cut(chunk.text, start, end)))
    return AnswerSource(
        number=number,
        chunk=chunk.key,
        document=chunk.document,
        heading=list(chunk.heading),
        first=line_of(chunk, start),
        last=line_of(chunk, max(start, end - 1)),
        quote=chunk.text[start:end],
        sha256=chunk.sha256,
    )


def line_of(chunk: StoredChunk, offset: int) -> int:
    """The document's line, 1-based, on which an offset of the chunk's text stands."""
    return min(chunk.last, chunk.first + chunk.text.count("\n", 0, offset))


def _cut(text: str, start: int, end: int) -> int:
    if end - start <= MAX_QUOTE:
        return end
    at = max(
        text.rfind(" ", start + MAX_QUOTE // 2, start + MAX_QUOTE),
        text.rfind("\n", start + MAX_QUOTE // 2, start + MAX_QUOTE),
    )
    return at if at > start else start + MAX_QUOTE


def _long_enough(text: str, start: int, end: int) -> tuple[int, int]:
    """The slice, widened to whole lines until it is long enough to prove something; to headings only in need."""
    while len(squeezed(text[start:end])) < MIN_QUOTE and (start > 0 or end < len(text)):
        above = text.rfind("\n", 0, max(0, start - 1)) + 1 if start else 0
        line_end = text.find("\n", min(len(text), end + 1))
        below = line_end if line_end >= 0 else len(text)
        down = end < len(text) and not _TITLE.match(text[end:].lstrip("\n"))
        up = start > 0 and not _TITLE.match(text[above:])
        start, end = (start if down or (not up and start == 0) else above), (end if up and not down else below)
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


_TITLE = re.compile(r"[ \t]*#{1,6}[ \t]|[^\n]+\n[ \t]*([=~^-])\1{2,}[ \t]*(?:\n|$)")


def _composed(wanted: str, text: str) -> Slice | None:
    """Finds a quote in a text whose accents are composed otherwise; rare, so slow and simple."""
    if unicodedata.is_normalized("NFC", text) or wanted not in squeezed(text):
        return None
    start = next(i for i in range(len(text) - 1, -1, -1) if squeezed(text[i:]).startswith(wanted))
    end = next(i for i in range(start + 1, len(text) + 1) if squeezed(text[start:i]) == wanted)
    return Slice(start, end)
