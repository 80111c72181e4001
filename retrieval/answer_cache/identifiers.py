"""Names of things in questions: what must be spelled the same in two questions that share an answer."""

# ruff: noqa: SIM905  (a table reads best in long lines)
from __future__ import annotations

import re

_SYMBOLS = re.compile(r"[_/\\@#$&=<>*+|^~%{}\[\]]|::|->|\w\(|\w\.\w|\w:\w|\w[!?]$")
_FLAG = re.compile(r"^--?[A-Za-z]")
_INNER_CAPITAL = re.compile(r"[^\W\d_A-ZА-ЯЁ][A-ZА-ЯЁ]|[A-ZА-ЯЁ]{2}[^\W\d_A-ZА-ЯЁ]{2}")
_CAPITALS = re.compile(r"^[A-ZА-ЯЁ]{2,}s?$")
_DIGITS_IN_WORD = re.compile(r"^(?=.*\d)(?=.*[^\W\d_])\w+(?:-\w+)*$")
_TITLED = re.compile(r"^(?:[A-Z]|[A-Z]\w*-[A-Z]\w*)(?:-[A-Z]\w*)+$")
_ORDINARY = frozenset(
    "set get post put patch path head list type date order group key join trace connect map all option delete and or "
    "not if in is like where select update insert create drop home user shell time log exit test let".split()
)


def identifier_of(piece: str) -> str:
    """The identifier that a piece of a question is, in the spelling that counts; '' when it is an ordinary word.

    "JSON" is as good as "json", but "SET" is no "set": capitals count where the word has an everyday meaning.
    """
    if _FLAG.match(piece) or _TITLED.match(piece):
        return piece
    if _CAPITALS.match(piece):
        return piece if plain_word(piece) in _ORDINARY else ""
    if _SYMBOLS.search(piece) or _INNER_CAPITAL.search(piece):
        return piece.removesuffix("()").lstrip("&") or piece
    return piece.lower() if _DIGITS_IN_WORD.match(piece) else ""


def plain_word(piece: str) -> str:
    """The lower-case word of a piece; "APIs" is "api"."""
    return piece[:-1].lower() if _CAPITALS.match(piece) and piece.endswith("s") else piece.lower()


__all__ = ["identifier_of", "plain_word"]
