"""One spelling for questions that differ only in courtesy, white space, width, case or final punctuation.

Nothing that can carry meaning is folded: the case of identifiers, options and quoted text stays (``Path`` in prose
meets ``path``, ``PATH`` does not), superscripts do not become digits, an operator at the end is no punctuation.
"""

from __future__ import annotations

import re
import unicodedata

from ..documents.language import language_of_text
from .frames import without_courtesy

_SUPERSCRIPT = re.compile(r"[\u00b2\u00b3\u00b9\u2070-\u207f\u2080-\u208e]")
_INVISIBLE = {"Cf", "Cc", "Co", "Cs"}
_SAME = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"', "‘": "'", "’": "'", "。": ".", "、": ",", "‐": "-", "‑": "-"})  # fmt: skip  # noqa: E501
_FINAL = re.compile(r"(?<=[\w)\]}\"'`>+#*%])(?: ?\.{3}|[?.!]{0,9}\?[?.!]{0,9}|\.)$")
_VERBATIM = re.compile(r"`[^`]+`|\"[^\"]+\"|(?<!\w)'[^']+'(?!\w)")
_WORD = re.compile(r"(?<![^\s(\[,;:/\"'-])[^\W\d_]+(?:'[^\W\d_]+)?(?=[\s,;:.?!)\]]|$)")


def normalise(question: str, language: str = "") -> str:
    """The spelling under which an exact hit is looked up; '' for a question without a character.

    language: of the question; recognised when ''.
    """
    text = tidy(question)
    text = bare(text, language or language_of_text(text))
    loud = is_loud(text)
    parts, last = [], 0
    for found in _VERBATIM.finditer(text):
        parts += [_folded(text[last : found.start()], loud), found.group()]
        last = found.end()
    return "".join([*parts, _folded(text[last:], loud)])


def tidy(question: str) -> str:
    """The question in compatible characters, with plain quotation marks, single blanks and nothing invisible."""
    text = _SUPERSCRIPT.sub(lambda m: f"^{unicodedata.normalize('NFKC', m.group())}", question)
    text = unicodedata.normalize("NFKC", text).translate(_SAME)
    text = "".join(" " if c in "\t\n\r\v\f" else c for c in text)
    return " ".join("".join(c for c in text if unicodedata.category(c) not in _INVISIBLE).split())


def bare(text: str, language: str) -> str:
    """A tidy question without courtesy and without the mark that ends it."""
    before = None
    while text != before:
        before = text
        text = without_courtesy(_FINAL.sub("", text).strip(), language)
    return text


def is_loud(text: str) -> bool:
    """Whether everything is written in capitals, so that capitals say nothing."""
    words = re.findall(r"[^\W\d_]{2,}", text)
    return len(words) > 2 and all(word.isupper() for word in words)


def _folded(text: str, loud: bool) -> str:
    return _WORD.sub(lambda m: _lower(m.group(), loud), text)


def _lower(word: str, loud: bool) -> str:
    if word in ("I", "A") or loud:
        return word.lower()
    plain = len(word) > 1 and (word[1:].islower() or word.endswith(("'ll", "'s", "'t", "'d", "'m")))
    return word.lower() if plain else word


__all__ = ["bare", "is_loud", "normalise", "tidy"]
