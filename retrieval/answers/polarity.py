"""Polarity of a clause: its negations and what they negate, and words that are each other's opposite."""

from __future__ import annotations

import re
from functools import lru_cache

from ..passages.words import says_nothing, words
from ..text import raw_words

_NEGATION = re.compile(
    r"\b(?:not(?! only)|no|never|none|nor|neither|cannot|without|nothing|unable)\b|n['’]t\b"
    r"|\b(?:nicht(?! nur)|kein\w*|nie(?:mals)?|ohne|weder|nirgends|nichts)\b"
    r"|\b(?:не(?! только)|нет|ни|никогда|без|нельзя|ничего|никак\w*)\b"
    r"|不(?![同仅断但过])|没有?|无(?!论)|(?<!除)非(?!常)|未(?!来)|(?<![类区特识分级个])别(?![名的])|勿|禁止",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;:.!?()，；：。！？（）—–]+(?=\s|$|[\u3400-\u9fff])|[，；：。！？（）]+"
    r"|\b(?:but|while|whereas|although|aber|sondern|während|obwohl|но|хотя|тогда как)\b|但是?|而(?!且)",
    re.IGNORECASE,
)


def clauses(text: str) -> list[str]:
    """The clauses of a text, at punctuation and contrasting conjunctions."""
    return [c.strip() for c in _CLAUSE.split(text) if c and c.strip()]


def negations(text: str) -> int:
    """How many negations a text holds."""
    return len(_NEGATION.findall(text))


def without_negations(text: str) -> str:
    """A text without its negating words."""
    return _NEGATION.sub(" ", text)


def negated(text: str, language: str) -> list[frozenset[str]]:
    """Per negation, the terms of the word it stands before; in German, of the word before it when none follows."""
    found: list[frozenset[str]] = []
    for clause in clauses(text):
        for mark in _NEGATION.finditer(clause):
            word = _first_content(clause[mark.end() :], language) or _last_content(clause[: mark.start()], language)
            if word:
                found.append(word)
    return found


def opposite(stated: frozenset[str], held: frozenset[str]) -> tuple[str, str] | None:
    """A term that is stated and not held while its opposite is held, with that opposite."""
    for term in sorted(stated - held):
        for other in sorted(_opposites().get(term, frozenset()) & (held - stated)):
            return term, other
    return None


def _first_content(text: str, language: str) -> frozenset[str]:
    found = _content(text)
    return frozenset(_terms(found[0], language)[:1]) if found else frozenset()


def _last_content(text: str, language: str) -> frozenset[str]:
    found = _content(text)
    return frozenset(_terms(found[-1], language)[-1:]) if found else frozenset()


def _content(text: str) -> list[str]:
    return [r for r in raw_words(text) if not says_nothing(r)]


def _terms(raw: str, language: str) -> tuple[str, ...]:
    return tuple(words(raw, language))


_PAIRS = {
    "en": "enable/disable enabled/disabled allow/deny allow/forbid allowed/forbidden increase/decrease before/after "
    "always/never minimum/maximum minimal/maximal min/max more/less more/fewer least/most first/last higher/lower "
    "upper/lower start/stop open/close opens/closes include/exclude accept/reject required/optional mandatory/optional "
    "must/may public/private true/false synchronous/asynchronous read/write ascending/descending succeed/fail "
    "success/failure valid/invalid supported/unsupported safe/unsafe local/remote internal/external faster/slower "
    "longer/shorter larger/smaller bigger/smaller above/below all/none add/remove encrypt/decrypt input/output "
    "import/export upload/download",
    "de": "aktiviert/deaktiviert aktivieren/deaktivieren vor/nach immer/nie mindestens/höchstens minimal/maximal "
    "mehr/weniger erste/letzte höher/niedriger erlaubt/verboten muss/kann öffnet/schließt öffnen/schließen "
    "optional/erforderlich lokal/entfernt gültig/ungültig schneller/langsamer länger/kürzer größer/kleiner "
    "aufsteigend/absteigend synchron/asynchron hinzufügen/entfernen",
    "ru": "включен/выключен включен/отключен включить/выключить включить/отключить включает/отключает до/после "
    "всегда/никогда минимум/максимум минимальный/максимальный больше/меньше первый/последний разрешено/запрещено "
    "разрешает/запрещает обязательный/необязательный выше/ниже открывает/закрывает открыть/закрыть "
    "локальный/удаленный быстрее/медленнее длиннее/короче добавить/удалить синхронный/асинхронный",
    "zh": "启用/禁用 之前/之后 总是/从不 最小/最大 最少/最多 允许/禁止 必须/可以 打开/关闭 增加/减少 包括/排除 "
    "开始/停止 可选/必需 同步/异步 本地/远程 升序/降序",
}


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    """Term -> the terms that say the opposite."""
    found: dict[str, set[str]] = {}
    for language, pairs in _PAIRS.items():
        for pair in pairs.split():
            a, b = (next(iter(words(w, language))) for w in pair.split("/"))
            if a != b:
                found.setdefault(a, set()).add(b)
                found.setdefault(b, set()).add(a)
    return {term: frozenset(others) for term, others in found.items()}
