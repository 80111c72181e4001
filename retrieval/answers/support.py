"""Support of an answer's sentences by the chunks they refer to, without a model.

Containment of stemmed words and pairs of words in the best one to three sentences of a cited chunk; numbers,
versions and identifiers must be there exactly, negations and opposites must agree, nobody may change places with
anybody, and a copied sentence may not have a word exchanged. What cannot be checked counts as unsupported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from ...state.answer import Answer, SentenceSupport
from ...state.documents import StoredChunk
from ..passages.words import says_nothing, words
from ..text import raw_words
from .claims import Claim, claims, odd_references
from .facts import holds_name, identifiers, numbers
from .passages import content_of
from .plain import plain
from .polarity import clauses, negated, negations, opposite, without_negations
from .quotes import squeezed
from .sentences import units

LEAST_WORDS = 0.65
"""Least share of a sentence's words that its source must hold."""
LEAST = 0.5
"""Least mean of the shares of words and of pairs of words."""
COPIED = 0.75
"""Similarity to a source sentence from which a sentence counts as its copy."""
STRANGE_RUN = 3
"""Words in a row, none of them in the source, that make an added statement."""
NEAR = 3
"""Distance within which two words of a source sentence are a pair."""


def support(answer: Answer, chunks: Sequence[StoredChunk], question: str = "") -> list[SentenceSupport]:
    """Support of each sentence of ``answer`` by the chunks behind its sources.

    chunks: the retrieved chunks. question: when given, a sentence that only repeats it is not supported.
    """
    named = {s.chunk for s in answer.sources}
    by_key = {c.key: _Source.of(c) for c in chunks if c.key in named}
    cited = {s.number: by_key[s.chunk] for s in answer.sources if s.chunk in by_key}
    asked = content_of(question, answer.language)
    return [_of(claim, cited, asked, answer.language) for claim in claims(answer.answer, answer.language)]


def support_share(supports: Sequence[SentenceSupport]) -> float | None:
    """Share of the sentences that are supported; None without a sentence."""
    if not supports:
        return None
    return sum(1 for s in supports if not s.problem) / len(supports)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    sequence: tuple[str, ...]  # terms of words that say something, in order


@dataclass(frozen=True, slots=True)
class _Source:
    """A chunk opened for checking. texts: of its sentences. whole: its text and heading on one line."""

    chunk: StoredChunk
    sentences: tuple[_Sentence, ...]
    texts: frozenset[str]
    whole: str
    heading: frozenset[str]

    @classmethod
    def of(cls, chunk: StoredChunk) -> _Source:
        heading = " ".join(chunk.heading)
        found = [u.plain for u in units(chunk.text, chunk.language)]
        return cls(
            chunk,
            tuple(_Sentence(t, _sequence(t, chunk.language)) for t in found),
            frozenset(found),
            squeezed(f"{heading} {chunk.text} {plain(chunk.text)}"),
            frozenset(words(heading, chunk.language)),
        )


@dataclass(frozen=True, slots=True)
class _Window:
    """One to three neighbouring sentences of a source."""

    source: _Source
    sentences: tuple[_Sentence, ...]

    @property
    def text(self) -> str:
        return " ".join(s.text for s in self.sentences)

    @property
    def terms(self) -> frozenset[str]:
        return frozenset(t for s in self.sentences for t in s.sequence) | self.source.heading


def _of(claim: Claim, cited: Mapping[int, _Source], asked: frozenset[str], language: str) -> SentenceSupport:
    sources = {n: cited[n] for n in claim.numbers if n in cited}
    unknown = [n for n in claim.numbers if n not in cited]
    if unknown:
        return _unsupported(claim, f"no source {', '.join(map(str, unknown))}")
    if odd := odd_references(claim.text):
        return _unsupported(claim, f"no source {', '.join(odd)}")
    if not sources:
        return _unsupported(claim, "names no source")
    if claim.code:
        return _code(claim, sources)
    judged = {n: _judge(claim.text, s, asked, language) for n, s in sources.items()}
    good = [n for n, (_, problem) in judged.items() if not problem]
    score, problem = max(judged.values(), key=lambda j: (not j[1], j[0]))
    return SentenceSupport(sentence=claim.text, score=score, sources=good, problem=problem)


