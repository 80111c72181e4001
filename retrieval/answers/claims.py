"""The claims of an answer: its sentences with the numbers of the sources that each refers to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .blocks import BlockKind
from .plain import plain
from .sentences import Unit, units

MARK = re.compile(r"(?<=[\s.!?:;,)\]\"'”»。！？，；：）`*|])[ \t]*[\[【［](\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*)[\]】］](?:\([^)\s]*\))?|^[ \t]*\[(\d{1,4})\]", re.MULTILINE)
"""A reference to a source: [2], [1, 3], [2-4], also dressed as a link."""
_ODD_MARK = re.compile(r"[\[【［](?:(?:doc(?:ument)?|source|src|ref|chunk|quelle|источник|来源|文档)[\s_#:.-]*\w*|\^\w+|\?+)[\]】］]", re.IGNORECASE)
_CODE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)


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
    ends = [at for at, _ in marks if bare[at : at + 1] == "\n"]
    found = [p for u in units(bare, language) for p in _pieces(u, ends) if any(c.isalnum() for c in p.text)]
    own = [_own(found, i, marks, len(bare)) for i in range(len(found))]
    return [Claim(p.text, tuple(own[i] or _shared(bare, found, own, i)), p.code) for i, p in enumerate(found)]


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str
    code: bool


def _pieces(unit: Unit, ends: Sequence[int]) -> list[_Piece]:
    """A unit, cut where a mark closed a line."""
    if unit.kind is BlockKind.CODE:
        return [_Piece(unit.start, unit.end, unit.text, True)]
    cuts = [unit.start, *(at for at in ends if unit.start < at < unit.end), unit.end]
    spans = zip(cuts, cuts[1:], strict=False)
    return [_Piece(a, b, plain(unit.text[a - unit.start : b - unit.start]), False) for a, b in spans]


def references(answer: str) -> list[int]:
    """The numbers that an answer text refers to, in order, without repeats."""
    return list(dict.fromkeys(n for _, some in _taken_off(answer)[1] for n in some))


def odd_references(answer: str) -> list[str]:
    """What looks like a reference and names no numbered source: "[doc-99]"."""
    masked = _CODE.sub(lambda m: " " * len(m[0]), answer)
    return list(dict.fromkeys(m[0] for m in _ODD_MARK.finditer(masked)))


def _taken_off(answer: str) -> tuple[str, list[tuple[int, list[int]]]]:
    """The text without marks, and (offset in it, numbers) of each mark."""
    masked = _CODE.sub(lambda m: re.sub(r"[\[【［]", "\x00", m[0]), answer)
    pieces: list[str] = []
    marks: list[tuple[int, list[int]]] = []
    at = length = 0
    for mark in MARK.finditer(masked):
        pieces.append(answer[at : mark.start()])
        length += mark.start() - at
        marks.append((length, _numbers(mark[1] or mark[2])))
        at = mark.end()
    pieces.append(answer[at:])
    return "".join(pieces), marks


def _numbers(inside: str) -> list[int]:
    found: list[int] = []
    for piece in re.split(r"[,;]", inside):
        ends = [int(n) for n in re.findall(r"\d+", piece)]
        found.extend(range(ends[0], ends[-1] + 1) if len(ends) == 2 and ends[1] - ends[0] < 20 else ends)
    return found


def _own(found: Sequence[_Piece], i: int, marks: Sequence[tuple[int, list[int]]], end: int) -> list[int]:
    """The numbers of the marks inside a unit or right behind it."""
    until = found[i + 1].start if i + 1 < len(found) else end + 1
    return list(dict.fromkeys(n for at, some in marks if found[i].start < at <= until for n in some))


def _shared(bare: str, found: Sequence[_Piece], own: Sequence[list[int]], i: int) -> list[int]:
    """The numbers of the next marked unit of the paragraph; for code, of the one before it."""
    if found[i].code:
        return next((own[k] for k in range(i - 1, -1, -1) if own[k]), [])
    for k in range(i + 1, len(found)):
        if "\n\n" in bare[found[k - 1].end : found[k].start]:
            return []
        if own[k]:
            return own[k]
    return []
