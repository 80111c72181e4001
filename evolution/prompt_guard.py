"""What a changed prompt may not bring in: copied queries, addresses, code, orders against the answer contract.

Genomes become system prompts, and queries may come from anybody; so the guard would rather turn down a harmless change
than let one of these through. Only what the change adds counts: what the parent says, a person approved.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from .forbidden_orders import orders
from .prompt_rules import lost_fixed_rules, prompt_rules

__all__ = ["COPIED_WORDS", "instructs", "objection", "shingles"]

COPIED_WORDS = 5
"""Words in a row that may not come from a query or an answer; of Chinese, twice as many characters."""

_GROWTH, _SHARE_OF_GROWTH = 600, 0.5  # characters or share of the parent's length: judges like long answers
_SHARE_KEPT, _LONG = 0.3, 200  # of a parent with so many characters

_WORD = re.compile(r"[^\W_]+")
_HAN = re.compile("[\u3400-\u9fff]+")
_EMPHASIS = re.compile(r"[*`~]{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=[^\W_])_{1,3}(?!\w)")

_FOREIGN: Sequence[tuple[str, re.Pattern[str]]] = [
    ("an e-mail address", re.compile(r"[^\s@]+@[^\s@]+\.\w{2,}")),
    (
        "a URL",
        re.compile(
            r"\w{2,12}:/{1,2}\S|\bwww\.\S|\b(?:mailto|javascript|data):\S|\]\(\s*\S"
            r"|\b[\w-]+\.(?:com|net|org|info|biz|io|ai|dev|app|xyz|top|site|online|ru|su|de|cn|me|co)\b(?:/\S*)?",
            re.IGNORECASE,
        ),
    ),
    ("a code fence", re.compile(r"`{3,}|~{3,}")),
    ("a chat marker", re.compile(r"<\|?/?\s*\w[^>\n]{0,40}>|\[/?(?:INST|SYS)\]|^\s*#{2,}\s*\w+\s*:", re.I | re.M)),
    ("a JSON template", re.compile(r"[\"'“„]\w+[\"'”“]\s*:\s*[\"'“„\[{\d]")),
    (
        "a character that does not show",
        re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"),
    ),
]


def objection(before: str, after: str, quoted: frozenset[str] = frozenset()) -> str:
    """Why a prompt may not change like this; '' when it may.

    Args:
        before: the parent's prompt, '' when it has none.
        after: the proposed one.
        quoted: ``shingles`` of the queries and answers that the generator saw.
    """
    return (
        _size(before, after)
        or _lost(before, after)
        or _foreign(before, after)
        or _ordered(before, after)
        or _copied(before, after, quoted)
    )


def instructs(text: str) -> str:
    """What in a text reads like an order against contract, sources or judge; '' when nothing does."""
    return next((found[:80] for _, found in orders(_plain(text))), "")


def shingles(texts: Iterable[str]) -> frozenset[str]:
    """Every five words in a row, and every ten Chinese characters in a row, of the texts."""
    return frozenset(shingle for text in texts for shingle in _shingles(text))


def _size(before: str, after: str) -> str:
    most = len(before) + max(_GROWTH, int(_SHARE_OF_GROWTH * len(before)))
    if len(after) > most:
        return f"grows from {len(before)} to {len(after)} characters; at most {most} in one step"
    if before.strip() and not after.strip():
        return "empties the prompt"
    if len(before) >= _LONG and len(after) < _SHARE_KEPT * len(before):
        return f"shrinks from {len(before)} to {len(after)} characters; keep what still holds"
    return ""


def _lost(before: str, after: str) -> str:
    lost = lost_fixed_rules(before, after)
    return f"takes away a sentence that guards the answer contract: {lost[0]!r}" if lost else ""


def _foreign(before: str, after: str) -> str:
    for what, pattern in _FOREIGN:
        known = {match.group().casefold() for match in pattern.finditer(before)}
        if found := next((m.group() for m in pattern.finditer(after) if m.group().casefold() not in known), ""):
            return f"brings in {what}: {found[:80]!r}"
    return ""


def _ordered(before: str, after: str) -> str:
    known = {found.casefold() for _, found in orders(_plain(before))}
    added = ((what, found) for what, found in orders(_plain(after)) if found.casefold() not in known)
    return next((f"{what}: {found[:80]!r}" for what, found in added), "")


def _plain(text: str) -> str:
    """Without the decorations behind which an order could hide: emphasis, runs of white space, wide letters."""
    bare = _EMPHASIS.sub("", unicodedata.normalize("NFKC", text))
    return re.sub(r"[^\S\n]+", " ", bare)


def _copied(before: str, after: str, quoted: frozenset[str]) -> str:
    ours = _of_rules() | shingles([before])
    copied = next((s for s in _shingles(after) if s in quoted and s not in ours), None)
    return f"copies words from the queries and answers: {copied!r}" if copied else ""


def _shingles(text: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = _WORD.findall(_HAN.sub(" ", folded))
    for start in range(len(words) - COPIED_WORDS + 1):
        yield " ".join(words[start : start + COPIED_WORDS])
    size = 2 * COPIED_WORDS
    for run in _HAN.findall(folded):
        yield from (run[start : start + size] for start in range(len(run) - size + 1))


@lru_cache(maxsize=1)
def _of_rules() -> frozenset[str]:
    """The catalogue's own words are nobody's copy."""
    return shingles(text for rule in prompt_rules() for text in rule.texts.values())