def _unsupported(claim: Claim, problem: str) -> SentenceSupport:
    return SentenceSupport(sentence=claim.text, score=0.0, problem=problem)


def _code(claim: Claim, sources: Mapping[int, _Source]) -> SentenceSupport:
    """A code block is supported when every line of it stands in its source."""
    lines = [s for line in claim.text.split("\n") if (s := line.strip()) and not s.startswith(("```", "~~~"))]
    for number, source in sources.items():
        held = {line.strip() for line in source.chunk.text.split("\n")}
        if all(line in held for line in lines):
            return SentenceSupport(sentence=claim.text, score=1.0, sources=[number])
    return _unsupported(claim, "code differs from its source")


def _judge(text: str, source: _Source, asked: frozenset[str], language: str) -> tuple[float, str]:
    """(score, problem) of a sentence beside one source."""
    if text.rstrip().endswith(("?", "？")):
        return 0.0, "a question, not a statement"
    text = _without_prefix(text, source)
    if text in source.texts:
        return 1.0, ""
    sequence = _sequence(text, source.chunk.language)
    if not sequence:
        return (1.0, "") if squeezed(text) in source.whole else (0.0, "no source says this")
    window, score, share = _best(text, sequence, source)
    if _is_translated(language, source, share):
        return _anchored(text, source)
    problem = (
        _facts_differ(text, window, source)
        or _strange(sequence, source)
        or ("no source says this" if share < LEAST_WORDS or score < LEAST else "")
        or _polarity_differs(text, window, source.chunk.language)
        or _altered(sequence, window, source)
        or _swapped(text, sequence, window)
        or (
            "repeats the question"
            if asked and frozenset(sequence) <= asked and squeezed(text) not in source.whole
            else ""
        )
    )
    return (min(score, 0.49), problem) if problem else (score, "")


def _without_prefix(text: str, source: _Source) -> str:
    """The sentence without a heading or a table's head in brackets, when the chunk holds it."""
    if not text.startswith("[") or "] " not in text:
        return text
    prefix, _, rest = text[1:].partition("] ")
    known = (*source.chunk.heading, *(s.text for s in source.sentences))
    return rest if prefix in known else text


def _sequence(text: str, language: str) -> tuple[str, ...]:
    return tuple(t for raw in raw_words(text) if not says_nothing(raw) for t in words(raw, language))


def _windows(source: _Source) -> list[_Window]:
    n = len(source.sentences)
    return [_Window(source, source.sentences[i : i + k]) for k in (1, 2, 3) for i in range(n - k + 1)]


def _best(text: str, sequence: tuple[str, ...], source: _Source) -> tuple[_Window, float, float]:
    """The window that holds most of a sentence, the mean share of words and pairs, and the share of words."""
    best = (_Window(source, ()), 0.0, 0.0)
    wanted = numbers(text)
    for window in _windows(source):
        terms = window.terms
        share = sum(t in terms for t in sequence) / len(sequence)
        score = (share + _pairs(sequence, window)) / 2
        rank = score - 0.2 * len(wanted - numbers(window.text)) - 0.01 * len(window.sentences)
        if rank > best[1] - 0.2 * len(wanted - numbers(best[0].text)) - 0.01 * len(best[0].sentences):
            best = (window, score, share)
    return best


def _pairs(sequence: tuple[str, ...], window: _Window) -> float:
    """Share of the neighbouring words of a sentence that stand near each other, in that order, in the source."""
    wanted = list(pairwise(sequence))
    if not wanted:
        return 1.0 if sequence[0] in window.terms else 0.0
    held = {
        (a, b) for s in window.sentences for i, a in enumerate(s.sequence) for b in s.sequence[i + 1 : i + 1 + NEAR]
    }
    return sum(pair in held for pair in wanted) / len(wanted)


def _is_translated(language: str, source: _Source, share: float) -> bool:
    other = source.chunk.language
    return bool(language and other and language != other and share < LEAST_WORDS)


