"""Which files are documents, told from their names: what has a reader, what is known to have none."""

from __future__ import annotations

from enum import StrEnum

from ..languages import language_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Format(StrEnum):
    """What a reader reads."""

    MARKDOWN = "markdown"
    RST = "reStructuredText"
    HTML = "HTML"
    PDF = "PDF"
    NOTEBOOK = "notebook"
    TEXT = "plain text"
    SOURCE = "source code"


DOCUMENT_EXTENSIONS = {
    **dict.fromkeys(("md", "markdown", "mdx", "mkd"), Format.MARKDOWN),
    **dict.fromkeys(("rst", "rest"), Format.RST),
    **dict.fromkeys(("html", "htm", "xhtml"), Format.HTML),
    "pdf": Format.PDF,
    "ipynb": Format.NOTEBOOK,
    **dict.fromkeys(("txt", "text", "adoc", "asciidoc", "org", "tex"), Format.TEXT),
}

UNSUPPORTED_EXTENSIONS = _words(
    "doc docx odt rtf pages epub mobi azw3 djvu ps chm hlp ppt pptx odp xls xlsx ods one vsd vsdx"
)
"""Formats that people write documents in and that have no reader."""

# Languages whose files are data, settings or looks: they say little in prose.
_NO_SOURCE = _words(
    "json yaml toml ini xml css scss less gettext gitignore gomod terraform latex markdown rst asciidoc text"
)

KNOWN = (
    ", ".join(f".{extension}" for extension in DOCUMENT_EXTENSIONS)
    + " and source files (.py, .js, .ts, .go, .java, .rs, .c, .cpp, .cs, .rb, .php, .kt, .swift, .sql, .sh, .bsl, ...)"
)
"""The extensions that have a reader, for messages."""


def format_of(document: str) -> Format | None:
    """The format that a name tells; None when it tells none (the text decides, if it is one).

    document: a path with forward slashes, or an address, whose query and fragment do not count.
    """
    path = document.partition("#")[0].partition("?")[0] if "://" in document else document
    known = DOCUMENT_EXTENSIONS.get(extension_of(path))
    if known:
        return known
    language = language_of(path)
    if language == "text":
        return Format.TEXT
    return Format.SOURCE if language and language not in _NO_SOURCE else None


def format_within(data: bytes) -> Format:
    """The format of a document whose name does not tell it, by its first bytes."""
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(b"%pdf-"):
        return Format.PDF
    return Format.HTML if head.startswith((b"<!doctype html", b"<html")) else Format.TEXT


def extension_of(path: str) -> str:
    """What stands after the last dot of a file's name, in small letters, or ''."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""
