"""The word tables, ready for use: which concept a word or phrase stands for."""

# ruff: noqa: SIM905  (a table reads best in long lines)
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .frames import STOPS
from .polarity import NEGATION, POLARITY
from .stems import stem_of
from .synonyms import SYNONYMS, WHOLE_WORDS

_ACTION_AXES = frozenset(
    "power gate life setup enrol change flow right motion link session lock cipher pack shown proof direction "
    "outcome include".split()
)
_BEFORE_NUMBERS = {"en": {"over", "under"}, "de": {"über", "unter"}, "ru": set(), "zh": set()}


@dataclass(frozen=True, slots=True)
class Match:
    """A concept found at a place. size: how many words (Chinese: characters) it takes. concept: '' for a stop word."""

    concept: str
    size: int


@dataclass(frozen=True)
class Lexicon:
    """The tables of one language. phrases: stems -> concept. stops: words as written."""

    language: str
    phrases: dict[tuple[str, ...], str]
    stops: frozenset[str]
    longest: int

    def match(self, words: Sequence[str], stems: Sequence[str], place: int, number_follows: bool) -> Match | None:
        """What stands at a place: the longest phrase, else a stop word, else a single known word, else None."""
        for size in range(min(self.longest, len(stems) - place), 1, -1):
            if concept := self.phrases.get(tuple(stems[place : place + size])):
                return Match(concept, size)
        word = words[place]
        compares = number_follows and word in _BEFORE_NUMBERS.get(self.language, ())
        if word in self.stops and not compares:
            return Match("", 1)
        concept = self.phrases.get((stems[place],))
        return Match(concept, 1) if concept else None

    def match_characters(self, text: str, place: int) -> Match | None:
        """What stands at a place of a text without blanks: the longest phrase or stop word, else None."""
        for size in range(min(self.longest, len(text) - place), 0, -1):
            piece = text[place : place + size]
            if concept := self.phrases.get((piece,)):
                return Match(concept, size)
            if piece in self.stops:
                return Match("", size)
        return None


def lexicon_of(language: str) -> Lexicon | None:
    """The tables of a language; None when there are none."""
    return _lexicon(language) if language in STOPS else None


def is_action(concept: str) -> bool:
    """Whether a concept is an action, whose place in the sentence says nothing."""
    axis = concept.lstrip("=").partition(":")[0]
    return axis == "do" or axis in _ACTION_AXES


def table_lines(language: str) -> Iterator[tuple[str, list[str]]]:
    """Every concept with its words in a language, as written in the tables."""
    for line in f"{POLARITY}\n{NEGATION}\n{SYNONYMS}".splitlines():
        concept, *columns = (part.strip() for part in line.split("|"))
        for column in columns:
            if column.startswith(f"{language}:"):
                yield f"={concept}", [word.strip() for word in column[3:].split(",")]


@lru_cache(maxsize=8)
def _lexicon(language: str) -> Lexicon:
    phrases: dict[tuple[str, ...], str] = {}
    for concept, words in table_lines(language):
        for word in words:
            phrases.setdefault(key_of(word, language), concept)
    if language == "zh":
        phrases.update({(word,): word for word in WHOLE_WORDS.split() if (word,) not in phrases})
    stops = frozenset(STOPS[language].split())
    width = max(len(key[0]) if language == "zh" else len(key) for key in phrases)
    return Lexicon(language, phrases, stops, max(width, *(len(s) for s in stops if language == "zh"), 1))


def key_of(phrase: str, language: str) -> tuple[str, ...]:
    """The stems of a phrase of the tables; Chinese stands undivided."""
    if language == "zh":
        return (phrase,)
    return tuple(stem_of(word, language) for word in phrase.lower().replace("-", " ").split())


__all__ = ["Lexicon", "Match", "is_action", "key_of", "lexicon_of", "table_lines"]
