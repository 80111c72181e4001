"""Must, should or can, is or was: what a question asks about."""

# ruff: noqa: E501  (a table reads best in long lines)
from __future__ import annotations

import re

_WORDS = {
    "en": (
        ("must", r"must|(?:have|has|need|needs) to|needs?|needed|necessary"),
        ("should", r"should|ought"),
        ("can", r"can|could|may|might|possible"),
    ),
    "de": (
        ("must", r"muss|müssen|musst|müsste|brauch(?:e|t|en)|nötig|notwendig"),
        ("should", r"soll|sollen|sollte|sollten"),
        ("can", r"kann|können|könnte|darf|dürfen|lässt|lassen|möglich"),
    ),
    "ru": (
        ("must", r"должен|должна|должно|должны|нужно|нужен|нужна|нужны|надо|необходимо|требуется|обязан[аоы]?"),
        ("should", r"следует|стоит"),
        ("can", r"можно|может|могут|возможно"),
    ),
    "zh": (("must", r"必须|需要|务必"), ("should", r"应该|应当|该不该"), ("can", r"可以|能够|能否|可否|能不能|(?<![可功性智])能")),
}  # fmt: skip
_COMPILED = {
    language: [
        (name, re.compile(pattern if language == "zh" else rf"(?<!\w)(?:{pattern})(?!\w)", re.I))
        for name, pattern in kinds
    ]
    for language, kinds in _WORDS.items()
}


_PAST = {
    "en": r"was|were|did|had",
    "de": r"war|waren|wurde|wurden|hatte|hatten",
    "ru": r"был|была|было|были",
}
_COMPILED_PAST = {language: re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I) for language, words in _PAST.items()}


def is_past(text: str, language: str) -> bool:
    """Whether a question asks about what was, by its auxiliary verbs; Chinese does not show it."""
    return language in _COMPILED_PAST and bool(_COMPILED_PAST[language].search(text))


def modality_of(text: str, language: str) -> str:
    """The strongest of "must", "should", "can" that a question names, or ''."""
    return next((name for name, pattern in _COMPILED.get(language, ()) if pattern.search(text)), "")


__all__ = ["is_past", "modality_of"]
