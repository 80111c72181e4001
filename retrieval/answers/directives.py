"""Directives of reStructuredText: which lines are markup, and where the content begins."""

from __future__ import annotations

import re
from enum import StrEnum

_LINE = re.compile(r"[ \t]*\.\.(?:[ \t]+(?:\|[^|]+\|[ \t]+)?(?:([A-Za-z][\w:+.-]*)::)?[ \t]*|$)")
_OPTION = re.compile(r"[ \t]+:[A-Za-z][\w -]*:(?:[ \t]|$)")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CODE = _words(
    "code code-block sourcecode parsed-literal ipython prompt doctest testcode testoutput math graphviz productionlist"
)
_NOTES = _words(
    "note warning tip important caution danger attention hint error seealso admonition topic sidebar rubric todo"
)
_VERSIONS = _words("versionadded versionchanged deprecated versionremoved deprecated-removed")
_SILENT = _words(
    "toctree image include literalinclude contents index highlight currentmodule module meta raw sectionauthor "
    "codeauthor testsetup testcleanup replace unicode only-dev default-role role sectnum target-notes automodule "
    "autoclass autofunction automethod autosummary tabularcolumns csv-table"
)


class Directive(StrEnum):
    """What a directive's line is. VERSION: its own words say something. TERM: it names what its body explains."""

    CODE = "code"
    NOTE = "note"
    VERSION = "version"
    TERM = "term"
    SILENT = "silent"  # nothing of it or its body is said to a reader


def directive(line: str) -> tuple[Directive, int] | None:
    """The kind of a directive or comment and where its argument begins; None for any other line."""
    found = _LINE.match(line)
    if found is None:
        return None
    name = (found[1] or "").rpartition(":")[2].lower()
    if not name or name in _SILENT:
        return Directive.SILENT, found.end()
    if name in _CODE:
        return Directive.CODE, found.end()
    if name in _VERSIONS:
        return Directive.VERSION, found.start(1)
    return (Directive.NOTE if name in _NOTES else Directive.TERM), found.end()


def is_option(line: str) -> bool:
    """Whether a line below a directive sets one of its options: ":maxdepth: 2"."""
    return bool(_OPTION.match(line))
