"""Text that others wrote, so that what a person reads is what is there."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5"
"""Printable by the book, and yet nothing to see."""


def visible(text: str) -> str:
    """The text with every character that does not show, or that turns its neighbours around, as ``⟨U+202E⟩``."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_seen(letter) for letter in text)


def shown(value: Any) -> Any:
    """What a template puts into a page: texts made visible, everything else as it is. Escaping comes after."""
    return visible(str(value)) if isinstance(value, str) and not hasattr(value, "__html__") else value


@lru_cache(maxsize=4096)
def _seen(letter: str) -> str:
    hides = letter in _BLANK_LETTERS or "\ufe00" <= letter <= "\ufe0e" or "\U000e0000" <= letter <= "\U000e0fff"
    if not hides and (letter.isprintable() or letter in "\n\r\t" or unicodedata.category(letter) == "Zs"):
        return letter
    return f"⟨U+{ord(letter):04X}⟩"
