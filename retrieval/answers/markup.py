"""Which marks of a text are its decoration: told from the document's name, in this one place."""

from __future__ import annotations

import re
from enum import StrEnum

from ..documents.formats import Format, format_of


class Markup(StrEnum):
    """How a chunk's lines are to be read.

    MARKDOWN: stars, ticks, links and quotation marks are decoration. RST: roles, directives and stars are. PAGE: lines
    drawn from HTML, whose markup is gone already. TEXT: every character is content, and indentation is no code.
    """

    MARKDOWN = "markdown"
    RST = "rst"
    PAGE = "page"
    TEXT = "text"

    @property
    def indents_code(self) -> bool:
        """Whether lines that are indented after a blank line are code."""
        return self in (Markup.MARKDOWN, Markup.PAGE)

    @property
    def quotes(self) -> bool:
        """Whether ``>`` at the beginning of a line marks a quotation."""
        return self is Markup.MARKDOWN


_MANUAL_PAGE = re.compile(r"\.[1-9][a-z]{0,4}$")
_MARKUP = {Format.MARKDOWN: Markup.MARKDOWN, Format.NOTEBOOK: Markup.MARKDOWN, Format.RST: Markup.RST}


def markup_of(document: str) -> Markup:
    """The markup that a document's name tells; Markdown for names that tell none, such as addresses."""
    format = format_of(document)
    if format is None:
        manual = "://" not in document and _MANUAL_PAGE.search(document)
        return Markup.TEXT if manual else Markup.MARKDOWN
    return Markup.PAGE if format is Format.HTML else _MARKUP.get(format, Markup.TEXT)
