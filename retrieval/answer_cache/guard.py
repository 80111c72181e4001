"""Whether two questions are one: everything that could change the answer must agree.

Similarity of vectors does not see it: "enable" and "disable", 3 and 5, with and without lie as close together as true
paraphrases. The guard compares what questions say piece by piece and, last, demands that every content word of one is
in the other, by itself or by a synonym. It is strict: a false hit is a wrong answer, a missed one only costs time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from ...state.caching import GuardVerdict
from .numbers import is_version
from .phrases import same_order
from .polarity import QUANTIFIERS
from .reading import Reading, read_question

_MODAL_FREE = {"how", "how many", "how long", "where", "can", "should", "must"}
"""Kinds of questions in which "can I" and "do I" ask the same, or which ask for the modality itself."""


_STRICT_KINDS = {"what", "who"}
"""Kinds in which a moved phrase can turn subject into object: "what depends on it", "what does it depend on"."""


def same_question(a: str, b: str, language: str = "") -> GuardVerdict:
    """Whether two questions may share an answer; symmetrical.

    Args:
        a: a question.
        b: another one.
        language: of both, when known; recognised when ''.
    """
    return compare_readings(read_question(a, language), read_question(b, language))


def compare_readings(a: Reading, b: Reading) -> GuardVerdict:
    """The first thing in which two readings differ, or agreement."""
    for check in _CHECKS:
        for differs, detail in check(a, b):
            return GuardVerdict(agrees=False, differs=differs, detail=detail)
    return GuardVerdict(agrees=True)


Difference = tuple[str, str]


def _language(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.language != b.language:
        yield "language", _either([a.language or "other"], [b.language or "other"])


def _quotes(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.quotes != b.quotes:
        yield "quote", _only_in_one(a.quotes, b.quotes)


def _numbers(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.numbers != b.numbers:
        odd = [*_missing(a.numbers, b.numbers), *_missing(b.numbers, a.numbers)]
        yield "version" if any(map(is_version, odd)) else "number", _only_in_one(a.numbers, b.numbers)


def _names(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.names != b.names:
        yield "identifier", _only_in_one(a.names, b.names)
    for name in a.classifiers.keys() & b.classifiers.keys():
        if a.classifiers[name] != b.classifiers[name]:
            yield "identifier", f"{name}: {_either([a.classifiers[name][1:]], [b.classifiers[name][1:]])}"


def _negations(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.negations != b.negations:
        yield "negation", _only_in_one(a.negations, b.negations)


def _poles(a: Reading, b: Reading) -> Iterator[Difference]:
    sides, others = _sides(a.concepts - b.concepts), _sides(b.concepts - a.concepts)
    for axis in sorted(sides.keys() & others.keys()):
        kind = "quantifier" if axis == QUANTIFIERS else "antonym"
        yield kind, _either(sorted(sides[axis]), sorted(others[axis]))
    if QUANTIFIERS in sides.keys() | others.keys():
        yield "quantifier", _only_in_one(sorted(sides.get(QUANTIFIERS, ())), sorted(others.get(QUANTIFIERS, ())))


def _kinds(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.kind != b.kind:
        yield "question", _either([a.kind or "no question"], [b.kind or "no question"])
    if a.past != b.past:
        yield "question", "what is / what was"
    if a.modality != b.modality and a.kind not in _MODAL_FREE:
        yield "question", _either([a.modality or "does"], [b.modality or "does"])


def _words(a: Reading, b: Reading) -> Iterator[Difference]:
    if a.concepts != b.concepts:
        yield "word", _only_in_one(sorted(a.concepts), sorted(b.concepts))


def _order(a: Reading, b: Reading) -> Iterator[Difference]:
    if _turned(a, b) or not same_order(a.phrases, b.phrases, loose=a.kind not in _STRICT_KINDS):
        yield "order", "the same words in another order"


_CHECKS: Sequence[Callable[[Reading, Reading], Iterator[Difference]]] = (
    _language,
    _quotes,
    _names,
    _numbers,
    _negations,
    _poles,
    _kinds,
    _words,
    _order,
)


def _turned(a: Reading, b: Reading) -> bool:
    """Whether one question says what is done by something, the other what is done to it."""
    voices = {a.voice, b.voice}
    apart = len(voices) == 2 and "passive" in voices and ("free" not in voices or a.language == "zh")
    return apart and sum(len(phrase.terms) for phrase in a.phrases) > 1


def _sides(concepts: frozenset[str]) -> dict[str, set[str]]:
    sides: dict[str, set[str]] = {}
    for concept in concepts:
        axis, colon, side = concept.removeprefix("=").partition(":")
        if concept.startswith("=") and colon and axis != "do":
            sides.setdefault(axis, set()).add(side)
    return sides


def _missing(a: Sequence[str], b: Sequence[str]) -> list[str]:
    return sorted((Counter(a) - Counter(b)).elements())


def _only_in_one(a: Sequence[str], b: Sequence[str]) -> str:
    return _either(_missing(a, b), _missing(b, a))


def _either(a: Sequence[str], b: Sequence[str]) -> str:
    """Both sides in words, the same whichever question comes first."""
    said = sorted(", ".join(x.removeprefix("=") for x in side) or "nothing" for side in (a, b))
    return f"{said[0]} / {said[1]}"


__all__ = ["compare_readings", "same_question"]
