"""Retrieved chunks opened for answering: units with their terms, lists with their lead-in lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...state.documents import StoredChunk
from ..passages.words import says_nothing, words
from ..text import raw_words
from .blocks import BlockKind
from .markup import markup_of
from .sentences import Unit, units

Terms = frozenset[str]
REACH = 12
"""Statements within which a lead-in line is looked for."""
LINES = 6
"""Most lines of a paragraph that a lead-in line introduces; lists may be longer."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A unit with its words.

    terms: all of them, of a row those of the head too. content: those that say something, of a row its own. asks: it
    is a question itself.
    """

    unit: Unit
    text: str
    terms: Terms
    content: Terms
    asks: bool

    @property
    def leads(self) -> bool:
        """Whether it introduces what follows: "Good criteria are:"."""
        return self.text.endswith((":", "：")) and self.unit.kind is not BlockKind.CODE

    @property
    def length(self) -> int:
        """Words; in Chinese, half the characters."""
        return length_of(self.text)


@dataclass(frozen=True, slots=True)
class Passage:
    """An opened chunk. prior: its retrieval score beside the best one's, 0 to 1. heading: terms of heading and name."""

    chunk: StoredChunk
    statements: Sequence[Statement]
    prior: float
    heading: Terms

    def lead_in(self, index: int) -> int | None:
        """The statement that introduces ``index``: the line before its list, or the one that ended with a colon."""
        for i in range(index - 1, max(-1, index - 1 - REACH), -1):
            if self.statements[i].leads:
                return i if index in self.led_by(i) else None
        return None

    def title_above(self, index: int) -> Statement | None:
        """The heading within the chunk that ``index`` stands below; None for the chunk's own."""
        above = reversed(self.statements[:index])
        return next((s for s in above if s.unit.kind is BlockKind.HEADING), None)

    def led_by(self, index: int) -> list[int]:
        """What the statement ``index`` introduces: the items of the list below it, or the lines of its own block."""
        found: list[int] = []
        for i in range(index + 1, len(self.statements)):
            if self.statements[i].leads or self.statements[i].asks or not self._same_list(index + 1, i):
                break
            if self.statements[i].unit.kind is BlockKind.PARAGRAPH and len(found) == LINES:
                break
            if self.statements[i].unit.kind is not BlockKind.CODE:
                found.append(i)
        return found

    def _same_list(self, a: int, b: int) -> bool:
        """Whether two statements stand in one list, or on lines of one paragraph."""
        if a >= len(self.statements):
            return False
        first, second = self.statements[a].unit, self.statements[b].unit
        if first.kind is BlockKind.ITEM and second.kind is BlockKind.ITEM:
            return first.group == second.group
        if BlockKind.CODE in (first.kind, second.kind):
            return first.group == second.group
        return first.block == second.block


def open_passages(chunks: Sequence[StoredChunk], scores: Mapping[str, float]) -> list[Passage]:
    """The chunks, best first, ties by key, opened. Chunks of equal text are opened once."""
    ranked = sorted(chunks, key=lambda c: (-scores.get(c.key, 0.0), c.key))
    distinct = list({c.text: c for c in reversed(ranked)}.values())[::-1]
    top = max((scores.get(c.key, 0.0) for c in distinct), default=0.0)
    return [_open(c, _prior(scores.get(c.key, 0.0), top, rank)) for rank, c in enumerate(distinct)]


def content_of(text: str, language: str) -> Terms:
    """The terms of words that say something."""
    return frozenset(t for raw in raw_words(text) if not says_nothing(raw) for t in words(raw, language))


def length_of(text: str) -> int:
    """Length in words; two Chinese characters count as one."""
    wide = sum(1 for c in text if "\u3400" <= c <= "\u9fff")
    return len(text.split()) + wide // 2


def _open(chunk: StoredChunk, prior: float) -> Passage:
    name = chunk.document.rsplit("/", 1)[-1].rsplit(".", 1)[0].replace("-", " ")
    return Passage(
        chunk=chunk,
        statements=[_statement(unit, chunk.language) for unit in _units(chunk)],
        prior=prior,
        heading=frozenset(words(" ".join((*chunk.heading, name)), chunk.language)),
    )


def _units(chunk: StoredChunk) -> Sequence[Unit]:
    if chunk.kind != "code":
        return units(chunk.text, chunk.language, markup_of(chunk.document))
    return [Unit(BlockKind.CODE, 0, len(chunk.text), chunk.text, 0, 0, True, plain=chunk.text)]


def _statement(unit: Unit, language: str) -> Statement:
    text = unit.plain
    asks = text.rstrip("*_ \"'”»").endswith(("?", "？")) and unit.kind is not BlockKind.CODE
    content = content_of(unit.text if unit.kind is BlockKind.ROW else text, language)
    return Statement(unit, text, frozenset(words(text, language)), content, asks)


def _prior(score: float, top: float, rank: int) -> float:
    share = score / top if top > 0 else 0.0
    return (max(0.0, share) + 1 / (1 + 0.5 * rank)) / 2
