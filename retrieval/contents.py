"""The bytes of a file as text: decoded, line ends normalised; binary, minified and generated files recognised."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from charset_normalizer import CharsetMatch, from_bytes

from ..state.source import LeftOutReason

MAX_LINE = 5_000
MAX_MEAN_LINE = 500
"""A text is minified when its longest line and its mean line both exceed these lengths (characters)."""

_BANNER_LINES = 40
_BANNER_CHARACTERS = 4_000
_GUESS_BYTES = 16_384  # detection costs some 5 ms per 10 KB; more bytes rarely change its answer


@dataclass(frozen=True, slots=True)
class Contents:
    """What the bytes of a file hold.

    text: the decoded text, its lines ended by ``\\n`` alone; None exactly when ``reason`` is set. encoding: Python's
    name of the encoding, '' for binary files. reason: BINARY, MINIFIED or None. generated: a banner at the top says
    that a program wrote the file.
    """

    text: str | None
    encoding: str
    reason: LeftOutReason | None = None
    generated: bool = False


def sniff(data: bytes) -> Contents:
    """The contents of ``data``; never raises on odd bytes."""
    decoded = _decode(data)
    if decoded is None:
        return Contents(None, "", LeftOutReason.BINARY)
    text, encoding = decoded
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _is_minified(text):
        return Contents(None, encoding, LeftOutReason.MINIFIED)
    return Contents(text, encoding, generated=_is_generated(text))


def _decode(data: bytes) -> tuple[str, str] | None:
    """The text and its encoding; None when the bytes are no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data, encoding)
    if b"\0" in data:
        return _decode_wide(data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decode_foreign(data)


def _decode_marked(data: bytes, encoding: str) -> tuple[str, str] | None:
    try:
        text = data.decode(encoding, "replace" if encoding == "utf-8-sig" else "strict")
    except UnicodeDecodeError:
        return None  # compressed data may begin like UTF-16
    return None if _has_controls(text) else (text, encoding)


# UTF-32's little-endian mark begins with UTF-16's, so it is tried first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

# Where the NUL bytes of mostly Latin text without a mark stand, by position modulo 4.
_WIDE = (("utf-32-le", {1, 2, 3}), ("utf-32-be", {0, 1, 2}), ("utf-16-le", {1, 3}), ("utf-16-be", {0, 2}))


def _decode_wide(data: bytes) -> tuple[str, str] | None:
    """UTF-16 or UTF-32 without a byte order mark, recognised by the pattern of its NUL bytes."""
    head = data[:4096]
    for encoding, places in _WIDE:
        width = 4 if "32" in encoding else 2
        if len(data) % width or not _nulls_only_at(head, places):
            continue
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        return None if _has_controls(text) else (text, encoding)
    return None


def _nulls_only_at(head: bytes, places: set[int]) -> bool:
    """Whether most bytes at ``places`` (position modulo 4), and hardly any other, are NUL."""
    shares = [head[place::4].count(0) / max(1, len(head[place::4])) for place in range(4)]
    return all(share > 0.6 if place in places else share < 0.1 for place, share in enumerate(shares))


def _decode_foreign(data: bytes) -> tuple[str, str] | None:
    """Bytes that are no valid UTF-8: as declared, as UTF-8 with a few damaged characters, as guessed, as Latin-1."""
    text, encoding = _declared(data) or _damaged_utf8(data) or _guessed(data) or (data.decode("latin-1"), "latin-1")
    return None if _has_controls(text) else (text, encoding)


_DECLARATION = re.compile(rb"coding[:=]\s*[\"']?([-\w.]+)")


def _declared(data: bytes) -> tuple[str, str] | None:
    """The text in the encoding that one of its first two lines declares (PEP 263, XML), if it decodes."""
    found = _DECLARATION.search(b"\n".join(data[:1000].split(b"\n", 2)[:2]))
    return _try(data, found[1].decode("ascii", "replace")) if found else None


def _damaged_utf8(data: bytes) -> tuple[str, str] | None:
    """UTF-8 with replacement characters, when well-formed characters far outnumber the damaged ones."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    foreign = sum(character > "\x7f" for character in text) - damaged
    return (text, "utf-8") if foreign > 10 * damaged else None


# The encodings that old sources really use, the likelier first: among equally plausible ones the first is taken. With
# all its 90 encodings to choose from, the detector takes exotic ones (mac_iceland for German, johab for Chinese).
_LIKELY = [
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp866", "euc_jp", "cp932", "gb18030", "big5", "euc_kr"),
    *("cp1253", "cp1254", "cp1255", "cp1256"),
]


def _guessed(data: bytes) -> tuple[str, str] | None:
    matches = from_bytes(_telling(data), cp_isolation=_LIKELY)
    ranked = sorted(matches, key=lambda match: (match.chaos, -match.coherence, _LIKELY.index(_likeliest(match))))
    return _try(data, _likeliest(ranked[0])) if ranked else None


def _likeliest(match: CharsetMatch) -> str:
    """The likeliest of the encodings that read the bytes alike."""
    return min((name for name in match.could_be_from_charset if name in _LIKELY), key=_LIKELY.index)


def _telling(data: bytes) -> bytes:
    """The lines with non-ASCII bytes first: they are what tells encodings apart."""
    lines = data[: 4 * _GUESS_BYTES].splitlines(keepends=True)
    lines.sort(key=bytes.isascii)
    return b"".join(lines)[:_GUESS_BYTES]


def _try(data: bytes, encoding: str) -> tuple[str, str] | None:
    try:
        name = codecs.lookup(encoding).name
        return None if name in _ESCAPES else (data.decode(name), name)
    except (LookupError, UnicodeError, ValueError):
        return None


# Python's codecs that are no encodings of files; some take quadratic time.
_ESCAPES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined")


def _has_controls(text: str) -> bool:
    """Whether one character in fifty is a control character that no text needs."""
    return len(_CONTROLS.findall(text[:8192])) > min(len(text), 8192) / 50


_CONTROLS = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def _is_minified(text: str) -> bool:
    if len(text) <= MAX_LINE or len(text) / (text.count("\n") + 1) <= MAX_MEAN_LINE:
        return False
    return max(map(len, text.split("\n"))) > MAX_LINE


_NOTICE = r"^(?:warning[:!,.]?\s*)?"
_NOUN = r"(?:file|code|module|source|header|class|script|document|package)s?"
_SUBJECT = rf"(?:this|the)\s+(?:[\w./'\"`-]+\s+){{0,4}}?{_NOUN}\s+(?:is|was|were|has been|have been)\s+|{_NOUN}\s+"
_AUTO = r"(?:machine|auto|automatically)[\s-]*"

_BANNER = re.compile(
    rf"@generated\b|<auto-?generated"
    rf"|{_NOTICE}(?:{_SUBJECT})?(?:{_AUTO})?generated\s+(?:automatically\s+)?(?:by|from|with|using|on|via)\b"
    rf"|{_NOTICE}(?:{_SUBJECT})?{_AUTO}generated(?:\s+{_NOUN})?\s*(?:[^\w\s]|$)"
    rf"|{_NOTICE}this is (?:an? )?(?:{_AUTO})?generated {_NOUN}\b"
    rf"|\bdo not (?:hand[- ])?(?:edit|modify|change)\b[\s:,-]*(?:(?:this|the) {_NOUN}|by hand|manually|directly|it\b)"
    r"|\b(?-i:DO NOT (?:EDIT|MODIFY|CHANGE))\s*(?:[^\w\s]|$|(?-i:[A-Z]))",
    re.IGNORECASE,
)


def _is_generated(text: str) -> bool:
    """Whether the comments that open the file say that a program wrote it."""
    head = text[:_BANNER_CHARACTERS]
    small = head.lower()
    if "generated" not in small and "do not " not in small:  # nearly every file; the patterns below cost far more
        return False
    return any(_BANNER.search(line) for line in _opening_comments(head))


_COMMENT = re.compile(
    r"\s*(?:#|//|/\*|\*|--|;|%|<!--|\"\"\"|'''|r\"\"\"|rem\s|'|\.\.\s|{#|{-|\(\*|dnl\s)[\s#/*!;%=~-]*", re.IGNORECASE
)
_PREAMBLE = re.compile(
    r"\s*(?:$|<\?|<!doctype|@charset|---|\+\+\+|['\"]use strict|package\s|@echo|set\s|option\s|%\w)", re.IGNORECASE
)
_BLOCKS = {"/*": "*/", "<!--": "-->", '"""': '"""', "'''": "'''", 'r"""': '"""', "{#": "#}", "{-": "-}", "(*": "*)"}


def _opening_comments(head: str) -> Iterator[str]:
    """The comment lines before the first line of code, without their comment marks.

    Only these may carry a banner: further down it may stand in a string of the program that writes such files.
    """
    closing = ""
    for line in head.split("\n", _BANNER_LINES)[:_BANNER_LINES]:
        if closing:
            yield line.lstrip(" \t*#-=")
            closing = "" if closing in line else closing
        elif mark := _COMMENT.match(line):
            yield line[mark.end() :]
            closing = _left_open(line.strip())
        elif not _PREAMBLE.match(line):
            return


def _left_open(line: str) -> str:
    """What ends the block comment that ``line`` opens and does not end itself, or ''."""
    for opening, closing in _BLOCKS.items():
        if line.startswith(opening):
            return closing if closing not in line[len(opening) :] else ""
    return ""
