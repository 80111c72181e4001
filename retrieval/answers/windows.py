"""A chunk opened for checking what is said of it: its sentences, and the few of them that hold most of a statement."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ...state.documents import StoredChunk
from ..passages.words import says_nothing, words
from ..text import raw_words
from .blocks import BlockKind
from .facts import numbers
from .markup import markup_of
from .plain import plain
from .quotes import squeezed
from .sentences import split_sentences, units

NEAR = 3
"""Distance within which two words of a source sentence are a pair."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a source. sequence: its terms that say something, in order."""

    text: str
    sequence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A chunk opened for checking.

    texts: of its sentences, also as they read when stars and bars in them are taken for Markdown, as in an answer.
    whole: its text and heading on one line.
    """

    chunk: StoredChunk
    sentences: tuple[Sentence, ...]
    texts: frozenset[str]
    whole: str
    heading: frozenset[str]

    @classmethod
    def of(cls, chunk: StoredChunk) -> Source:
        """The chunk, opened."""
        heading = " ".join(chunk.heading)
        opened = units(chunk.text, chunk.language, markup_of(chunk.document))
        found = [u.plain for u in opened]
        return cls(
            chunk,
            tuple(Sentence(t, sequence_of(t, chunk.language)) for t in found),
            frozenset(t for u in opened if u.kind is not BlockKind.CODE for t in _readings(u.plain, chunk.language)),
            squeezed(f"{heading} {chunk.text} {plain(chunk.text)}"),
            frozenset(words(heading, chunk.language)),
        )


@dataclass(frozen=True, slots=True)
class Window:
    """One to three neighbouring sentences of a source."""

    source: Source
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """Its sentences, joined."""
        return " ".join(s.text for s in self.sentences)

    @property
    def terms(self) -> frozenset[str]:
        """Its terms and those of the heading above it."""
        return frozenset(t for s in self.sentences for t in s.sequence) | self.source.heading


def sequence_of(text: str, language: str) -> tuple[str, ...]:
    """The terms of the words of ``text`` that say something, in order."""
    return tuple(t for raw in raw_words(text) if not says_nothing(raw) for t in words(raw, language))


def _readings(text: str, language: str) -> set[str]:
    """A unit as it stands, its sentences when it has several, and both as Markdown."""
    pieces = {text, *(text[a:b] for a, b in split_sentences(text, language))}
    return pieces | {plain(piece) for piece in pieces}


def _windows(source: Source) -> list[Window]:
    n = len(source.sentences)
    return [Window(source, source.sentences[i : i + k]) for k in (1, 2, 3) for i in range(n - k + 1)]


def best_window(text: str, sequence: tuple[str, ...], source: Source) -> tuple[Window, float, float]:
    """The window that holds most of a sentence, the mean share of words and pairs, and the share of words."""
    best = (Window(source, ()), 0.0, 0.0)
    wanted = numbers(text)
    for window in _windows(source):
        terms = window.terms
        share = sum(t in terms for t in sequence) / len(sequence)
        score = (share + _pairs(sequence, window)) / 2
        rank = score - 0.2 * len(wanted - numbers(window.text)) - 0.01 * len(window.sentences)
        if rank > best[1] - 0.2 * len(wanted - numbers(best[0].text)) - 0.01 * len(best[0].sentences):
            best = (window, score, share)
    return best


def _pairs(sequence: tuple[str, ...], window: Window) -> float:
    """Share of the neighbouring words of a sentence that stand near each other, in that order, in the source."""
    wanted = list(pairwise(sequence))
    if not wanted:
        return 1.0 if sequence[0] in window.terms else 0.0
    held = {
        (a, b) for s in window.sentences for i, a in enumerate(s.sequence) for b in s.sequence[i + 1 : i + 1 + NEAR]
    }
    return sum(pair in held for pair in wanted) / len(wanted)
