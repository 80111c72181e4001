"""Cue patterns: a small language of regular expressions whose running time is bounded before they run.

Allowed: literals, ``.``, ``[...]``, ``(?:...)``, ``|``, ``? * + {m,n}``, ``^ $ \\b \\B``, ``\\w \\d \\s`` and their
opposites, look-ahead ``(?=...) (?!...)``. Not allowed: back-references, look-behind, flags, lazy or possessive
quantifiers, and whatever could take more than ``MOST_STEPS`` ways through a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .errors import InvalidGenome

SEEN = 600
"""Characters of a question that cues see; an unbounded quantifier counts as this many ways."""

MOST_STEPS = 12_000_000
"""Most ways through a question, over all places where a match may begin: under a second at the worst."""

_LONGEST = 1_200
_DEEPEST = 6
_ZERO_WIDTH = ""  # the first character of what takes none
_UPPER = re.compile(r"(?<!\\)[A-ZА-ЯЁ]")
_QUANTIFIER = re.compile(r"[?*+]|\{(\d{1,4})(,?)(\d{0,4})\}")


@lru_cache(maxsize=2_000)
def compiled_cue(pattern: str) -> re.Pattern[str]:
    """The cue, ready to search: upper and lower case alike, unless it holds an upper-case letter itself.

    Raises:
        InvalidGenome: not a regular expression, outside the small language, or its time is not bounded.
    """
    if not pattern or len(pattern) > _LONGEST:
        raise InvalidGenome(f"a cue has 1 to {_LONGEST:,} characters, this one {len(pattern):,}; split it")
    try:
        compiled = re.compile(pattern, 0 if _UPPER.search(pattern) else re.IGNORECASE)
    except re.error as error:
        raise InvalidGenome(f"cue '{pattern[:80]}' is not a regular expression: {error}") from error
    if _steps(pattern) > MOST_STEPS:
        raise InvalidGenome(
            f"cue '{pattern[:80]}' may try more than {MOST_STEPS:,} ways; bound its quantifiers ('\\w{{0,9}}' for "
            "'\\w*'), begin it with '^', or split it"
        )
    if compiled.match(""):
        raise InvalidGenome(f"cue '{pattern[:80]}' matches the empty text, so it would speak for every question")
    return compiled


def _steps(pattern: str) -> int:
    reader = _Reader(pattern)
    whole = reader.whole()
    starts = 1 if pattern.startswith("^") and reader.branches == 1 else SEEN
    return whole.paths * starts


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a pattern.

    paths: how many ways to match it at one place, capped. first: its first character in lower case when it is a fixed
    one, None when several are possible, '' when it takes none.
    """

    paths: int
    first: str | None


class _Reader:
    """Reads a pattern that ``re`` has accepted and counts its ways."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at, self.depth = pattern, 0, 0
        self.branches = 1  # of the outermost alternation

    def whole(self) -> _Piece:
        piece = self._alternatives()
        if self.at < len(self.pattern):
            raise self._refused(self.pattern[self.at])
        return piece

    def _alternatives(self) -> _Piece:
        branches = [self._sequence()]
        while self._next("|"):
            branches.append(self._sequence())
        if self.depth == 0:
            self.branches = len(branches)
        return branches[0] if len(branches) == 1 else _Piece(_ways_of(branches), None)

    def _sequence(self) -> _Piece:
        paths, first = 1, _ZERO_WIDTH
        known: str | None = first
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            piece = self._quantified()
            paths = _capped(paths * piece.paths)
            known = piece.first if known == _ZERO_WIDTH else known
        return _Piece(paths, known)

    def _quantified(self) -> _Piece:
        piece = self._item()
        found = _QUANTIFIER.match(self.pattern, self.at)
        if not found:
            return piece
        self.at = found.end()
        if self.pattern[self.at : self.at + 1] in ("?", "+", "*"):
            raise self._refused(self.pattern[found.start() : self.at + 1])
        low, high = _bounds(found)
        first = None if low == 0 else piece.first
        return _Piece(_repeated(piece.paths, low, high), first)

    def _item(self) -> _Piece:
        char = self.pattern[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            return self._class()
        self.at += 1
        if char == "\\":
            return self._escape()
        if char in "^$":
            return _Piece(1, _ZERO_WIDTH)
        return _Piece(1, None if char == "." else char.lower())

    def _group(self) -> _Piece:
        opening = next((o for o in ("(?:", "(?=", "(?!") if self.pattern.startswith(o, self.at)), "")
        if not opening:
            raise self._refused(self.pattern[self.at : self.at + 3])
        self.at += len(opening)
        self.depth += 1
        if self.depth > _DEEPEST:
            raise InvalidGenome(f"cue '{self.pattern[:80]}' nests more than {_DEEPEST} groups; split it")
        piece = self._alternatives()
        self.depth -= 1
        self.at += 1  # the closing parenthesis: re has seen that it is there
        return piece if opening == "(?:" else _Piece(piece.paths, _ZERO_WIDTH)

    def _class(self) -> _Piece:
        self.at += 2 if self.pattern.startswith("[^", self.at) else 1
        self.at += self.pattern.startswith("]", self.at)
        while self.pattern[self.at] != "]":
            self.at += 2 if self.pattern[self.at] == "\\" else 1
        self.at += 1
        return _Piece(1, None)

    def _escape(self) -> _Piece:
        char = self.pattern[self.at]
        self.at += 1
        if char in "bB":
            return _Piece(1, _ZERO_WIDTH)
        if char in "wWdDsS":
            return _Piece(1, None)
        if char.isalnum():
            raise self._refused("\\" + char)
        return _Piece(1, char)

    def _next(self, char: str) -> bool:
        found = self.pattern.startswith(char, self.at)
        self.at += found
        return found

    def _refused(self, what: str) -> InvalidGenome:
        return InvalidGenome(f"cue '{self.pattern[:80]}' uses '{what}'; groups are '(?:...)', see docs/domains.md")


def _ways_of(branches: list[_Piece]) -> int:
    """Ways of an alternation: branches that begin with different characters exclude each other."""
    anywhere = sum(b.paths for b in branches if not b.first)
    by_first: dict[str, int] = {}
    for branch in branches:
        if branch.first:
            by_first[branch.first] = by_first.get(branch.first, 0) + branch.paths
    return _capped(anywhere + max(by_first.values(), default=0))


def _bounds(found: re.Match[str]) -> tuple[int, int]:
    match found.group(0):
        case "?":
            return 0, 1
        case "*":
            return 0, SEEN
        case "+":
            return 1, SEEN
    low = int(found.group(1))
    if not found.group(2):
        return low, low
    return low, int(found.group(3)) if found.group(3) else SEEN


def _repeated(paths: int, low: int, high: int) -> int:
    """Ways of low to high repetitions of something that has ``paths`` ways."""
    if paths == 1:
        return high - low + 1
    total, ways = 0, 1
    for count in range(high + 1):
        total += ways if count >= low else 0
        ways = _capped(ways * paths)
        if total > MOST_STEPS or (ways > MOST_STEPS and count < high):
            return MOST_STEPS + 1
    return total


def _capped(paths: int) -> int:
    return min(paths, MOST_STEPS + 1)
