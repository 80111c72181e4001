"""Sentences and other units that an answer is made of, as exact slices of their text.

A unit is a sentence, a sentence of a list item, a table row, a code block or a heading. Boundaries are never inside
inline code, addresses, numbers, versions, abbreviations or ellipses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from .abbreviations import FINAL, GERMAN_ORDINAL_BEFORE, INSIDE, MONTHS
from .blocks import ITEM, Block, BlockKind, blocks
from .markup import Markup
from .plain import plain
from .tables import readable


@dataclass(frozen=True, slots=True)
class Unit:
    """A slice of a text: ``text[start:end]``.

    kind: of the block it stands in (a sentence of an item is an item). block: number of its block in the text; several
    sentences may share one. group: as in ``Block``. opens: whether it is the first of its block. plain: as it reads
    without its markup, a row with the names of its columns, a term with a colon before its explanation. heads: whether
    it is the row that names the columns of a table.
    """

    kind: BlockKind
    start: int
    end: int
    text: str
    block: int
    group: int
    opens: bool
    indent: int = 0
    plain: str = ""
    heads: bool = False


WHOLE = 60
"""Longest definition, in words, that is one unit; of a longer one the term goes with the first sentence."""


@lru_cache(maxsize=512)
def units(text: str, language: str = "", markup: Markup = Markup.MARKDOWN) -> tuple[Unit, ...]:
    """The units of ``text`` in order. language: en, de, ru, zh, or '' for any."""
    found: list[Unit] = []
    for number, block in enumerate(blocks(text, markup)):
        for order, (start, end) in enumerate(_spans(text, block, language, markup)):
            found.append(_unit(text, block, number, order == 0, start, end, markup))
    return tuple(found)


def split_sentences(text: str, language: str = "", quotes: bool = True) -> list[tuple[int, int]]:
    """(start, end) of the sentences of a running text. quotes: whether ``>`` marks quoted lines."""
    cuts = _cuts(text, language)
    spans = ((a, b) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True))
    trimmed = (_trimmed(text, a, b, quotes) for a, b in spans)
    return [(a, b) for a, b in trimmed if a < b]


def _unit(text: str, block: Block, number: int, opens: bool, start: int, end: int, markup: Markup) -> Unit:
    piece = text[start:end]
    heads = block.head is not None and block.head[0] == block.start
    shown = _shown(text, block, start, end, markup)
    return Unit(block.kind, start, end, piece, number, block.group, opens, block.indent, shown, heads)


def _shown(text: str, block: Block, start: int, end: int, markup: Markup) -> str:
    """How a unit reads."""
    if block.kind is BlockKind.CODE:
        return text[start:end]
    if block.head is not None and block.head[0] != block.start:
        row, head = plain(text[start:end], markup), plain(text[block.head[0] : block.head[1]], markup)
        return readable(row, head) or row
    if start < block.term < end:
        term, rest = plain(text[start : block.term], markup), plain(text[block.term : end], markup)
        return f"{term} {rest}" if term.endswith((":", ".")) else f"{term}: {rest}"
    return plain(text[start:end], markup)


def _spans(text: str, block: Block, language: str, markup: Markup) -> list[tuple[int, int]]:
    start, end = block.start, block.end
    if block.kind is BlockKind.CODE:
        return [(start, end)]
    if block.kind in (BlockKind.ROW, BlockKind.HEADING):
        return [_trimmed(text, start, end, markup.quotes)]
    if block.term:
        return _defined(text, block, language, markup)
    marker = ITEM.match(text[start:end]) if block.kind is BlockKind.ITEM else None
    start += marker.end() if marker else 0
    return [(start + a, start + b) for a, b in split_sentences(text[start:end], language, markup.quotes)]


def _defined(text: str, block: Block, language: str, markup: Markup) -> list[tuple[int, int]]:
    """A term with its whole explanation when that is short, else with the first sentence, then the others."""
    if len(text[block.start : block.end].split()) <= WHOLE:
        return [(block.start, block.end)]
    rest = split_sentences(text[block.term : block.end], language, markup.quotes)
    spans = [(block.term + a, block.term + b) for a, b in rest]
    return [(block.start, spans[0][1]), *spans[1:]]


def _trimmed(text: str, start: int, end: int, quotes: bool = True) -> tuple[int, int]:
    while start < end and text[start] in (" \t\r\n>" if quotes else " \t\r\n"):
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


_PROTECTED = re.compile(
    r"(`{1,20})(?:(?!\1).|\n(?!\n)){1,2000}?\1"  # inline code
    r"|\]\([^)\n]{0,600}\)"  # a link's target
    r"|(?:https?|ftp|file)://[^\s<>\"'`)\]\u3000-\u303f\uff00-\uffef]*[^\s<>\"'`)\].,;:!?\u3000-\u303f\uff00-\uffef]"
)
_END = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u2019\u00bb\u201c)\]*_]*(?=\s|$)|[\u3002\uff01\uff1f\uff1b]+[\u201d\u2019\u300d\u300f\uff09]*"
)
_OPENER = "\"'\u201e\u201c\u00ab\u2018\u300c\u300e([*_`#<\u2014\u2013-\u2022\u00bf\u00a1$@"


_SIGHT = 60
"""Characters around a full stop that are looked at."""


def _cuts(text: str, language: str) -> list[int]:
    """Offsets where a new sentence begins, ascending."""
    protected = [(m.start(), m.end()) for m in _PROTECTED.finditer(text)]
    cuts = {
        m.end()
        for m in _END.finditer(text)
        if not any(a <= m.start() < b for a, b in protected) and _ends_sentence(text, m, language)
    }
    cuts |= {c for c in _line_cuts(text) if not any(a < c < b for a, b in protected)}
    return sorted(c for c in cuts if c < len(text))


def _ends_sentence(text: str, mark: re.Match[str], language: str) -> bool:
    """Whether the punctuation ``mark`` closes a sentence."""
    if mark[0][0] in "\u3002\uff01\uff1f\uff1b":
        return True
    following = text[mark.end() : mark.end() + _SIGHT].lstrip()
    if not following:
        return True
    if following[0].islower():
        return False
    if not (following[0].isalnum() or following[0] in _OPENER or not following[0].isascii()):
        return False
    return (
        not mark[0].startswith(".")
        or len(mark[0].rstrip("\"'\u201d\u2019\u00bb\u201c)]*_")) > 1
        or (not _is_abbreviation(text[max(0, mark.start() - _SIGHT) : mark.start()], following, language))
    )


_LAST_WORD = re.compile(r"[^\s(\[\"'\u201e\u00ab`*]+$")


def _is_abbreviation(before: str, following: str, language: str) -> bool:
    """Whether the word before a full stop is shortened: "z. B.", "e.g.", "т. е.", initials, German ordinals."""
    found = _LAST_WORD.search(before)
    if found is None:
        return False
    word = found[0].lower()
    if word.isdigit():
        return len(word) <= 2 and _is_ordinal(before[: found.start()], following, language)
    if word in FINAL or _is_final_pair(before, word):
        return not following[0].isupper()
    if word in INSIDE:
        return not (word == "no" and following[0].isupper())  # "The answer is no. It ..."
    return len(word) == 1 and word.isalpha() and found[0] not in ("I", "\u042f") and word.isascii() is not None


def _is_final_pair(before: str, word: str) -> bool:
    """The last letter of "и т. д." or "u. a.", which may close a sentence."""
    return word in ("д", "п", "a") and bool(re.search(r"(?:\bт\.\s*[дп]|\bu\.\s*a)$", before, re.IGNORECASE))


def _is_ordinal(before: str, following: str, language: str) -> bool:
    """Whether a number before a full stop counts: before the name of a month, in German behind "am", "die" and such."""
    next_word = re.match(r"\w+", following)
    if next_word and next_word[0].lower() in MONTHS:
        return True
    words = before.lower().split()
    return language == "de" and bool(words) and words[-1] in GERMAN_ORDINAL_BEFORE


def _line_cuts(text: str) -> list[int]:
    """Line breaks that end a sentence without punctuation: the next line's first word would still have fitted."""
    lines = text.split("\n")
    if len(lines) == 1:
        return []
    width = max(map(len, lines))
    cuts: list[int] = []
    offset = 0
    for line, after in pairwise(lines):
        offset += len(line) + 1
        if _stands_alone(line.strip(" \t\r>"), after.strip(" \t\r>"), width - len(line) + len(line.strip())):
            cuts.append(offset)
    return cuts


_WRAPPED = 132
"""Longest line of hard-wrapped prose, in characters; longer ones come from text with one line per paragraph."""
_SLACK = 8
"""Columns by which hand-wrapped lines stay below the width."""


def _stands_alone(line: str, after: str, width: int) -> bool:
    if not line or not after:
        return False
    if line.endswith((":", "\uff1a")):
        return True
    if after[0].islower() or after[0] in ",;.)" or line[-1] in ",(-\u2013/\uff0c\u3001":
        return False
    if width > _WRAPPED:
        return True
    return len(line) + 1 + len(_first_word(after)) + _SLACK <= width


def _first_word(line: str) -> str:
    return line[:1] if line[:1] > "\u2e80" else line.split(maxsplit=1)[0]