def _anchored(text: str, source: _Source) -> tuple[float, str]:
    """A sentence in another language than its source: only names and numbers can be compared."""
    names, figures = identifiers(text), numbers(text)
    if missing := [
        *sorted(n for n in names if not holds_name(n, source.whole)),
        *sorted(figures - numbers(source.whole)),
    ]:
        return 0.0, f"not in the source: {', '.join(missing)}"
    if not names and not figures:
        return 0.0, "in another language than its source, without a name or number to check it by"
    return 0.75, ""


def _facts_differ(text: str, window: _Window, source: _Source) -> str:
    held = numbers(f"{window.text} {' '.join(source.chunk.heading)}")
    if wrong := sorted(numbers(text) - held):
        return f"numbers differ: {', '.join(wrong)}"
    if strange := sorted(n for n in identifiers(text) if not holds_name(n, source.whole)):
        return f"not in the source: {', '.join(strange)}"
    return ""


def _strange(sequence: tuple[str, ...], source: _Source) -> str:
    """Words in a row of which the source holds none."""
    held = source.heading | {t for s in source.sentences for t in s.sequence}
    run: list[str] = []
    for term in (*sequence, ""):
        if term and term not in held:
            run.append(term)
        elif len(run) >= STRANGE_RUN:
            return f"not in the source: {' '.join(run)}"
        else:
            run = []
    return ""


def _polarity_differs(text: str, window: _Window, language: str) -> str:
    spoken = _clauses_of(text, window, language)
    if (negations(text) == 0) != (sum(map(negations, spoken)) == 0):
        return "negation differs"
    for word in negated(text, language):
        holding = [c for c in clauses(window.text) if word & frozenset(words(c, language))]
        if holding and not any(map(negations, holding)):
            return "negation differs"
    if pair := opposite(frozenset(words(text, language)), frozenset(words(window.text, language))):
        return f"says the opposite: {pair[0]} / {pair[1]}"
    return ""


def _clauses_of(text: str, window: _Window, language: str) -> list[str]:
    """The fewest clauses of the source, greedily, that hold the words of a sentence."""
    left = set(content_of(without_negations(text), language))
    held = {c: content_of(without_negations(c), language) for c in clauses(window.text)}
    chosen: list[str] = []
    while held:
        best = max(held, key=lambda c: (len(held[c] & left), -len(held[c])))
        if not held[best] & left:
            break
        left -= held.pop(best)
        chosen.append(best)
    return chosen


def _altered(sequence: tuple[str, ...], window: _Window, source: _Source) -> str:
    """A copied sentence in which words were exchanged for words that the source does not have."""
    held = source.heading | {t for s in source.sentences for t in s.sequence}
    for sentence in window.sentences:
        matcher = SequenceMatcher(None, sequence, sentence.sequence, autojunk=False)
        if len(sequence) < 4 or matcher.ratio() < COPIED:
            continue
        for op, a, b, c, d in matcher.get_opcodes():
            strange = [t for t in sequence[a:b] if t not in held]
            if op == "replace" and strange:
                return f"differs from its source: {' '.join(sequence[a:b])} / {' '.join(sentence.sequence[c:d])}"
    return ""


_PASSIVE = frozenset({"by", "von", "durch", "vom", "被", "由"})


def _swapped(text: str, sequence: tuple[str, ...], window: _Window) -> str:
    """The words of a source sentence with two of them in each other's place: who does what to whom."""
    for sentence in window.sentences:
        theirs = tuple(t for t in sentence.sequence if t in sequence)
        if theirs == sequence or sorted(theirs) != sorted(sequence):
            continue
        apart = [i for i, (a, b) in enumerate(zip(sequence, theirs, strict=True)) if a != b]
        if len(apart) == 2 and apart[1] - apart[0] > 1 and not _voice_differs(text, sentence.text):
            return f"changed places: {sequence[apart[0]]} / {sequence[apart[1]]}"
    return ""


def _voice_differs(text: str, other: str) -> bool:
    """Whether one of two sentences is passive, or a Russian one has only another order of the same forms."""
    ours, theirs = ({t.lower() for t in raw_words(x)} for x in (text, other))
    if ours == theirs and any("\u0400" <= c <= "\u04ff" for c in text):
        return True
    return bool((ours ^ theirs) & _PASSIVE) or ("被" in text) != ("被" in other)
