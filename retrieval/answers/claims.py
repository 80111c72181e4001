"""The claims of an answer: its sentences with the numbers of the sources that each refers to."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from .blocks import BlockKind
from .plain import plain
from .sentences import Unit, units

# A model writes what is read here: every repetition has a bound, so that no text costs more than its length.
_INSIDE = r"\d{1,4}(?:\s{0,4}[,;–-]\s{0,4}\d{1,4}){0,40}"
MARK = re.compile(
    rf"(?:(?:[ \t]{{1,40}}|(?<!\w))[\[【［]({_INSIDE})[\]】］]|(?<=\w)[\[【［]((?!0){_INSIDE})[\]】］])"
    r"(?:\([^)\s]{0,400}\))?"
)
"""A reference to a source: [2], [1, 3], [2-4], also dressed as a link."""
_ODD_MARK = re.compile(
    r"[\[【［](?:(?:doc(?:ument)?|source|src|ref|chunk|quelle|источник|来源|文档)[\s_#:.-]{0,20}\d[\w.-]{0,80}"
    r"|\^\w{1,80}|\?{1,20})[\]】］]",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^[ \t]{0,80}(`{3,80}|~{3,80}).*?(?:^[ \t]{0,80}\1[`~]{0,80}[ \t]{0,80}$|\Z)"  # ends with the text at the latest
    r"|(?<!`)(`{1,8})(?!`).{1,2000}?(?<!`)\2(?!`)",
    re.MULTILINE | re.DOTALL,
)


_CLOSING = frozenset(".!?:\u2026\u3002\uff01\uff1f\uff1a")


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
    read = _Read.of(answer, language)
    numbers = (read.own[g] if g is not None else () for g in read.givers)
    return [Claim(p.text, n, p.code) for p, n in zip(read.pieces, numbers, strict=True)]


def without(answer: str, language: str, drop: Collection[int]) -> str:
    """The answer text without the claims at these places (as ``claims`` counts them).

    Their marks go too, unless sentences that stay share them: then they move to the last of those.
    """
    if not drop:
        return answer
    read, dropped = _Read.of(answer, language), frozenset(drop)
    edits = [(*read.span(i), _GAP) for i in dropped]
    edits += [(at, at, marks) for at, marks in _moved(read, dropped)]
    pieces: list[str] = []
    done = 0
    for start, end, text in sorted(edits):
        pieces += (answer[done:start], text)
        done = end
    return _tidy("".join((*pieces, answer[done:])))


def references(answer: str) -> list[int]:
    """The numbers that an answer text refers to, in order, without repeats."""
    return list(dict.fromkeys(n for mark in _taken_off(answer)[1] for n in mark.numbers))


def odd_references(answer: str) -> list[str]:
    """What looks like a reference and names no numbered source: "[doc-99]"."""
    return list(dict.fromkeys(m[0] for m in _odd_marks(answer)))


def without_odd_references(answer: str) -> str:
    """The answer text without what ``odd_references`` finds."""
    ends = [0, *(at for m in _odd_marks(answer) for at in m.span()), len(answer)]
    return "".join(answer[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))


def rewrite_marks(answer: str, rewrite: Callable[[list[int]], str]) -> str:
    """The answer text with each mark outside code replaced by what ``rewrite`` makes of its numbers.

    Marks that touch each other, as in "[1][2]", are one.
    """
    pieces: list[str] = []
    done = 0
    for run in _touching(_taken_off(answer)[1]):
        numbers = list(dict.fromkeys(n for mark in run for n in mark.numbers))
        pieces += (answer[done : run[0].start], rewrite(numbers))
        done = run[-1].end
    return "".join((*pieces, answer[done:]))


_GAP = "\x00"
"""Stands where something was taken out or put in while the text around it is tidied; see ``read_draft``."""
_ITEM = re.compile(r"(?:[-*+•]|\d{1,9}[.)])?")


def _moved(read: _Read, dropped: frozenset[int]) -> Iterator[tuple[int, str]]:
    """(offset in the answer, text) of the marks of dropped claims that others share."""
    left: dict[int, list[int]] = {}
    for i, giver in enumerate(read.givers):
        if giver in dropped and i not in dropped:
            left.setdefault(giver, []).append(i)
    for giver, sharing in left.items():
        marks = "".join(f"[{n}]" for n in read.own[giver])
        for i in [*[i for i in sharing if i < giver][-1:], *(i for i in sharing if i > giver)]:
            yield read.original(read.pieces[i].end), f"\n{marks}" if read.pieces[i].code else f" {marks} {_GAP}"


def _tidy(text: str) -> str:
    """The text without its gaps: no doubled blanks, no line and no list item that held nothing else."""
    lines = [_closed(line) for line in text.split("\n") if not _is_emptied(line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _is_emptied(line: str) -> bool:
    return _GAP in line and _ITEM.fullmatch(line.replace(_GAP, " ").strip()) is not None


def _closed(line: str) -> str:
    first, *rest = line.split(_GAP)
    if not rest:
        return line
    pieces = [first]
    for piece in rest:
        blank = pieces[-1][-1:].isspace()
        pieces += [shown] if (shown := piece.lstrip(" \t") if blank else piece) else []
    return "".join(pieces).rstrip()


def _odd_marks(answer: str) -> Iterator[re.Match[str]]:
    return _ODD_MARK.finditer(_CODE.sub(lambda m: " " * len(m[0]), answer))


@dataclass(frozen=True, slots=True)
class _Mark:
    """A mark. at: offset in the bare text. start, end: in the answer."""

    at: int
    numbers: list[int]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A claim's place in the bare text: ``bare[start:end]``."""

    start: int
    end: int
    text: str
    code: bool


