"""Source files: chunks by function, as the retrieval loop cuts them, with the qualified name as heading."""

from __future__ import annotations

import re

from ...state.documents import DocumentChunk
from ..structure import structure_of
from .language import language_of_text
from .layout import Block, Layout
from .splitting import Splitter


def read_source_code(document: str, text: str) -> list[DocumentChunk]:
    """The chunks of a source file in order: kind "code", the language that its comments are written in.

    A long function becomes several chunks with the same heading.
    """
    structure = structure_of(document, text)
    lines = text.split("\n")
    splitter = Splitter(Layout(lines, [], [Block(chunk.first, chunk.last, code=True) for chunk in structure.chunks]))
    language = _language(text)
    parts = [
        (chunk.symbol, begin, end)
        for chunk in structure.chunks
        for begin, end in splitter.parts(chunk.first, chunk.last)
    ]
    return [
        DocumentChunk(
            document=document,
            ordinal=ordinal,
            heading=(symbol,) if symbol else (),
            first=splitter.line_of(begin),
            last=splitter.line_of(end - 1),
            text=splitter.text[begin:end],
            language=language,
            kind="code",
        )
        for ordinal, (symbol, begin, end) in enumerate(parts)
    ]


def _language(text: str) -> str:
    """The language of the comments, or of the code itself where its very keywords are Russian or Chinese (BSL)."""
    remarks = "\n".join(next(filter(None, found.groups()), "") for found in _REMARK.finditer(text))
    written = language_of_text(text)
    return language_of_text(remarks) or (written if written in ("ru", "zh") else "")


_REMARK = re.compile(r"^[ \t]*(?:#|//+|--|;+|/?\*+)!?[ \t]+([^\n]*)|\"\"\"(.*?)\"\"\"", re.MULTILINE | re.DOTALL)
