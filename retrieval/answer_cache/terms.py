"""The terms of a question in order: concepts of the word tables, stems, names, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from .lexicon import Lexicon, Match, lexicon_of
from .pieces import Piece, clauses_of
from .stems import is_particle, may_be_finite, stem_of
from .synonyms import CLASSIFIERS

TermKind = Literal["word", "name", "number", "quote", "not", "stop", "clause"]

_PARTICLE_VERBS = {
    "turn": {"on", "off", "into"},
    "switch": {"on", "off"},
    "set": {"up"},
    "roll": {"back"},
    "log": {"in", "out"},
    "sign": {"in", "out"},
}
_REACH = 5  # words between an English verb and its particle
_CLASSIFIERS = frozenset(f"={name}" for name in CLASSIFIERS)


@dataclass(frozen=True, slots=True)
class Term:
    """One term. value: of a word its concept or stem, of a stop word the word; '' of a clause's beginning."""

    kind: TermKind
    value: str


def terms_of(text: str, language: str) -> list[Term]:
    """The terms of a tidy question; a "clause" term opens each clause."""
    lexicon = lexicon_of(language)
    terms: list[Term] = []
    for clause in clauses_of(text, language):
        terms.append(Term("clause", ""))
        if language == "de":
            clause = _verb_together(clause)
        runs = [(kind, list(group)) for kind, group in groupby(clause, lambda piece: piece.kind)]
        for place, (kind, group) in enumerate(runs):
            before_number = place + 1 < len(runs) and runs[place + 1][0] == "number"
            terms += _run(kind, group, language, lexicon, before_number)
    return terms


def without_classifiers(terms: Sequence[Term]) -> tuple[list[Term], list[tuple[str, str]]]:
    """The terms without nouns that only say what the identifier beside them is, and those (identifier, noun) pairs."""
    content = [t for t in terms if t.kind not in ("stop", "clause")]
    pairs: dict[int, tuple[str, str]] = {}
    for place, term in enumerate(content):
        if term.kind != "word" or term.value not in _CLASSIFIERS:
            continue
        beside = [content[i] for i in (place - 1, place + 1) if 0 <= i < len(content)]
        if names := [t.value for t in beside if t.kind == "name"]:
            pairs[id(term)] = (names[0], term.value)
    return [t for t in terms if id(t) not in pairs], list(pairs.values())


def _run(kind: str, group: list[Piece], language: str, lexicon: Lexicon | None, before_number: bool) -> Iterator[Term]:
    match kind:
        case "word":
            yield from _words([p.text for p in group], language, lexicon, before_number)
        case "han":
            for piece in group:
                yield from _characters(piece.text, lexicon)
        case "name":
            yield from (Term("name", piece.text) for piece in group)
        case "number":
            yield from (Term("number", piece.text) for piece in group)
        case _:
            yield from (Term("quote", '"') for _ in group)


def _words(words: list[str], language: str, lexicon: Lexicon | None, before_number: bool) -> Iterator[Term]:
    if language == "en":
        words = _particles_together(words)
    stems = [stem_of(word, language) for word in words]
    place = 0
    while place < len(words):
        follows = before_number and place == len(words) - 1
        match = lexicon.match(words, stems, place, follows) if lexicon else None
        yield _term(match, words[place], stems[place])
        place += match.size if match else 1


def _characters(text: str, lexicon: Lexicon | None) -> Iterator[Term]:
    place = 0
    while place < len(text):
        match = lexicon.match_characters(text, place) if lexicon else None
        size = match.size if match else 1
        yield _term(match, text[place : place + size], text[place])
        place += size


def _term(match: Match | None, word: str, stem: str) -> Term:
    if match is None:
        return Term("word", stem)
    if not match.concept:
        return Term("stop", word)
    return Term("not", match.concept[5:]) if match.concept.startswith("=not:") else Term("word", match.concept)


def _verb_together(clause: list[Piece]) -> list[Piece]:
    """A German clause whose verb and particle stand apart, with both joined: "schalte ... ein" to "einschalte"."""
    last = clause[-1]
    if last.kind != "word" or not is_particle(last.text) or len(clause) < 3:
        return clause
    for place, piece in enumerate(clause[:-1]):
        if piece.kind == "word" and may_be_finite(piece.text):
            return [*clause[:place], Piece("word", last.text + piece.text), *clause[place + 1 : -1]]
    return clause


def _particles_together(words: list[str]) -> list[str]:
    """English words with a separated particle behind its verb: "turn logging on" becomes "turn on logging"."""
    for place, word in enumerate(words):
        particles = _PARTICLE_VERBS.get(stem_of(word, "en"), set())
        if not particles or (words[place + 1 : place + 2] and words[place + 1] in particles):
            continue
        for other in range(place + 2, min(len(words), place + 2 + _REACH)):
            if words[other] in particles:
                return [*words[: place + 1], words[other], *words[place + 1 : other], *words[other + 1 :]]
    return words


__all__ = ["Term", "terms_of", "without_classifiers"]
