"""Documents: Markdown, reStructuredText, HTML, PDF, notebooks, plain text and source files become chunks."""

from __future__ import annotations

from .formats import KNOWN, UNSUPPORTED_EXTENSIONS, Format, extension_of, format_of
from .language import language_of_text
from .reading import MAX_BYTES, read_document, refuse

CHUNKING_VERSION = 2
"""Bumped when the same bytes would give other chunks: documents are then taken in again."""

__all__ = [
    "CHUNKING_VERSION",
    "KNOWN",
    "MAX_BYTES",
    "UNSUPPORTED_EXTENSIONS",
    "Format",
    "extension_of",
    "format_of",
    "language_of_text",
    "read_document",
    "refuse",
]
