"""The claims of an answer: its sentences with the numbers of the sources that each refers to."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .blocks import BlockKind
from .plain import plain
from .sentences import Unit, units

_INSIDE = r"\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*"
MARK = re.compile(
    rf"(?:(?:[ \t]+|(?<!\w))[\[【［]({_INSIDE})[\]】］]|(?<=\w)[\[【［]((?!0){_INSIDE})[\]】］])(?:\([^)\s]*\))?"
)
"""A reference to a source: [2], [1, 3], [2-4], also dressed as a link."""
_ODD_MARK = re.compile(
    r"[\[【［](?:(?:doc(?:ument)?|source|src|ref|chunk|quelle|источник|来源|文档)[\s_#:.-]*\d[\w.-]*|\^\w+|\?+)[\]】］]",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL
)


_CLOSING = tuple(".!?:\u2026\u3002\uff01\uff1f\uff1a")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer without its marks. numbers: sources it refers to; [] when it names none."""

    text: str
    numbers: tuple[int, ...]
    code: bool = False


def claims(answer: str, language: str = "") -> list[Claim]:
    """The claims of an answer text in order.

    A sentence without a mark shares those of the next marked sentence of its paragraph or list.
    """
    bare, marks = _taken_off(answer)
    found = _pieces(bare, marks, language)
    own = [_own(found, i, marks, len(bare)) for i in range(len(found))]
    return [Claim(p.text, tuple(own[i] or _shared(bare, found, own, i)), p.code) for i, p in enumerate(found)]


def without(answer: str, language: str, drop: Collection[int]) -> str:
    """The answer text without the claims at these places (as ``claims`` counts them) and without their marks."""
    bare, marks = _taken_off(answer)
    found = _pieces(bare, marks, language)
    text = answer
    for i in sorted(drop, reverse=True):
        after = found[i + 1].start if i + 1 < len(found) else len(bare)
        behind = [m for m in marks if found[i].end <= m.at <= after]
        end = behind[-1].end if behind else _original(found[i].end, marks)
        text = text[: _original(found[i].start, marks)] + text[end:]
    return _tidy(text) if drop else text


def references(answer: str) -> list[int]:
    """The numbers that an answer text refers to, in order, without repeats."""
    return list(dict.fromkeys(n for mark in _taken_off(answer)[1] for n in mark.numbers))


def odd_references(answer: str) -> list[str]:
    """What looks like a reference and names no numbered source: "[doc-99]"."""
    masked = _CODE.sub(lambda m: " " * len(m[0]), answer)
    return list(dict.fromkeys(m[0] for m in _ODD_MARK.finditer(masked)))


def rewrite_marks(answer: str, rewrite: Callable[[list[int]], str]) -> str:
    """The answer text with each mark outside code replaced by what ``rewrite`` makes of its numbers."""
    text = answer
    for mark in reversed(_taken_off(answer)[1]):
        text = text[: mark.start] + rewrite(mark.numbers) + text[mark.end :]
    return text


_EMPTY_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]*$\n?", re.MULTILINE)


def _tidy(text: str) -> str:
    text = _EMPTY_ITEM.sub("", text)
    text = re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", " ", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark. at: offset in the bare text. start, end: in the answer."""

    at: int
    numbers: list[int]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str
    code: bool


def _pieces(bare: str, marks: Sequence[_Mark], language: str) -> list[_Piece]:
    """The units of the bare text, cut where a mark closed a sentence or a line."""
    ends = [m.at for m in marks if bare[m.at : m.at + 1] == "\n" or bare[: m.at].endswith(_CLOSING)]
    found = [p for unit in units(bare, language) for p in _cut(unit, ends)]
    return [p for p in found if any(c.isalnum() for c in p.text)]


def _cut(unit: Unit, ends: Sequence[int]) -> list[_Piece]:
    if unit.kind is BlockKind.CODE:
        return [_Piece(unit.start, unit.end, unit.text, True)]
    cuts = [unit.start, *(at for at in ends if unit.start < at < unit.end), unit.end]
    return [_Piece(a, b, plain(unit.text[a - unit.start : b - unit.start]), False) for a, b in pairwise(cuts)]


def _taken_off(answer: str) -> tuple[str, list[_Mark]]:
    """The text without its marks, and the marks; nothing in code is a mark."""
    masked = _CODE.sub(lambda m: re.sub(r"[\[【［]", "\x00", m[0]), answer)
    pieces: list[str] = []
    marks: list[_Mark] = []
    at = length = 0
    for found in MARK.finditer(masked):
        pieces.append(answer[at : found.start()])
        length += found.start() - at
        marks.append(_Mark(length, numbers_in(found[1] or found[2]), found.start(), found.end()))
        at = found.end()
    pieces.append(answer[at:])
    return "".join(pieces), marks


def _original(at: int, marks: Sequence[_Mark]) -> int:
    """The place in the answer of an offset in the bare text, behind marks that stand before it."""
    return at + sum(m.end - m.start for m in marks if m.at < at)


def numbers_in(inside: str) -> list[int]:
    """The numbers of a mark: "1, 3" and "2-4"."""
    found: list[int] = []
    for piece in re.split(r"[,;]", inside):
        ends = [int(n) for n in re.findall(r"\d+", piece)]
        found.extend(range(ends[0], ends[-1] + 1) if len(ends) == 2 and ends[1] - ends[0] < 20 else ends)
    return found


def _own(found: Sequence[_Piece], i: int, marks: Sequence[_Mark], end: int) -> list[int]:
    """The numbers of the marks inside a unit or right behind it."""
    until = found[i + 1].start if i + 1 < len(found) else end + 1
    return list(dict.fromkeys(n for m in marks if found[i].start < m.at <= until for n in m.numbers))


def _shared(bare: str, found: Sequence[_Piece], own: Sequence[list[int]], i: int) -> list[int]:
    """The numbers of the next marked unit of the paragraph; for code, first of the one before it."""
    if found[i].code:
        for k in range(i - 1, -1, -1):
            if "\n\n" in bare[found[k].end : found[k + 1].start]:
                break
            if own[k]:
                return own[k]
    for k in range(i + 1, len(found)):
        if "\n\n" in bare[found[k - 1].end : found[k].start]:
            return []
        if own[k]:
            return own[k]
    return []
