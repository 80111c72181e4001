"""Light stems: forms of one word meet, words of one family do not ("customer" is not "custom").

The stemmers of a search engine also cut derivations; for deciding that two questions are one that is too much.
"""

# ruff: noqa: SIM905  (a table reads best in long lines)
from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import Stemmer

_VOWEL = re.compile(r"[aeiouy]")
_SHORT = re.compile(r"^[^aeiou]*[aeiouy][^aeiouwxy]$")  # "stor", "mak": the word ended in e
_WANT_E = frozenset(
    "cach pars merg purg queu tabl valu solv serv rais caus paus forc leav notic sourc argu issu nam".split()
)
_KEEP_S = ("ss", "us", "is")
_KEEP = frozenset("windows always series https news this".split())
_PARTICIPLES = {
    "written": "write", "wrote": "write", "built": "build", "sent": "send", "kept": "keep", "found": "find",
    "ran": "run", "chosen": "choose", "given": "give", "took": "take", "taken": "take", "made": "make",
    "shown": "show", "thrown": "throw", "held": "hold", "lost": "lose", "got": "get", "indices": "index",
    "queries": "query", "caches": "cache", "children": "child", "wrong": "wrong", "hidden": "hidden",
}  # fmt: skip
_AS_WRITTEN = frozenset("больше меньше быстрее медленнее крупнее мельче выше ниже включая".split())
_REMOTE = re.compile(r"^удал[её]нн(?:ый|ая|ое|ые|ого|ому|ым|ом|ой|ую|ых|ыми)$")
_IRREGULAR = {
    "lädt": "lade", "läuft": "laufe", "hält": "halte", "liest": "lese", "nimmt": "nehme", "wirft": "werfe",
    "verhält": "verhalte", "enthält": "enthalte", "fällt": "falle", "trägt": "trage", "schlägt": "schlage",
    "sieht": "sehe", "bricht": "breche", "geschieht": "geschehe", "gibt": "gebe", "hochlädt": "hochlade",
}  # fmt: skip
_NO_PARTICIPLE = re.compile(
    r"^(?:gesche|geh|gelt|genehmig|gewähr|gestatt|geling|gemeinsam|geheim|gerät|gesamt|general)"
)
_GERMAN = re.compile(r"(?:test|tet|ten|te|st|t|en|em|es|e|n|s)$")
_GERMAN_PARTICLES = frozenset(
    "ein aus an ab auf zu um vor hinzu hoch herunter weg los nach her hin durch zurück fest bei frei weiter rum".split()
)
_INFIX = re.compile(rf"^({'|'.join(sorted(_GERMAN_PARTICLES, key=len, reverse=True))})(ge|zu)(?=\w{{4}})")


@lru_cache(maxsize=100_000)
def stem_of(word: str, language: str) -> str:
    """The light stem of a lower-case word; the word itself in a language without rules."""
    word = word.replace("ё", "е").replace("’", "'")
    rules = _RULES.get(language)
    return rules(word) if rules else word


def is_particle(word: str) -> bool:
    """Whether a German word can be the separated part of a verb."""
    return word in _GERMAN_PARTICLES


def may_be_finite(word: str) -> bool:
    """Whether a German word can be the finite verb to which a particle at the clause's end belongs."""
    return len(word) > 3 and word[-1] in "et" and word not in _NO_VERB


_NO_VERB = frozenset("welche eine meine keine nicht seine ihre jede alle diese jetzt erste letzte".split())


def _english(word: str) -> str:
    word = word.removesuffix("'s")
    if word in _KEEP or not _VOWEL.search(word):
        return word
    if word in _PARTICIPLES:
        word = _PARTICIPLES[word]
    elif len(word) > 4 and word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif len(word) > 5 and word.endswith("ing") and _VOWEL.search(word[:-3]):
        word = _without_ending(word[:-3])
    elif len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and _VOWEL.search(word[:-2]):
        word = _without_ending(word[:-2])
    elif len(word) > 3 and word.endswith("s") and not word.endswith(_KEEP_S):
        word = word[:-2] if word.endswith(("tches", "sses", "shes", "xes", "nches", "rches")) else word[:-1]
    return word[:-1] if len(word) > 5 and word.endswith("e") else word


def _without_ending(base: str) -> str:
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return f"{base}e" if _SHORT.match(base) or base in _WANT_E else base


def _german(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    if found := _INFIX.match(word):
        particle, middle = found.groups()
        if middle == "ge" or word.endswith("n"):
            word = particle + word[found.end() :]
    elif word.startswith("ge") and len(word) > 6 and not _NO_PARTICIPLE.match(word) and word.endswith(("t", "en")):
        word = word[2:]
    if len(word) > 4 and (found := _GERMAN.search(word)) and found.start() >= 3:
        word = word[: found.start()]
    return re.sub(r"e(?=[lr]$)", "", word) if len(word) > 4 else word


def _russian(word: str) -> str:
    if _REMOTE.match(word):
        return "удаленный"
    if word in _AS_WRITTEN:
        return word
    stem: str = _snowball().stemWord(word)
    return stem


@lru_cache(maxsize=1)
def _snowball() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("russian", 0)


_RULES: dict[str, Callable[[str], str]] = {"en": _english, "de": _german, "ru": _russian}

__all__ = ["is_particle", "may_be_finite", "stem_of"]
