"""A question taken apart: what must agree before two questions may share an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..documents.language import language_of_text
from .frames import frame_of
from .modality import is_past, modality_of
from .normalise import bare, is_loud, tidy
from .phrases import Phrase, Voice, phrases_of, voice_of
from .pieces import quotes_of
from .terms import Term, terms_of, without_classifiers

_ASK_FOR_NOUNS = {"what", "who"}
"""Kinds in which English tells subject from object by the verb's place: "what calls it", "what does it call"."""
_IMPLIED = (
    ("=default", "=value"),
    ("=direction:down", "mach"),  # "rückgängig machen" and "rückgängig"
    ("what happens", "=asks-when"),
    ("what happens", "=condition"),
)


@dataclass(frozen=True)
class Reading:
    """What a question says.

    kind: "how", "why", ...; '' when it is no question. modality: "must", "should", "can" or ''. past: whether it is
    about what was. numbers, names, quotes, negations: sorted, with repeats. concepts: its content words, ``=axis:side``
    or ``=concept`` for known ones, else stems. classifiers: name -> what it is said to be ("=option"). phrases: the
    terms in order. voice: whether something is done to the subject.
    """

    language: str
    kind: str
    modality: str
    past: bool
    numbers: Sequence[str]
    names: Sequence[str]
    quotes: Sequence[str]
    negations: Sequence[str]
    concepts: frozenset[str]
    classifiers: dict[str, str]
    phrases: Sequence[Phrase]
    voice: Voice


def read_question(question: str, language: str = "") -> Reading:
    """The reading of a question; its language is recognised when ''."""
    text = tidy(question)
    language = language or language_of_text(text)
    text = bare(text, language)
    text = text.lower() if is_loud(text) else text
    frame = frame_of(text, language)
    terms, classifiers = without_classifiers(terms_of(frame.rest, language))
    terms = _without_implied(terms, frame.kind)
    return Reading(
        language=language,
        kind=frame.kind,
        modality=modality_of(text, language),
        past=is_past(text, language),
        numbers=_values(terms, "number"),
        names=_values(terms, "name"),
        quotes=sorted(quotes_of(text)),
        negations=_values(terms, "not"),
        concepts=frozenset(t.value for t in terms if t.kind == "word"),
        classifiers=dict(classifiers),
        phrases=phrases_of(terms, language, with_actions=language == "en" and frame.kind in _ASK_FOR_NOUNS),
        voice=voice_of(text, language),
    )


def _without_implied(terms: Sequence[Term], kind: str) -> list[Term]:
    """The terms without those that another one, or the kind of question, says already: a default is a value."""
    said = {kind, *(t.value for t in terms if t.kind == "word")}
    implied = {word for concept, word in _IMPLIED if concept in said}
    return [t for t in terms if t.kind != "word" or t.value not in implied]


def _values(terms: Sequence[Term], kind: str) -> list[str]:
    return sorted(t.value for t in terms if t.kind == kind)


__all__ = ["Reading", "read_question"]
