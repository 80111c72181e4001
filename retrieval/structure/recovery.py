"""Help for code that no grammar can read: macros blanked before the parse, runaway definitions ended after it.

C and C++ headers hold macros and conditionals that only a preprocessor can resolve. One of them can make a parser
believe that a class never ends and holds the rest of the file.
"""

from __future__ import annotations

import re

from tree_sitter import Node

__all__ = ["blank_macros", "written_range"]

_MAX_HEAD = 10  # lines that a definition may have before its name: template parameters, attributes, decorators


def blank_macros(language: str, data: bytes) -> bytes:
    """``data`` with the disturbing macros replaced by as many spaces, so that every offset stays."""
    if language not in ("c", "cpp"):
        return data
    return _DISTURBING.sub(_spaces, data)


def written_range(node: Node, name: Node, data: bytes, indents: bool) -> tuple[int, int, int, int]:
    """Where a definition starts and ends: bytes, then lines (1-based, inclusive).

    One that holds a syntax error starts close above its name and ends, at the latest, with the first closing brace
    that stands in the column where it started: that is how people indent.

    indents: whether people indent the inside of such a definition at all (of a namespace they do not).
    """
    start, end, until = node.start_byte, node.end_byte, node.end_point
    first = node.start_point.row + 1
    last = max(first, until.row + (until.column > 0))
    if not (indents and node.has_error):
        return start, end, first, last
    named = name.start_point.row + 1
    if named - first > _MAX_HEAD:
        start, first = name.start_byte, named
    closing = _closing_brace(start, data)
    if 0 <= closing < end:
        end, last = closing, data.count(b"\n", 0, closing) + 1
    return start, end, first, last


def _closing_brace(start: int, data: bytes) -> int:
    """The offset just behind the first line-leading ``}`` with the indentation of the line at ``start``; -1 if none."""
    line = data.rfind(b"\n", 0, start) + 1
    indentation = data[line : line + len(data[line:start]) - len(data[line:start].lstrip())]
    brace = b"\n" + indentation + b"}"
    found = data.find(brace, start)
    return found + len(brace) if found >= 0 else -1


def _spaces(found: re.Match[bytes]) -> bytes:
    """As many spaces as the match is long."""
    return b" " * len(found.group())


# FMT_BEGIN_NAMESPACE alone on its line; `class FMT_API name {`, where the macro would be read as the class's name.
_NAME = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?"
_DISTURBING = re.compile(
    rb"^" + _NAME + rb"(?=[ \t]*(?://.*)?$)"
    rb"|(?<=class )" + _NAME + rb"(?= \w+[^;(){}]{0,200}\{)"
    rb"|(?<=struct )" + _NAME + rb"(?= \w+[^;(){}]{0,200}\{)",
    re.MULTILINE,
)
