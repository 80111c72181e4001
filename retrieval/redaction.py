"""Text without credentials: what looks like one is replaced, the lines stay where they are.

Applied to whatever leaves the process, on top of the rule that files of secrets are not even read (secrets.py). It errs
on the side of keeping back: a lost literal costs an answer little, a lost key costs a lot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .redacting.assignments import assigned
from .redacting.sites import sites
from .redacting.tokens import tokens

MARK = "[redacted]"
"""What stands in the place of a credential."""


def redacted(text: str) -> tuple[str, int]:
    """``text`` without what looks like a credential, and how many were replaced; the number of lines stays."""
    plain = _unescaped(text)
    places = _joined([*_keys(plain), *tokens(plain), *sites(plain), *assigned(plain)])
    for start, end in reversed(places):
        text = text[:start] + MARK + text[end:]
    return text, len(places)


_ESCAPES = re.compile(r"\\+([\"'nrt/])")
_MEANT = {"n": "\n", "r": " ", "t": " "}
_DECORATION = re.compile(
    r"^(?:[-+](?=[^-+\s=]|-----(?:BEGIN|END) )|[ \t]*(?:[-+]|[>|*#]+|//|\d{1,6}(?:[:|)]| \|))(?=[ \t]|-----BEGIN))",
    re.MULTILINE,
)  # before a line: of a difference, a quotation, a comment, a listing with numbers


def _unescaped(text: str) -> str:
    """What a text quoted in JSON or in a program means, each character where it was; the rest becomes blanks."""
    plain = _ESCAPES.sub(lambda m: " " * (len(m[0]) - 1) + _MEANT.get(m[1], m[1]), text)
    return _DECORATION.sub(lambda m: " " * len(m[0]), plain)


_PRIVATE = r"(?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_LINE = r"[A-Za-z0-9+/=]{16,}"
_BLOCKS = (
    re.compile(rf"-----BEGIN {_PRIVATE}(?P<body>(?:[^-]|-(?!----)){{1,20000}})-----END {_PRIVATE}"),
    re.compile(rf"-----BEGIN {_PRIVATE}(?P<body>(?:\s+(?:[\w-]+: [^\n]+|{_LINE})(?![^\s\"',]))+)"),  # cut off
    re.compile(rf"(?:^|\s)(?P<body>(?:{_LINE}\s+)+)-----END {_PRIVATE}"),  # its beginning is cut off
    re.compile(rf"Private-Lines: \d{{1,3}}(?P<body>(?:\s+{_LINE})+)"),  # PuTTY's
)


_KEY_LINE = re.compile(r"^[\s\"'`+,]*(?P<value>[A-Za-z0-9+/=]{2,})[\s\"'`+,;)]*$", re.MULTILINE)
_LONG_RUN = re.compile(r"[A-Za-z0-9+/]{32,}")


def _keys(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines of private keys begin and end; the marks around them stay, and say what was there."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    for shape in _BLOCKS:
        for block in shape.finditer(text):
            if _LONG_RUN.search(block["body"]):  # else it is a program that speaks of keys
                yield from (m.span("value") for m in _KEY_LINE.finditer(text, *block.span("body")))


def _joined(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places in order, those that overlap made one."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


__all__ = ["MARK", "redacted"]