@dataclass(frozen=True, slots=True)
class _Read:
    """An answer taken apart.

    bare: it without its marks. ats: offsets of the marks in it. widths: characters of the first n marks together. own:
    for each piece the numbers of the marks in it or right behind it. givers: for each piece the place of the one whose
    numbers it refers to, itself or another; None when it refers to nothing.
    """

    bare: str
    marks: Sequence[_Mark]
    ats: Sequence[int]
    widths: Sequence[int]
    pieces: Sequence[_Piece]
    own: Sequence[tuple[int, ...]]
    givers: Sequence[int | None]

    @classmethod
    def of(cls, answer: str, language: str) -> _Read:
        """The answer, taken apart."""
        bare, marks = _taken_off(answer)
        ats = [m.at for m in marks]
        widths = list(accumulate((m.end - m.start for m in marks), initial=0))
        pieces = _pieces(bare, ats, language)
        own = _own(pieces, marks, ats)
        return cls(bare, marks, ats, widths, pieces, own, _givers(bare, pieces, own))

    def original(self, at: int) -> int:
        """The place in the answer of an offset in the bare text, before the marks that stand there."""
        return at + self.widths[bisect_left(self.ats, at)]

    def span(self, i: int) -> tuple[int, int]:
        """(start, end) in the answer of a piece and the marks behind it, without those of the piece before."""
        start = self.pieces[i].start + self.widths[bisect_right(self.ats, self.pieces[i].start)]
        until = self.pieces[i + 1].start if i + 1 < len(self.pieces) else len(self.bare)
        last = bisect_right(self.ats, until) - 1
        behind = last >= 0 and self.ats[last] >= self.pieces[i].end
        return start, self.marks[last].end if behind else self.original(self.pieces[i].end)


def _pieces(bare: str, ats: Sequence[int], language: str) -> list[_Piece]:
    """The units of the bare text, cut where a mark closed a sentence or a line."""
    ends = [at for at in ats if bare[at : at + 1] == "\n" or bare[max(0, at - 1) : at] in _CLOSING]
    found = [p for unit in units(bare, language) for p in _cut(unit, ends)]
    return [p for p in found if any(c.isalnum() for c in p.text)]


def _cut(unit: Unit, ends: Sequence[int]) -> list[_Piece]:
    if unit.kind is BlockKind.CODE:
        return [_Piece(unit.start, unit.end, unit.text, True)]
    inside = ends[bisect_right(ends, unit.start) : bisect_left(ends, unit.end)]
    cuts = [unit.start, *inside, unit.end]
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


def _touching(marks: Sequence[_Mark]) -> list[list[_Mark]]:
    """The marks, those between which nothing stands together."""
    return [list(run) for _, run in groupby(marks, key=lambda m: m.at)]


def numbers_in(inside: str) -> list[int]:
    """The numbers of a mark: "1, 3" and "2-4"."""
    found: list[int] = []
    for piece in re.split(r"[,;]", inside):
        ends = [int(n) for n in re.findall(r"\d{1,4}", piece)]
        found.extend(range(ends[0], ends[-1] + 1) if len(ends) == 2 and ends[1] - ends[0] < 20 else ends)
    return found


def _own(pieces: Sequence[_Piece], marks: Sequence[_Mark], ats: Sequence[int]) -> list[tuple[int, ...]]:
    """For each piece the numbers of the marks inside it or right behind it."""
    begins = [bisect_right(ats, p.start) for p in pieces]
    return [tuple(dict.fromkeys(n for m in marks[a:b] for n in m.numbers)) for a, b in pairwise([*begins, len(marks)])]


def _givers(bare: str, pieces: Sequence[_Piece], own: Sequence[tuple[int, ...]]) -> list[int | None]:
    """Whose numbers each piece refers to: the next marked one's of its paragraph; code, first the one's before it."""
    apart = ["\n\n" in bare[a.end : b.start] for a, b in pairwise(pieces)]
    before: list[int | None] = []
    for i in range(len(pieces)):
        before.append(i if own[i] else before[-1] if i and not apart[i - 1] else None)
    behind: list[int | None] = []
    for i in reversed(range(len(pieces))):
        behind.append(i if own[i] else behind[-1] if behind and not apart[i] else None)
    behind.reverse()
    return [b if p.code and b is not None else n for p, b, n in zip(pieces, before, behind, strict=True)]
