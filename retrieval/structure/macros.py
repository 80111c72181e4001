"""Macros that no grammar can expand, blanked out where they would break the parse of C and C++."""

from __future__ import annotations

import re

__all__ = ["blank_macros"]


def blank_macros(language: str, data: bytes) -> bytes:
    """``data`` with the disturbing macros replaced by as many spaces, so that every offset stays."""
    if language not in ("c", "cpp"):
        return data
    return _DISTURBING.sub(_spaces, data)


def _spaces(found: re.Match[bytes]) -> bytes:
    """As many spaces as the match is long, its line ends kept."""
    return re.sub(rb"[^\n]", b" ", found.group())


# FMT_BEGIN_NAMESPACE alone on its line; `class FMT_API name {`, where the macro would be read as the class's name.
_NAME = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+(?:\([^()\n]*\))?"
_DISTURBING = re.compile(
    rb"^" + _NAME + rb"(?=[ \t]*(?://.*)?$)"
    rb"|(?<=class )" + _NAME + rb"(?= \w+[^;(){}]{0,200}\{)"
    rb"|(?<=struct )" + _NAME + rb"(?= \w+[^;(){}]{0,200}\{)",
    re.MULTILINE,
)
