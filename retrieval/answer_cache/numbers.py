"""Numbers as questions write them: digits, words, units. Equal quantities get one spelling."""

# ruff: noqa: E501, SIM905  (a table reads best in long lines)
from __future__ import annotations

import re
from fractions import Fraction

NUMBER = re.compile(r"^[vV]?\d[\d.,]*(?:\.[xX*])?(?:[-+.]?[a-z]{1,6}\.?\d*)?%?$")
_GROUPED = re.compile(r"^\d{1,3}(?:,\d{3})+$")
_WITH_UNIT = re.compile(r"^(\d+(?:\.\d+)?)([a-zµ%]+)$", re.I)
_PLAIN = re.compile(r"^\d+(?:\.\d+)?$")

_WORDS = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
_MORE = {
    "en": {"twenty": "20", "thirty": "30", "sixty": "60", "hundred": "100", "thousand": "1000", "fifty": "50"},
    "de": {"zwanzig": "20", "dreißig": "30", "sechzig": "60", "hundert": "100", "tausend": "1000", "einer": ""},
    "ru": {
        **dict.fromkeys("один одна одно одну одного одной одном".split(), "1"),
        **dict.fromkeys("два две двух двум двумя".split(), "2"),
        **dict.fromkeys("три трех трем тремя".split(), "3"),
        **dict.fromkeys("четыре четырех четырьмя".split(), "4"),
        **dict.fromkeys("пять пяти пятью".split(), "5"),
        **dict.fromkeys("шесть шести".split(), "6"),
        **dict.fromkeys("семь семи".split(), "7"),
        **dict.fromkeys("восемь восьми".split(), "8"),
        **dict.fromkeys("девять девяти".split(), "9"),
        **dict.fromkeys("десять десяти".split(), "10"),
        **dict.fromkeys("сто ста".split(), "100"),
        **dict.fromkeys("тысяча тысячи тысячу".split(), "1000"),
    },
    "zh": dict(zip("两一二三四五六七八九十", "2 1 2 3 4 5 6 7 8 9 10".split(), strict=True)),
}
SPELLED = {
    language: {
        **{word: str(value) for value, word in enumerate(_WORDS.get(language, "").split())},
        **{word: value for word, value in _MORE[language].items() if value},
    }
    for language in ("en", "de", "ru", "zh")
}
"""Language -> number word -> digits."""

MULTIPLES = {
    "en": {"once": "1", "twice": "2", "thrice": "3"},
    "de": {"einmal": "1", "zweimal": "2", "dreimal": "3"},
    "ru": {"однажды": "1", "дважды": "2", "трижды": "3"},
    "zh": {},
}
"""Language -> adverb -> how many times."""

_UNITS = """
ms | ms msec millisecond milliseconds millisekunde millisekunden миллисекунда миллисекунды миллисекунд мс 毫秒
s | s sec secs second seconds sekunde sekunden секунда секунды секунд секунду сек 秒 秒钟
min | min mins minute minutes minuten минута минуты минут минуту мин 分钟 分
h | h hr hrs hour hours stunde stunden час часа часов 小时 个小时
d | d day days tag tage tagen день дня дней 天 日
w | week weeks woche wochen неделя недели недель неделю 周 个星期 星期
month | month months monat monate monaten месяц месяца месяцев 个月
year | year years jahr jahre jahren год года лет 年
b | b byte bytes байт байта 字节
kb | kb kilobyte kilobytes кб
mb | mb megabyte megabytes мб 兆
gb | gb gigabyte gigabytes гб
tb | tb terabyte terabytes тб
kib | kib
mib | mib
gib | gib
% | % percent prozent процент процента процентов 百分
× | times mal раз раза 次 倍
"""
UNITS = {word: unit for line in _UNITS.strip().splitlines() for unit, _, words in [line.partition(" | ")] for word in words.split()}  # fmt: skip
"""Word -> unit."""
_SECONDS = {"ms": Fraction(1, 1000), "s": Fraction(1), "min": Fraction(60), "h": Fraction(3600), "d": Fraction(86400), "w": Fraction(604800)}  # fmt: skip


def canonical(number: str) -> str:
    """One spelling of a number or version: "1,000" is "1000", "v2" is "2", "30s" is "30 s"; others stay as written."""
    number = number.lower()
    if _GROUPED.match(number):
        return number.replace(",", "")
    if number[0] == "v" and number[1:2].isdigit():
        return number[1:]
    if (found := _WITH_UNIT.match(number)) and found.group(2) in UNITS:
        return with_unit(found.group(1), UNITS[found.group(2)])
    return number


def with_unit(number: str, unit: str) -> str:
    """A quantity: durations in seconds, everything else as it stands."""
    if unit in _SECONDS and _PLAIN.match(number):
        return f"{Fraction(number) * _SECONDS[unit]} s"
    return f"{number} {unit}"


def is_version(number: str) -> bool:
    """Whether a number looks like a version: dots, letters, an x."""
    return bool(re.search(r"\d\.|[a-z]", number)) and " " not in number


__all__ = ["MULTIPLES", "NUMBER", "SPELLED", "UNITS", "canonical", "is_version", "with_unit"]
