"""Terms with their explanation: options of a manual page, two columns, a term above an indented text."""

from __future__ import annotations

import re
from collections.abc import Sequence

OPTION = re.compile(r"[ \t]*(?:--?[A-Za-z0-9?#@][\w-]*|/[A-Za-z?])(?![\w/.])")
_GAP = re.compile(r"(?<=\S)(?:[ ]{2,}|[ ]?\t)[ \t]*(?=[^\s-])")
_WIDE = 3
"""Blanks that part two columns whose first is no option; two may stand behind a full stop."""
_OPTION_LENGTH = 120
_TERM_LENGTH = 60
_TERM_WORDS = 6
_TITLE = re.compile(r"[A-Z\u0400-\u042f][A-Z\u0400-\u042f0-9 ,/&()-]{2,50}$")


def indent_of(line: str) -> int:
    """Columns before the first character; a tab reaches the next multiple of eight."""
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())


def term_end(lines: Sequence[str]) -> int:
    """Where the term that the first of these lines begins with ends; 0 when it begins with none.

    lines: the line in question and the one below it.
    """
    return _column_end(lines[0]) or (_above_end(lines[0], lines[1]) if len(lines) > 1 else 0)


def begins_inside(lines: Sequence[str]) -> bool:
    """Whether a term begins at the first of these lines although no blank line stands before it."""
    return bool(_column_end(lines[0])) or (bool(OPTION.match(lines[0])) and term_end(lines) > 0)


def is_title(lines: Sequence[str]) -> bool:
    """Whether a line is a title as in manual pages: capitals at the margin above a blank or an indented line."""
    below = lines[1] if len(lines) > 1 else ""
    return bool(_TITLE.match(lines[0])) and (not below.strip() or indent_of(below) > 0)


def _column_end(line: str) -> int:
    """The end of a term whose explanation stands beside it."""
    found = _GAP.search(line, len(line) - len(line.lstrip()))
    if found is None or len(_GAP.findall(line, found.end())) > 1:  # a justified line has many gaps
        return 0
    term = line[: found.start()]
    if OPTION.match(line):
        return found.start() if len(term.strip()) <= _OPTION_LENGTH else 0
    wide = len(found[0].expandtabs(8)) >= _WIDE
    return found.start() if wide and _is_term(term.strip()) else 0


def _above_end(line: str, below: str) -> int:
    """The end of a term whose explanation stands below it."""
    if not below.strip() or indent_of(below) < indent_of(line) + 2:
        return 0
    term = line.strip()
    is_option = OPTION.match(line) and len(term) <= _OPTION_LENGTH
    return len(line.rstrip()) if is_option or (_is_term(term) and not is_title([line, below])) else 0


def _is_term(text: str) -> bool:
    short = len(text) <= _TERM_LENGTH and len(text.split()) <= _TERM_WORDS
    return short and not text.endswith((".", ",", ";", ":", "!", "?", "(", "-"))
