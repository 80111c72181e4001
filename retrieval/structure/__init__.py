"""Source structure: definitions, imports, base classes and chunks of one file, by tree-sitter or as plain text."""

from __future__ import annotations

from ...state.source import Structure
from ..languages import language_of
from .chunks import chunks_of
from .definitions import definitions_of
from .imports import imports_of
from .parsing import matches_of
from .text import text_chunks
from .windows import lines_of

__all__ = ["STRUCTURE_VERSION", "structure_of"]

STRUCTURE_VERSION = 3
"""Grows whenever the output for some text changes; part of every cache key."""

_HEAD = 8_000  # characters that may decide the language


def structure_of(path: str, text: str) -> Structure:
    """What one file defines, imports and inherits, and how its lines fall into chunks.

    path: decides the language. text: any string, lines ended by ``\\n``; syntax errors cost only what they enclose.
    A text whose language has no grammar, or that is too large or too odd to parse, comes back with chunks only.
    """
    language = language_of(path, text[:_HEAD])
    lines = lines_of(text)
    data = text.encode("utf-8", "replace")
    matches = matches_of(language, data)
    if matches is None:
        return Structure(language, (), (), tuple(text_chunks(lines, language)))
    symbols, bases = definitions_of(matches, data)
    return Structure(
        language=language,
        symbols=tuple(symbols),
        imports=tuple(imports_of(matches, data)),
        chunks=tuple(chunks_of(lines, symbols, language)),
        bases=bases,
        parsed=True,
    )
