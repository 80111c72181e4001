"""Labelled pairs of questions for the answer cache: true paraphrases, and near-misses by systematic edits.

The seeds under ``benchmarks/data/`` are written by hand: a question, paraphrases of it, the same question about another
thing (``swap``), and its opposite. Everything else is made from them by rules, so that the same seeds give the same
pairs. Seeds with an odd number were read while the word lists grew ("dev"), the others were not ("heldout").
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

DATA = Path(__file__).parent / "data"
LANGUAGES = ("en", "de", "ru", "zh")
Half = Literal["dev", "heldout"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two questions and whether one answer serves both. kind: "paraphrase", or what differs."""

    a: str
    b: str
    same: bool
    kind: str
    language: str
    half: Half


@dataclass(frozen=True, slots=True)
class Seed:
    """A question of one language with its hand-written neighbours. opposite_kind: "negation" or "antonym"."""

    id: str
    language: str
    question: str
    same: list[str]
    swap: str
    opposite: str
    opposite_kind: str

    @property
    def half(self) -> Half:
        """Which half of the seeds it belongs to."""
        return "dev" if int(self.id[2:]) % 2 else "heldout"

    @property
    def forms(self) -> list[str]:
        """The question and its paraphrases."""
        return [self.question, *self.same]


CONTEXTS: dict[str, dict[str, tuple[str, str]]] = {
    "en": {
        "version": (" in version 2.1", " in version 2.2"),
        "number": (" with 3 workers", " with 4 workers"),
        "unit": (" within 5 seconds", " within 5 minutes"),
        "identifier": (" when using --fast-mode", " when using --safe-mode"),
        "entity": (" on Linux", " on Windows"),
        "place": (" on the client", " on the server"),
        "quote": (' in the section "Network"', ' in the section "Storage"'),
        "condition": (" with authentication", " without authentication"),
        "time": (" before a deploy", " after a deploy"),
        "quantifier": (" for all users", " for some users"),
    },
    "de": {
        "version": (" in Version 2.1", " in Version 2.2"),
        "number": (" mit 3 Workern", " mit 4 Workern"),
        "unit": (" innerhalb von 5 Sekunden", " innerhalb von 5 Minuten"),
        "identifier": (" mit der Option --fast-mode", " mit der Option --safe-mode"),
        "entity": (" unter Linux", " unter Windows"),
        "place": (" auf dem Client", " auf dem Server"),
        "quote": (' im Abschnitt "Netzwerk"', ' im Abschnitt "Speicher"'),
        "condition": (" mit Anmeldung", " ohne Anmeldung"),
        "time": (" vor einem Deployment", " nach einem Deployment"),
        "quantifier": (" für alle Benutzer", " für einige Benutzer"),
    },
    "ru": {
        "version": (" в версии 2.1", " в версии 2.2"),
        "number": (" с 3 процессами", " с 4 процессами"),
        "unit": (" за 5 секунд", " за 5 минут"),
        "identifier": (" с ключом --fast-mode", " с ключом --safe-mode"),
        "entity": (" в Linux", " в Windows"),
        "place": (" на клиенте", " на сервере"),
        "quote": (" в разделе «Сеть»", " в разделе «Хранение»"),
        "condition": (" с авторизацией", " без авторизации"),
        "time": (" до обновления", " после обновления"),
        "quantifier": (" для всех пользователей", " для некоторых пользователей"),
    },
    "zh": {
        "version": ("在2.1版本中,", "在2.2版本中,"),
        "number": ("有3个工作进程时,", "有4个工作进程时,"),
        "unit": ("在5秒内,", "在5分钟内,"),
        "identifier": ("使用--fast-mode时,", "使用--safe-mode时,"),
        "entity": ("在Linux上,", "在Windows上,"),
        "place": ("在客户端,", "在服务器端,"),
        "quote": ("在“网络”一节中,", "在“存储”一节中,"),
        "condition": ("启用认证时,", "不启用认证时,"),
        "time": ("部署之前,", "部署之后,"),
        "quantifier": ("对所有用户,", "对部分用户,"),
    },
}
"""Language -> kind of a near-miss -> two circumstances that call for different answers."""

