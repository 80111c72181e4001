"""Which language a text is written in: English, German, Russian or Chinese, by script and by function words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .function_words import BULGARIAN, MANUAL_WORDS, RUSSIAN, WEIGHTS

_LONGEST = 20_000  # characters looked at
_SHARE = 0.5  # words of a foreign script per Latin word that make the text foreign
_LEAST = 0.2  # evidence below which a Latin text stays undecided
_MARGIN = 0.01  # by which it exceeds the evidence for any other language
_SENTENCE = 15  # words; whatever is longer and no list has small words


def language_of_text(text: str) -> str:
    """The language of a text or question: "en", "de", "ru", "zh", or "" for any other and for no evidence.

    Code, identifiers, addresses and quoted strings do not count, so an English identifier in a Russian sentence, or a
    page that is mostly code, does not mislead. A Latin text is decided by its small words (of twelve languages, so that
    French is not taken for English), then by endings, umlauts and the vocabulary of manuals.
    """
    return _language(text, _SENTENCE)


def language_of_passage(text: str, common: str) -> str:
    """The language of a part of a document whose language is ``common``.

    It is another one only if small words or the script say so: lists of names and links do not.
    """
    return _language(text, 0) or common


def _language(text: str, names: int) -> str:
    """The language of a text; ``names``: words of a Latin text that need no small word among them."""
    text = _without_code(text[:_LONGEST])
    latin = [word.replace("’", "'").lower() for word in _LATIN.findall(text)]
    scores = {language: _score(latin, language) for language in WEIGHTS}
    grammar = max(scores.values())
    if _is_foreign(_chinese_words(text), len(_PARTICLES.findall(text)), latin, grammar):
        return _east_asian(text)
    cyrillic = [word.lower() for word in _CYRILLIC.findall(text)]
    small = sum(word in RUSSIAN for word in cyrillic)
    if _is_foreign(len(cyrillic), small, latin, grammar):
        return _slavic(cyrillic)
    return _latin(latin, scores, names)


_LATIN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ɏ]+(?:['’][a-z]+)?")
_CYRILLIC = re.compile(r"[\u0400-\u052f]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA, _HANGUL = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")
_PARTICLES = re.compile(r"的|是|在|如何|怎么|怎样|什么|哪|吗|了|和|与|为|不|能|可以|把|被|中|对|会|请|还是|這|这|個|个")


def _without_code(text: str) -> str:
    """The text without what is no language; as it stands when nothing else is in it."""
    for pattern in (_FENCED, _CODE, _QUOTED):
        shorter = pattern.sub(" ", text)
        text = shorter if any(character.isalpha() for character in shorter) else text
    return text


_FENCED = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(  # every run is bounded: a question may be anything
    r"`[^`\n]+`|<[^>\n]{1,200}>|\b\w{1,20}://\S{1,500}|\S{1,64}@\S{1,255}"  # literals, tags, addresses
    r"|(?<![\w.])[A-Za-z0-9_$]{0,80}(?:[_$\\/=(){}\[\]]|::|->|\.(?=\w))"  # a.b  a_b  f(x)  a/b
    r"[A-Za-z0-9_$.:/\\=(){}\[\]>-]{0,200}"
    r"|\b[a-z]{1,80}[A-Z][A-Za-z0-9]{0,80}|\b[A-Z][a-z0-9]{1,80}[A-Z][A-Za-z0-9]{0,80}"
    r"|\b[A-Z]{2,80}[A-Za-z0-9]{0,80}\b|(?<!\S)--?[a-z][\w-]{0,80}"
)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,100}\"|«[^»\n]{1,100}»|„[^“”\n]{1,100}[“”]|“[^”\n]{1,100}”|(?<!\w)'[^'\n]{1,100}'(?!\w)"
)


def _score(words: Sequence[str], language: str) -> float:
    weights = WEIGHTS[language]
    return sum(weights.get(word, 0.0) for word in words)


def _chinese_words(text: str) -> float:
    """Words of a text in East Asian scripts; a word takes about one and a half characters."""
    return sum(len(pattern.findall(text)) for pattern in (_HAN, _KANA, _HANGUL)) / 1.5


def _is_foreign(words: float, small: int, latin: Sequence[str], grammar: float) -> bool:
    """Whether words of another script, ``small`` ones of its grammar among them, carry the sentence."""
    return words > 0 and (words >= _SHARE * len(latin) or small > grammar)


def _east_asian(text: str) -> str:
    """Chinese, unless syllables of Japanese or Korean stand in it."""
    han = len(_HAN.findall(text))
    others = len(_KANA.findall(text)) + len(_HANGUL.findall(text))
    return "zh" if han > 10 * others else ""


def _slavic(words: Sequence[str]) -> str:
    """Russian, unless letters or small words of its neighbours stand in it."""
    letters = "".join(words)
    if len(_NOT_RUSSIAN.findall(letters)) * 100 > len(letters):
        return ""
    bulgarian = sum(word in BULGARIAN for word in words) - sum(word in RUSSIAN - BULGARIAN for word in words)
    return "" if bulgarian > 0 and not re.search("[ыэё]", letters) else "ru"


_NOT_RUSSIAN = re.compile("[іїєґўђјљњћџѓќѕ]")


def _latin(words: Sequence[str], scores: dict[str, float], names: int) -> str:
    """English or German, when the evidence for it is more than for any other language.

    A long text without one small word is a list of names, whatever umlauts they have.
    """
    grammar = dict(scores)
    for language, (endings, vocabulary) in {"en": (_ENGLISH, 0.2), "de": (_GERMAN, 0.5)}.items():
        scores[language] += 0.4 * sum(endings.search(word) is not None for word in words)
        known = MANUAL_WORDS[language]
        scores[language] += vocabulary * sum(word in known or word.removesuffix("s") in known for word in words)
    best = max(scores, key=lambda language: scores[language])
    others = max(score for language, score in scores.items() if language != best)
    if best not in MANUAL_WORDS or scores[best] < max(_LEAST, others + _MARGIN):
        return ""
    return best if grammar[best] or len(words) <= names else ""


_ENGLISH = re.compile(r"[a-z]{3}(?:ing|ness|ful)$|[a-z]{3}[^aeiou]ly$|[a-z]{3}[^e]ed$")
_GERMAN = re.compile(r"[äöüß]|[a-z]{3}(?:ung|ungen|keit|heit|schaft|lich|liche[mnrs]?|ieren|iert|isch|ische[mnrs]?)$")
