"""What must agree exactly between a statement and its source: numbers, versions, identifiers."""

from __future__ import annotations

import re
from functools import lru_cache

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])v?\d+(?:[.,]\d+)*(?![\d])|(?<=[A-Za-z@_-])\d+(?:\.\d+)*")
_IDENTIFIER = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*"  # flags
    r"|\b[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+"  # dotted names
    r"|\b[A-Za-z]\w*_\w+|\b_\w+"  # snake case
    r"|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*"  # camel case
    r"|\b(?=\w*[A-Za-z])(?=\w*\d)[A-Za-z]\w*\b"  # utf8, sha256
)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_SPELLED = {
    word: str(number)
    for line in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    )
    for number, word in enumerate(line.split(), start=1)
    if word not in ("one", "eins", "один")  # these are pronouns as often as numbers
}
_WORD = re.compile(r"[^\W\d_]+")
_CHINESE = re.compile(r"([两二三四五六七八九十])(?=[个次种天秒分小年月倍条项])")
_CHINESE_DIGIT = dict(zip("两二三四五六七八九十", ("2", "2", "3", "4", "5", "6", "7", "8", "9", "10"), strict=True))


@lru_cache(maxsize=20_000)
def numbers(text: str) -> frozenset[str]:
    """The numbers of a text in one spelling: "1,000" and "1000", "v2.0" and "2.0", "five" and "5"."""
    found = {_number(m[0]) for m in _NUMBER.finditer(text)}
    found |= {_SPELLED[w.lower()] for w in _WORD.findall(text) if w.lower() in _SPELLED}
    return frozenset(found | {_CHINESE_DIGIT[m] for m in _CHINESE.findall(text)})


@lru_cache(maxsize=20_000)
def identifiers(text: str) -> frozenset[str]:
    """The flags, dotted, snake-case and camel-case names of a text, as written."""
    return frozenset(m[0] for m in _IDENTIFIER.finditer(text))


def holds_name(name: str, text: str) -> bool:
    """Whether a text holds a name as a whole: ``max_retry`` is not in ``max_retry_count``."""
    tail = r"(?!\w|-\w)" if name.startswith("-") else r"(?!\w)"
    return name in text and re.search(rf"(?<!\w){re.escape(name)}{tail}", text) is not None


def _number(raw: str) -> str:
    raw = raw.lstrip("v")
    return raw.replace(",", "") if _THOUSANDS.fullmatch(raw) else raw.replace(",", ".")