_QUESTION_WORDS = {
    "en": (r"^How (?:do|can) I ", ("When do I ", "Why do I ", "Where do I ")),
    "de": (r"^Wie (?=\w+ ich\b)", ("Wann ", "Warum ", "Wo ")),
    "ru": (r"^Как ", ("Когда ", "Зачем ", "Где ")),
    "zh": (r"^如何", ("什么时候", "为什么要", "在哪里")),
}
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_NAME = re.compile(r"--[a-z]+-[a-z]+|\b[a-z]+_[a-z_]+\b|(?<![^\W\d_])(?:[A-ZА-Я][a-zа-я]+){2,}")
_END = re.compile(r"[?？.]$")


def pairs() -> list[Pair]:
    """Every labelled pair, in a fixed order, none twice."""
    made = [pair for seed in seeds() for pair in (*_paraphrases(seed), *_near_misses(seed))]
    made += _crossings(seeds())
    seen: set[frozenset[str]] = set()
    kept = []
    for pair in made:
        both = frozenset((pair.a, pair.b))
        if len(both) == 2 and both not in seen:
            seen.add(both)
            kept.append(pair)
    return kept


def polarity_pairs() -> list[Pair]:
    """The hand-written polarity set; no two questions of a pair share an answer."""
    halves: tuple[Half, Half] = ("dev", "heldout")
    return [
        Pair(row["a"], row["b"], False, row["kind"], row["language"], half)
        for half in halves
        for row in _rows(DATA / f"polarity_{half}.jsonl")
    ]


@lru_cache(maxsize=1)
def seeds() -> list[Seed]:
    """Every seed, by language and number."""
    return [Seed(**row) for language in LANGUAGES for row in _rows(DATA / f"cache_seeds_{language}.jsonl")]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def _paraphrases(seed: Seed) -> Iterator[Pair]:
    for place, a in enumerate(seed.forms):
        for b in seed.forms[place + 1 :]:
            yield Pair(a, b, True, "paraphrase", seed.language, seed.half)


def _near_misses(seed: Seed) -> Iterator[Pair]:
    """Every form of the seed beside everything that only looks like it."""
    different = [("entity", seed.swap), (seed.opposite_kind, seed.opposite), *_edits(seed)]
    for form in seed.forms:
        for kind, other in different:
            yield Pair(form, other, False, kind, seed.language, seed.half)
    for form in seed.forms:
        for kind, (one, other) in CONTEXTS[seed.language].items():
            a, b = _within(form, one, seed.language), _within(seed.question, other, seed.language)
            yield Pair(a, b, False, kind, seed.language, seed.half)
            yield Pair(form, b, False, "scope", seed.language, seed.half)


def _edits(seed: Seed) -> Iterator[tuple[str, str]]:
    """The question with another question word, number, version or name."""
    question = seed.question
    pattern, words = _QUESTION_WORDS[seed.language]
    if re.match(pattern, question):
        yield from (("question word", re.sub(pattern, word, question)) for word in words)
    if _NUMBER.search(question):
        yield "number", _NUMBER.sub(lambda m: str(int(m.group()) + 1), question)
        yield "number", _NUMBER.sub(lambda m: m.group() + "0", question)
    if _VERSION.search(question):
        yield "version", _VERSION.sub(lambda m: m.group() + ".1", question)
    if found := _NAME.search(question):
        yield "identifier", question.replace(found.group(), _other_name(found.group()))


def _other_name(name: str) -> str:
    """A name that differs in one part."""
    if name.startswith("--"):
        return name + "-all"
    return f"{name}_limit" if "_" in name else f"{name}2"


def _within(question: str, context: str, language: str) -> str:
    """The question under a circumstance: behind it, in Chinese before it."""
    if language == "zh":
        return context + question
    end = _END.search(question)
    return f"{question[: end.start()]}{context}{end.group()}" if end else question + context


def _crossings(every: Sequence[Seed]) -> Iterator[Pair]:
    """Pairs of different seeds of one language: every two questions."""
    for place, a in enumerate(every):
        for b in every[place + 1 :]:
            if a.language == b.language and not _akin(a, b):
                half: Half = "dev" if a.half == b.half == "dev" else "heldout"
                yield Pair(a.question, b.question, False, "other question", a.language, half)


def _akin(a: Seed, b: Seed) -> bool:
    """Whether a form of one is a form of the other too."""
    return bool(set(a.forms) & set(b.forms))


__all__ = ["CONTEXTS", "Half", "Pair", "Seed", "pairs", "polarity_pairs", "seeds"]
