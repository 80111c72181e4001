"""Who does what to whom: whether two questions with the same words say them in compatible order.

Words change places freely between paraphrases ("in the client, how do I limit retries?"), but not every place: "from A
to B" is not "from B to A", and "A calls B" is not "B calls A". A question is cut into phrases, each under the word that
governs it.
"""

# ruff: noqa: SIM905  (a table reads best in long lines)
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

from .lexicon import is_action
from .terms import Term

_GOVERNS = {
    "en": {
        **dict.fromkeys("in inside within".split(), "in"),
        "of": "of",
        **dict.fromkeys("on at for".split(), "at"),
        **dict.fromkeys("with via through using".split(), "with"),
        **dict.fromkeys("to into onto".split(), "to"),
        **{word: word for word in ("from", "than", "by")},
    },
    "de": {
        **dict.fromkeys("in im".split(), "in"),
        **dict.fromkeys("an am auf für bei beim unter über".split(), "at"),
        **dict.fromkeys("mit durch".split(), "with"),
        **dict.fromkeys("nach zu zum zur".split(), "to"),
        **dict.fromkeys("von vom aus".split(), "from"),
        "als": "than",
    },
    "ru": {
        **dict.fromkeys("в во".split(), "in"),
        **dict.fromkeys("на по для у при".split(), "at"),
        **dict.fromkeys("с со".split(), "s"),  # with, or from
        "через": "with",
        **dict.fromkeys("к ко".split(), "to"),
        **dict.fromkeys("из от".split(), "from"),
        "чем": "than",
    },
    "zh": {
        "在": "in",
        **dict.fromkeys("于 对 给".split(), "at"),
        **dict.fromkeys("用 使用 通过 利用".split(), "with"),
        **dict.fromkeys("到 向".split(), "to"),
        "从": "from",
        **dict.fromkeys("被 由".split(), "by"),
    },
}
"""Language -> word -> what it makes of the phrase behind it."""

_FREES = {
    "en": frozenset("i we you they it do does did is are was were can could should will would be".split()),
    "de": frozenset("ich wir man sie wird werden ist sind kann können soll".split()),
    "zh": frozenset("进行 做".split()),
}
"""Words after which the sentence itself goes on."""

_CLOSES = {"de": frozenset("der die das den dem des ein eine einen einem einer eines".split())}
"""Words that end a governed phrase which has a term: another noun phrase begins."""

_FLOATING = ("=phase:", "=period:", "=order:", "=default")
"""Concepts that are adverbs: their place says nothing."""

_DIRECTED = {"from", "to", "than", "by", "s"}
_PASSIVE = {"de": frozenset("wird werden wurde wurden".split()), "zh": frozenset("被")}
_DEPONENT = frozenset("требуется находится является относится случится остается получается".split())
_MOST_PHRASES = 5

Voice = Literal["active", "passive", "free"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Terms under one governing word; '' for the sentence itself."""

    governor: str
    terms: tuple[str, ...]


def phrases_of(terms: Sequence[Term], language: str, with_actions: bool = False) -> list[Phrase]:
    """The phrases of a question in order; actions are left out when their place says nothing."""
    governs, frees = _GOVERNS.get(language, {}), _FREES.get(language, frozenset())
    closes = _CLOSES.get(language, frozenset())
    passive = any(t.kind == "stop" and t.value in _PASSIVE.get("de", ()) for t in terms) and language == "de"
    phrases: list[Phrase] = []
    governor = ""
    held: list[str] = []
    for term in terms:
        opened = governs.get(term.value) if term.kind == "stop" else None
        freed = term.kind == "clause" or (term.kind == "stop" and term.value in frees)
        freed = freed or bool(held and governor and term.kind == "stop" and term.value in closes)
        acts = term.kind == "word" and is_action(term.value)
        if opened or freed or (acts and governor):
            phrases += [Phrase(governor, tuple(held))] if held else []
            governor, held = opened or "", []
            if passive and governor in {"from", "with"} and term.value in {"von", "vom", "durch"}:
                governor = "by"
        if term.kind not in ("stop", "clause", "not") and not _floats(term) and (with_actions or not acts):
            held.append(f"{term.kind}:{term.value}")
    return phrases + ([Phrase(governor, tuple(held))] if held else [])


def _floats(term: Term) -> bool:
    return term.value.startswith(_FLOATING) or (term.kind == "number" and term.value.endswith("×"))


def voice_of(text: str, language: str) -> Voice:
    """Whether someone does something, or something is done; "free" when the language or the verb does not show it."""
    if language == "zh":
        return "passive" if "被" in text else "free"
    if language != "ru":
        return "free"
    words = [word for word in text.lower().split() if word not in _DEPONENT]
    if any(word.endswith(("ся", "сь")) and not word.endswith("ться") and len(word) > 5 for word in words):
        return "passive"
    return "free" if any(word.endswith(("ть", "ти", "чь", "ться")) for word in words) else "active"


def same_order(a: Sequence[Phrase], b: Sequence[Phrase], loose: bool = True) -> bool:
    """Whether two questions with equal words say them in compatible order.

    loose: whether any governed phrase may stand elsewhere; else only places and parts ("in", "of").
    """
    if _agents(a) != _agents(b):
        return False
    if _flat(a) == _flat(b):
        return not _contradict(a, b)
    if _free(a) == _free(b) and _governed(a) == _governed(b):
        return True
    if (_governors(a) | _governors(b)) & _DIRECTED or max(len(a), len(b)) > _MOST_PHRASES:
        return False
    if not loose and (_governors(a) | _governors(b)) - {"", "in", "of"}:
        return False
    inside = _governed(a) - _governed(b), _governed(b) - _governed(a)
    return not all(inside) and bool(_arrangements(a) & _arrangements(b))


def _flat(phrases: Sequence[Phrase]) -> list[str]:
    return [term for phrase in phrases for term in phrase.terms]


def _free(phrases: Sequence[Phrase]) -> list[str]:
    return [term for phrase in phrases if not phrase.governor for term in phrase.terms]


def _governed(phrases: Sequence[Phrase]) -> Counter[Phrase]:
    return Counter(phrase for phrase in phrases if phrase.governor)


def _governors(phrases: Sequence[Phrase]) -> set[str]:
    return {phrase.governor for phrase in phrases}


def _agents(phrases: Sequence[Phrase]) -> Counter[tuple[str, ...]]:
    """Who acts in a passive sentence."""
    return Counter(phrase.terms for phrase in phrases if phrase.governor == "by")


def _contradict(a: Sequence[Phrase], b: Sequence[Phrase]) -> bool:
    """Whether a term is governed by a direction in one question and by another word in the other."""
    first, second = ({t: p.governor for p in phrases if p.governor for t in p.terms} for phrases in (a, b))
    governors = [{first[term], second[term]} for term in first.keys() & second.keys()]
    return any(len(both) == 2 and both & _DIRECTED for both in governors)


def _arrangements(phrases: Sequence[Phrase]) -> set[tuple[str, ...]]:
    """Every order of terms that moving whole phrases gives."""
    return {tuple(_flat(order)) for order in permutations(phrases)}


__all__ = ["Phrase", "Voice", "phrases_of", "same_order", "voice_of"]
