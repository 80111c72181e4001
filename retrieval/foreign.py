"""A task in German, Russian or Chinese, read for English code: small words out, English words for its own words added.

The asker's words stay, since a code base may be commented in their language; a word that no file holds weighs nothing.
What stands in backticks is a name and is not translated. An English task is left as it is.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from functools import lru_cache

import Stemmer

from .foreign_words import MEANINGS
from .text import unique

_SNOWBALL = {"de": "german", "ru": "russian"}
_COLUMNS = {"de": 1, "ru": 2, "zh": 3}
_LOOKED_AT = 4_000  # characters that decide the language
_CODE = re.compile(r"(`[^`\n]+`|\"[^\"\n]+\")")
_WORDS = {
    "de": re.compile(r"(?<![\w./\\-])[A-Za-zÄÖÜäöüß]{3,40}(?![\w/\\(]|[.]\w)"),
    "ru": re.compile(r"[\u0400-\u052f]{3,40}"),
}
_SIGNS = re.compile(  # whatever has none of these is not even looked at
    r"[\u0400-\u052f\u3400-\u9fff]|\b(?:der|die|das|den|dem|und|nicht|ist|wird|wenn|ein|eine|einen|mit|auf|bei|für|von|zu)\b",
    re.I,
)
_BLANKS = re.compile(r"(?<=\S) {2,}")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_SHORTEST = 4  # letters of a part of a German compound
_local = threading.local()


def foreign_language(text: str) -> str:
    """The language of a task that is read in English: "de", "ru" or "zh"; "" for English and all others."""
    if not _SIGNS.search(text, 0, _LOOKED_AT):
        return ""
    from .documents.language import (
        language_of_text,  # its package reads many formats, which an English task never needs
    )

    language = language_of_text(text[:_LOOKED_AT])
    return language if language in _COLUMNS else ""


def english_reading(text: str, language: str) -> str:
    """``text`` as it is searched for in English code: its words without the small ones, then their English meanings.

    Args:
        text: a title or running text.
        language: from :func:`foreign_language`; "" leaves the text as it is.
    """
    if not language or not text.strip():
        return text
    spoken = " ".join(_CODE.sub(" ", text).split())
    words = " ".join(english_words(spoken, language))
    kept = "".join(p if i % 2 else _without_small(p, language) for i, p in enumerate(_CODE.split(text)))
    return f"{kept} {words}" if words else kept


def english_words(text: str, language: str) -> list[str]:
    """The English programming words for what ``text`` says, in its order, without repeats.

    >>> english_words("Die Fehlermeldung nennt den Dateinamen nicht", "de")
    ['error', 'file', 'name']
    """
    found = _chinese(text) if language == "zh" else _inflected(text, language)
    return unique(word for meaning in found for word in meaning.split())


def _without_small(text: str, language: str) -> str:
    return _BLANKS.sub(" ", _small().sub("", text)) if language == "de" else text


@lru_cache(maxsize=1)
def _small() -> re.Pattern[str]:
    """The small words of German, where they are no part of a name."""
    from .documents.function_words import FUNCTION_WORDS

    words = "|".join(sorted(FUNCTION_WORDS["de"], key=len, reverse=True))
    return re.compile(rf"(?<![\w./\\-])(?:{words})(?![\w/\\(-]|[.]\w)", re.I)


def _inflected(text: str, language: str) -> Iterator[str]:
    known = _meanings(language)
    for word in _WORDS[language].findall(text):
        stem = _stem(word.lower(), language)
        if stem in known:
            yield known[stem]
        elif language == "de":
            yield from _compound(word.lower(), known)


def _compound(word: str, known: Mapping[str, str]) -> Iterator[str]:
    """The meanings of both parts of a German compound, the longest first part first; nothing when one is unknown."""
    for cut in range(len(word) - _SHORTEST, _SHORTEST - 1, -1):
        first, last = word[:cut], _stem(word[cut:], "de")
        joined = next((s for s in (first, first.removesuffix("s")) if _stem(s, "de") in known), None)
        if joined is not None and last in known:
            yield known[_stem(joined, "de")]
            yield known[last]
            return


def _chinese(text: str) -> Iterator[str]:
    """Meanings of the longest known words, from left to right."""
    known = _meanings("zh")
    longest = max(map(len, known))
    for run in _HAN.findall(text):
        place = 0
        while place < len(run):
            size = next((n for n in range(longest, 0, -1) if run[place : place + n] in known), 0)
            if size:
                yield known[run[place : place + size]]
            place += size or 1


@lru_cache(maxsize=3)
def _meanings(language: str) -> Mapping[str, str]:
    """Stem (Chinese: word) -> its English words."""
    found: dict[str, list[str]] = {}
    for line in MEANINGS.split("\n"):
        columns = [column.strip() for column in line.split(";")]
        for word in columns[_COLUMNS[language]].split():
            found.setdefault(_stem(word, language), []).append(columns[0])
    return {stem: " ".join(unique(meanings)) for stem, meanings in found.items()}


def _stem(word: str, language: str) -> str:
    if language not in _SNOWBALL:
        return word
    stemmers = getattr(_local, "stemmers", None)
    if stemmers is None:  # PyStemmer objects must not be shared between threads
        stemmers = _local.stemmers = {name: Stemmer.Stemmer(snowball) for name, snowball in _SNOWBALL.items()}
    stemmed: str = stemmers[language].stemWord(word.replace("ё", "е"))
    return stemmed
