"""PDF: the text of its pages, under the outline's entries and the page numbers. Needs the extra ``pdf``."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...state.documents import SkipReason
from ...state.errors import DocumentSkipped
from .layout import Block, Heading, Layout, heading
from .paragraphs import paragraphs

if TYPE_CHECKING:
    from pypdf import PdfReader

_PAGE_LEVEL = 100  # below every entry of an outline
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def read_pdf(document: str, data: bytes) -> Layout:
    """The layout of a PDF; its lines are the lines of the extracted text, page after page.

    Every page is a section "page N" (counted from 1) below the outline's entries that lead to it or to an earlier
    page. The same file always gives the same lines.

    Args:
        document: names the file in errors.
        data: its bytes.

    Raises:
        DocumentSkipped: pypdf is not installed, the file wants a password, is damaged, or holds no text.
    """
    pypdf = _pypdf(document)
    try:
        reader = _opened(pypdf, document, data)
        pages = [_page_lines(page.extract_text()) for page in reader.pages]
        entries = list(_entries(reader, reader.outline, 1))
        title = _title(reader)
    except DocumentSkipped:
        raise
    except Exception as error:  # pypdf lets through whatever its parsers trip over: KeyError, RecursionError, ...
        detail = f"damaged PDF ({type(error).__name__}: {error}); export it anew"
        raise DocumentSkipped(document, SkipReason.UNREADABLE, detail) from error
    if not any(map(any, pages)):
        detail = "the PDF holds no text, only images; run text recognition (OCR) over it first"
        raise DocumentSkipped(document, SkipReason.UNREADABLE, detail)
    return _layout(pages, entries, title)


def _pypdf(document: str) -> ModuleType:
    try:
        pypdf = import_module("pypdf")
    except ImportError as error:
        detail = "PDF files need an extra: pip install 'iterative-retrieval[pdf]'"
        raise DocumentSkipped(document, SkipReason.MISSING_EXTRA, detail) from error
    log = logging.getLogger("pypdf")  # it warns of every oddity that it mends
    log.setLevel(log.level or logging.ERROR)
    return pypdf


def _opened(pypdf: ModuleType, document: str, data: bytes) -> PdfReader:
    """The reader of a file that needs no password, or the empty one."""
    reader: PdfReader = pypdf.PdfReader(io.BytesIO(data))
    if not reader.is_encrypted:
        return reader
    try:
        opened = bool(reader.decrypt(""))
    except pypdf.errors.DependencyError as error:
        detail = "encrypted with AES: pip install 'pypdf[crypto]', or save it without protection"
        raise DocumentSkipped(document, SkipReason.MISSING_EXTRA, detail) from error
    if not opened:
        detail = "encrypted PDF; save a copy without a password"
        raise DocumentSkipped(document, SkipReason.ENCRYPTED, detail)
    return reader


def _page_lines(text: str) -> list[str]:
    """The lines of one page without control characters and blank lines at the ends."""
    lines = [_CONTROLS.sub("", line).rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def _entries(reader: PdfReader, outline: Sequence[Any], level: int) -> Iterator[tuple[int, int, str]]:
    """Page (from 0), level and title of every entry of the outline that leads to a page."""
    for entry in outline:
        if isinstance(entry, list):
            yield from _entries(reader, entry, level + 1)
            continue
        page = reader.get_destination_page_number(entry)
        if page is not None and page >= 0 and entry.title:
            yield page, level, _CONTROLS.sub("", str(entry.title))


def _title(reader: PdfReader) -> str:
    """The title of the file's properties, unless it is the name of another file or of a program."""
    title = " ".join(_CONTROLS.sub("", str((reader.metadata and reader.metadata.title) or "")).split())
    return "" if _NO_TITLE.search(title) else title


_NO_TITLE = re.compile(r"^(?:microsoft |untitled|title$)|\.(?:docx?|pdf|tex|dvi|indd|pptx?|odt|html?)$", re.IGNORECASE)


def _layout(pages: Sequence[Sequence[str]], entries: Sequence[tuple[int, int, str]], title: str) -> Layout:
    lines: list[str] = []
    headings: list[Heading] = []
    blocks: list[Block] = []
    for number, page in enumerate(pages):
        top = len(lines) + 1
        chapters = [(level, name) for at, level, name in entries if at == number]
        headings += _page_headings(number + 1, top, page, chapters)
        blocks += [Block(b.first + top - 1, b.last + top - 1, b.depth) for b in paragraphs(page)]
        lines += [*page, ""]
    return Layout(lines, headings, blocks, title)


def _page_headings(number: int, top: int, page: Sequence[str], chapters: Sequence[tuple[int, str]]) -> list[Heading]:
    """The page itself, and the chapters that begin on it where their titles stand, or else at its top.

    A chapter is followed by its page again, one level deeper.
    """
    own = f"page {number}"
    places = [(_PAGE_LEVEL, own, 0, 0)]
    at = 0
    for level, name in chapters:
        at, taken = _place(page, name, at)
        title = page[at] if taken else name
        if at > 0 and len(places) == 1 and sum(map(len, page[:at])) <= _RUNNING_HEAD:
            places = [(level, title, 0, 0), (_PAGE_LEVEL, own, 0, 0)]
        else:
            places += [(level, title, at, taken), (_PAGE_LEVEL, own, at + taken, 0)]
        at += taken
    found = [heading(level, title, top + at, top + at + taken - 1) for level, title, at, taken in places]
    return [one for one in found if one]


_RUNNING_HEAD = 60  # characters above a chapter's title that are no text of the chapter before


def _place(page: Sequence[str], name: str, floor: int) -> tuple[int, int]:
    """The index of the line that holds a title, not above ``floor``, and 1 when it holds nothing else but its number.

    ``floor`` and 0 when no line does.
    """
    wanted = "".join(name.split()).casefold()
    for at in range(floor, len(page)):
        line = "".join(page[at].split()).casefold()
        if wanted in line:
            return at, int(_NUMBER.sub("", line) == _NUMBER.sub("", wanted))
    return floor, 0


_NUMBER = re.compile(r"^(?:chapter|kapitel|глава|第)?[\dA-Z.]*[\d.:)章]+")
