"""How a statement may disagree with the sentences it rests on although it shares their words."""

from __future__ import annotations

from difflib import SequenceMatcher

from ..passages.words import words
from ..text import raw_words
from .facts import holds_name, identifiers, numbers
from .passages import content_of
from .polarity import clauses, negated, negations, opposite, without_negations
from .windows import Source, Window

COPIED = 0.75
"""Similarity to a source sentence from which a sentence counts as its copy."""
STRANGE_RUN = 3
"""Words in a row, none of them in the source, that make an added statement."""


def facts_differ(text: str, window: Window, source: Source) -> str:
    """Numbers that the window does not hold, or names that the source does not; '' when all agree."""
    held = numbers(f"{window.text} {' '.join(source.chunk.heading)}")
    if wrong := sorted(numbers(text) - held):
        return f"numbers differ: {', '.join(wrong)}"
    if strange := sorted(n for n in identifiers(text) if not holds_name(n, source.whole)):
        return f"not in the source: {', '.join(strange)}"
    return ""


def added(sequence: tuple[str, ...], source: Source) -> str:
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


def polarity_differs(text: str, window: Window, language: str) -> str:
    """A negation on one side only, or a word whose opposite the window holds; '' when they agree."""
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


def _clauses_of(text: str, window: Window, language: str) -> list[str]:
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


def altered(sequence: tuple[str, ...], window: Window, source: Source) -> str:
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


def swapped(text: str, sequence: tuple[str, ...], window: Window) -> str:
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
