"""What the panel says, in the language of whoever reads it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request

LANGUAGES: Mapping[str, str] = {"en": "English", "de": "Deutsch", "ru": "Русский"}
"""Code -> its own name; the first is the one that others fall back to."""

COOKIE = "iterative_retrieval_language"

_LOCALES = Path(__file__).parent / "locales"
_POINT = {"en": ".", "de": ",", "ru": ","}


class Texts:
    """The texts of one language; called with a key and what goes into the braces of the text."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = catalogue(language)

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key.

        Raises:
            KeyError: there is none; the tests see to it that there is.
        """
        return self._texts[key].format_map(values)

    def has(self, key: str) -> bool:
        """Whether there is a text of that key."""
        return key in self._texts

    def number(self, value: float | None, digits: int = 3, sign: bool = False) -> str:
        """A number with so many decimals, "–" when it was not measured."""
        if value is None or math.isnan(value):
            return "–"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        written = f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")
        return written.replace(".", _POINT[self.language])

    def count(self, value: int | float) -> str:
        """A whole number, its thousands apart."""
        return f"{value:,.0f}".replace(",", "\u202f")

    def moment(self, time: float | None) -> str:
        """A time as "2026-05-04 12:30 UTC", "–" for none."""
        return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M UTC") if time else "–"


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> Mapping[str, str]:
    """Key -> text with braces, of one of ``LANGUAGES``."""
    texts: dict[str, str] = json.loads((_LOCALES / f"{language}.json").read_text(encoding="utf-8"))
    return texts


def texts_for(request: Request) -> Texts:
    """The texts in the language that was chosen, else the one that the browser prefers."""
    chosen = request.cookies.get(COOKIE, "")
    return Texts(chosen if chosen in LANGUAGES else preferred(request.headers.get("accept-language", "")))


def preferred(header: str) -> str:
    """The language of an ``Accept-Language`` header that we speak and that is wanted most; English when none is."""
    wanted = [(_quality(entry), entry.partition(";")[0].strip().lower()[:2]) for entry in header.split(",")[:50]]
    spoken = [(quality, code) for quality, code in wanted if quality > 0 and code in LANGUAGES]
    return max(spoken, key=lambda pair: pair[0])[1] if spoken else next(iter(LANGUAGES))


def _quality(entry: str) -> float:
    for parameter in entry.split(";")[1:]:
        name, _, value = parameter.strip().partition("=")
        if name == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
