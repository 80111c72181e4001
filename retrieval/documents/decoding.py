"""The bytes of a document as text; web pages also by the encoding that they declare."""

from __future__ import annotations

import codecs
import re

from ...state.source import LeftOutReason
from ..contents import sniff

_META = re.compile(rb"<meta\b[^>]*?charset\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE)
_PRESCAN = 4_096  # bytes in which a page must declare its encoding; the standard says 1,024
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# The names of encodings mean these in pages (WHATWG Encoding Standard), whatever they mean elsewhere.
_IN_PAGES = {
    **dict.fromkeys(("iso-8859-1", "iso8859-1", "latin1", "latin-1", "us-ascii", "ascii"), "cp1252"),
    **dict.fromkeys(("gb2312", "gbk", "x-gbk", "gb_2312-80"), "gb18030"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis"), "cp932"),
    **dict.fromkeys(("ks_c_5601-1987", "euc-kr"), "cp949"),
    "iso-8859-9": "cp1254",
}
_NO_PAGES = ("utf-16", "utf-32", "utf-7", "idna", "punycode", "unicode", "raw_unicode", "undefined")


def text_of(data: bytes) -> tuple[str | None, bool]:
    """The text, its lines ended by ``\\n`` alone, and whether a program seems to have packed it; None for no text."""
    contents = sniff(data)
    if contents.reason is not LeftOutReason.MINIFIED:
        return contents.text, False
    text = data.decode(contents.encoding, "replace")  # whole paragraphs or pages in one line are documents too
    return _with_newlines(text), True


def page_text_of(data: bytes) -> str | None:
    """The text of a web page: as UTF-8 if it is that, else as declared, else as ``text_of`` sees it."""
    declared = None if data.startswith(_MARKS) or _is_utf8(data) else _META.search(data[:_PRESCAN])
    text = _decoded(data, declared[1].decode("ascii", "replace").lower()) if declared else None
    return _with_newlines(text) if text is not None else text_of(data)[0]


def _is_utf8(data: bytes) -> bool:
    """Whether bytes beyond ASCII are well-formed UTF-8, which text in other encodings practically never is."""
    if data.isascii():
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _decoded(data: bytes, name: str) -> str | None:
    """The text in a declared encoding; None when there is no such encoding or the bytes do not fit."""
    name = _IN_PAGES.get(name, name)
    if name.startswith(_NO_PAGES):
        return None
    try:
        return data.decode(name)
    except (LookupError, UnicodeError, ValueError):
        return None


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
