"""A document's bytes become its chunks."""

from __future__ import annotations

from typing import NoReturn, assert_never

from ...state.documents import DocumentChunk, SkipReason
from ...state.errors import DocumentSkipped
from ..secrets import is_secret
from .chunking import chunks_of
from .decoding import page_text_of, text_of
from .formats import UNSUPPORTED_EXTENSIONS, Format, extension_of, format_of, format_within
from .html import TooDeep, read_html
from .markdown import read_markdown
from .notebook import NoNotebook, read_notebook
from .pdf import read_pdf
from .plain_text import read_plain_text
from .restructured_text import read_restructured_text
from .source_code import read_source_code

MAX_BYTES = 20_000_000
"""Larger documents are not read: so large a file is data, or a shelf of documents that are better indexed singly."""


def read_document(document: str, data: bytes) -> list[DocumentChunk]:
    """The chunks of a document in order, at least one.

    They hold every line that is not blank, but for heading lines, whose titles stand in the heading paths.

    Args:
        document: its id, a path with forward slashes or an address; its extension decides how it is read, and its
            content where there is none.
        data: its bytes, in any encoding.

    Raises:
        DocumentSkipped: it cannot be taken in; ``reason`` says why, ``detail`` what would help.
    """
    refuse(document, len(data))
    chunks = _chunks(document, data, format_of(document) or format_within(data))
    if not chunks:
        _skip(document, SkipReason.UNREADABLE, "it holds no text")
    return chunks


def refuse(document: str, size: int) -> None:
    """Raise DocumentSkipped for a document that its name or its size in bytes keeps out."""
    if is_secret(document):
        _skip(document, SkipReason.SECRET, "its name says that it holds keys or passwords; it is never read")
    if extension_of(document) in UNSUPPORTED_EXTENSIONS:
        detail = f"no reader for .{extension_of(document)}; export it as HTML, PDF or Markdown"
        _skip(document, SkipReason.UNSUPPORTED, detail)
    if size > MAX_BYTES:
        detail = f"{size:,} bytes, more than {MAX_BYTES:,}; split it or leave it out"
        _skip(document, SkipReason.TOO_LARGE, detail)


def _chunks(document: str, data: bytes, format: Format) -> list[DocumentChunk]:
    match format:
        case Format.PDF:
            return chunks_of(document, read_pdf(document, data))
        case Format.HTML:
            return _page(document, data)
        case Format.SOURCE:
            return _source(document, data)
        case Format.NOTEBOOK:
            return _notebook(document, data)
        case Format.MARKDOWN:
            return chunks_of(document, read_markdown(_text(document, text_of(data)[0])))
        case Format.RST:
            return chunks_of(document, read_restructured_text(_text(document, text_of(data)[0])))
        case Format.TEXT:
            return chunks_of(document, read_plain_text(_text(document, text_of(data)[0])))
        case _:
            assert_never(format)


def _text(document: str, text: str | None) -> str:
    """The text, if there is one."""
    if text is None:
        _skip(document, SkipReason.BINARY, "its content is no text")
    if not text:
        _skip(document, SkipReason.UNREADABLE, "the file is empty")
    return text


def _page(document: str, data: bytes) -> list[DocumentChunk]:
    try:
        return chunks_of(document, read_html(_text(document, page_text_of(data))))
    except TooDeep as error:
        raise DocumentSkipped(document, SkipReason.UNREADABLE, f"damaged page: {error}") from error


def _source(document: str, data: bytes) -> list[DocumentChunk]:
    text, packed = text_of(data)
    if packed:
        _skip(document, SkipReason.UNREADABLE, "minified code, written by a program; index its sources instead")
    return read_source_code(document, _text(document, text))


def _notebook(document: str, data: bytes) -> list[DocumentChunk]:
    try:
        return chunks_of(document, read_notebook(_text(document, text_of(data)[0])))
    except NoNotebook as error:
        raise DocumentSkipped(document, SkipReason.UNREADABLE, f"damaged notebook: {error}") from error


def _skip(document: str, reason: SkipReason, detail: str) -> NoReturn:
    raise DocumentSkipped(document, reason, detail)
