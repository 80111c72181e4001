"""Words of documents and questions in English, German, Russian and Chinese become the terms both share.

Identifiers give their parts and themselves, as in code. Other words are stemmed by the language of the text: Cyrillic
words always as Russian, Latin words as German in German texts, as English otherwise. Chinese runs give overlapping
pairs. A question gives the English form beside the German one, since its documents may be in either language.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

from ..text import is_stopword, split_identifier, unique

WORDS_VERSION = 1
"""Bumped when the same text would give other terms; part of every key of an index of chunks."""

_RAW = re.compile(r"\w+")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_UPPER, _LOWER = r"\u0410-\u042f\u0401", r"\u0430-\u044f\u0451"
_CYRILLIC_PART = re.compile(rf"[{_UPPER}]+(?![{_LOWER}])|[{_UPPER}]?[{_LOWER}]+|\d+")
_ALGORITHM = {"en": "english", "de": "german", "ru": "russian"}
_local = threading.local()

_FUNCTION_WORDS = frozenset(
    word
    for line in (
        # German
        "der die das den dem des ein eine einen einem einer eines und oder aber auch auf aus bei bis für gegen im in",
        "ist mit nach ob sich sie sind so um unter vom von vor wann warum was welche welcher welches wem wen wenn wer",
        "werden wie wieso wird wo wohin zu zum zur über durch dass er es ich man mein mir mich wir uns kann können",
        "muss müssen soll sollte darf habe hat haben gibt dies diese dieser dieses hier dort dann denn doch noch schon",
        # Russian; "не" and "без" are left: polarity is the topic of many questions
        "и в во на с со к ко по о об от до за из у над под при про для через как что чем чего это этот эта эти то та",
        "те тот так же ли бы он она они оно мы вы я мне мной нам нас вас вам их его её ее где когда куда почему зачем",
        "какой какая какие каким какую какого сколько кто или а но если можно нужно надо быть есть был была были будет",
        "чтобы уже ещё еще только такой такие там тут",
    )
    for word in line.split()
)
_CHINESE_FILLER = re.compile(
    r"[的了吗呢吧么是在我你他她它们有和与或请问]|什么|怎么|怎样|如何|为什么|哪些|哪个|多少|可以"
)


def words(text: str, language: str = "") -> Iterator[str]:
    """The terms of ``text`` in order: stemmed words, identifier parts, whole identifiers."""
    for raw in _RAW.findall(text):
        yield from _terms(raw, language if language in _ALGORITHM else "en")


def chunk_words(text: str, language: str = "") -> str:
    """The terms of a chunk joined by blanks, for an engine that splits at white space."""
    return " ".join(words(text, language))


def question_words(text: str, language: str = "") -> list[str]:
    """The terms a question asks for, without repeats and without words that say nothing.

    A word of a German question gives its German and its English stem.
    """
    found: list[str] = []
    for raw in _RAW.findall(_CHINESE_FILLER.sub(" ", text) if language == "zh" else text):
        if says_nothing(raw):
            continue
        found.extend(_terms(raw, language if language in _ALGORITHM else "en"))
        if language == "de":
            found.extend(_terms(raw, "en"))
    return [w for w in unique(found) if len(w) > 1 or w.isdigit()]


def says_nothing(raw: str) -> bool:
    """Whether a word as written carries no topic: a function word of one of the four languages."""
    return is_stopword(raw) or raw.lower() in _FUNCTION_WORDS


@lru_cache(maxsize=400_000)
def _terms(raw: str, language: str) -> tuple[str, ...]:
    if _CYRILLIC.search(raw):
        return _russian(raw)
    parts, whole = split_identifier(raw)
    if whole:
        return (*parts, whole)
    if language == "de" and raw.isalpha() and len(raw) > 3:
        return (_stem(raw.lower(), "german"),)
    return parts


def _russian(raw: str) -> tuple[str, ...]:
    """A Cyrillic word or identifier: its stemmed parts, and the whole when it is compound."""
    parts = [p for p in _CYRILLIC_PART.findall(raw) if p]
    stems = tuple(_stem(p.lower(), "russian") for p in parts)
    return (*stems, raw.lower().replace("_", "")) if len(parts) > 1 else stems or (raw.lower(),)


def _stem(word: str, algorithm: str) -> str:
    stemmers: dict[str, Stemmer.Stemmer] = _local.__dict__
    if algorithm not in stemmers:  # PyStemmer objects must not be shared between threads
        stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0)
    stemmed: str = stemmers[algorithm].stemWord(word)
    return stemmed
