"""Word differences of prompts in bounded time: sentences first, words within the sentences that changed."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence

from .diff import WordRun, word_diff

_SENTENCE = re.compile(r"[^\n.!?。！？]*[\n.!?。！？]+\s*|[^\n.!?。！？]+")
_WORD = re.compile(r"\s+|\w+|[^\w\s]")

_MOST_PAIRS = 150_000
"""Equal pairs that a comparison may have to look at: a prompt of one repeated letter would take it hours."""


def prompt_diff(old: str, new: str) -> list[WordRun]:
    """The runs of two prompts in order; together they hold every letter of both.

    A stretch in which nearly everything repeats is told as removed and added as a whole.
    """
    before, after = _SENTENCE.findall(old), _SENTENCE.findall(new)
    if _pairs(before, after) > _MOST_PAIRS:
        return _words(old, new)
    runs: list[WordRun] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        left, right = "".join(before[a:b]), "".join(after[c:d])
        runs += [WordRun("same", left)] if tag == "equal" else _words(left, right)
    return runs


def _words(old: str, new: str) -> list[WordRun]:
    if _pairs(_WORD.findall(old), _WORD.findall(new)) <= _MOST_PAIRS:
        return word_diff(old, new)
    return [run for run in (WordRun("removed", old), WordRun("added", new)) if run.text]


def _pairs(before: Sequence[str], after: Sequence[str]) -> int:
    theirs = Counter(after)
    return sum(count * theirs[token] for token, count in Counter(before).items())
