"""Chunks of a document: its sections, the long ones in parts, each with heading path, lines, language and kind."""

from __future__ import annotations

from collections.abc import Iterator

from ...state.documents import DocumentChunk
from .language import language_of_passage, language_of_text
from .layout import Layout
from .sections import HeadingPath, sections_of
from .splitting import Splitter

_SAMPLE = 20_000  # characters that tell the language of a document
_TELLING = 80  # characters of prose that tell the language of a chunk, whatever the rest of the document says


def chunks_of(document: str, layout: Layout) -> list[DocumentChunk]:
    """The chunks of a document in order; together they hold every line that is not blank.

    A heading's line is not repeated in the text of its own section: its title ends the heading path.
    """
    splitter = Splitter(layout)
    common = language_of_text(splitter.prose(0, _SAMPLE))
    return [
        _chunk(document, ordinal, heading, splitter, begin, end, common)
        for ordinal, (heading, begin, end) in enumerate(_parts(layout, splitter))
    ]


def _parts(layout: Layout, splitter: Splitter) -> Iterator[tuple[HeadingPath, int, int]]:
    for section in sections_of(layout):
        for begin, end in splitter.parts(section.first, section.last):
            yield section.heading, begin, end


def _chunk(
    document: str, ordinal: int, heading: HeadingPath, splitter: Splitter, begin: int, end: int, common: str
) -> DocumentChunk:
    prose = splitter.prose(begin, end)
    return DocumentChunk(
        document=document,
        ordinal=ordinal,
        heading=heading,
        first=splitter.line_of(begin),
        last=splitter.line_of(end - 1),
        text=splitter.text[begin:end],
        language=_language(prose, heading, common),
        kind="prose" if prose else "code",
    )


def _language(prose: str, heading: HeadingPath, common: str) -> str:
    """The language of a chunk: its own when it says enough, else that of the document."""
    if len(prose) >= _TELLING:
        return language_of_passage(prose, common)
    return common or language_of_text("\n".join([*heading[-1:], prose]))
