"""Checking citations: every source resolves to a retrieved chunk that holds its quote, every reference to a source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from ...state.answer import Answer, AnswerSource, CitationCheck
from ...state.documents import StoredChunk
from .claims import odd_references, references
from .quotes import MIN_QUOTE, find_quote, line_of, squeezed

NEARLY = 0.75
"""Share of a quote's words, in order, that a chunk must hold for the quote to count as altered, not invented."""


def check_citations(answer: Answer, chunks: Sequence[StoredChunk]) -> list[CitationCheck]:
    """One check per source of ``answer``, then one per reference that names no source.

    A source that no sentence refers to is misattributed: it supports nothing that is said.
    """
    by_key = {c.key: c for c in chunks}
    named = references(answer.answer)
    uses = Counter(s.number for s in answer.sources)
    checks = [_check(s, by_key, named, uses) for s in answer.sources]
    checks += [_no_source(n, f"[{n}]") for n in named if n not in uses]
    return checks + [_no_source(0, odd) for odd in odd_references(answer.answer)]


def _no_source(number: int, reference: str) -> CitationCheck:
    return CitationCheck(
        number=number, verdict="fabricated", detail=f"the answer refers to {reference}: no such source"
    )


def _check(
    source: AnswerSource, by_key: Mapping[str, StoredChunk], named: Sequence[int], uses: Counter[int]
) -> CitationCheck:
    number = source.number
    if uses[number] > 1:
        return CitationCheck(number=number, verdict="fabricated", detail=f"the number {number} is given twice")
    chunk = by_key.get(source.chunk)
    wrong = _quote(source, chunk, by_key) or (chunk and _place(source, chunk))
    if wrong:
        return wrong
    if number not in named:
        return CitationCheck(number=number, verdict="misattributed", detail="no sentence refers to it")
    return CitationCheck(number=number, verdict="supported")


def _quote(source: AnswerSource, chunk: StoredChunk | None, by_key: Mapping[str, StoredChunk]) -> CitationCheck | None:
    """What is wrong with the quote; None when its chunk holds it."""
    number, quote = source.number, source.quote
    if chunk is not None and squeezed(quote) == squeezed(chunk.text) and squeezed(quote):
        return None
    if len(squeezed(quote)) < MIN_QUOTE:
        return CitationCheck(
            number=number, verdict="fabricated", detail=f"a quote below {MIN_QUOTE} characters proves nothing"
        )
    if chunk is not None and find_quote(quote, chunk.text):
        return None
    holders = sorted(k for k, c in by_key.items() if k != source.chunk and find_quote(quote, c.text))
    if holders:
        return CitationCheck(number=number, verdict="misattributed", detail=f"{holders[0]} holds it")
    if chunk is not None and (difference := _difference(quote, chunk.text)):
        return CitationCheck(number=number, verdict="altered_quote", detail=difference)
    detail = "its chunk does not hold it" if chunk else f"{source.chunk} was not retrieved"
    return CitationCheck(number=number, verdict="fabricated", detail=detail)


def _place(source: AnswerSource, chunk: StoredChunk) -> CitationCheck | None:
    """What is wrong with document, heading, hash or lines; None when the chunk agrees."""
    same = {
        "document": source.document == chunk.document,
        "heading": list(source.heading) == list(chunk.heading),
        "sha256": source.sha256 == chunk.sha256,
        "lines": _on_lines(source, chunk),
    }
    wrong = [name for name, agrees in same.items() if not agrees]
    if not wrong:
        return None
    return CitationCheck(
        number=source.number, verdict="misattributed", detail=f"its chunk has another {', '.join(wrong)}"
    )


def _on_lines(source: AnswerSource, chunk: StoredChunk) -> bool:
    """Whether the quote stands on the lines the source names; a text may hold it more than once."""
    if not chunk.first <= source.first <= source.last <= chunk.last:
        return False
    lines = chunk.text.split("\n")[source.first - chunk.first : source.last - chunk.first + 1]
    if find_quote(source.quote, "\n".join(lines)) is None:
        return False
    found = find_quote(source.quote, chunk.text)
    return (
        found is not None and line_of(chunk, found.end - 1) - line_of(chunk, found.start) >= source.last - source.first
    )


_WORD = re.compile(r"[\u3400-\u9fff]|(?:(?![\u3400-\u9fff])\w)+|[^\w\s]")


def _difference(quote: str, text: str) -> str:
    """How a quote that is nearly in ``text`` differs from it; '' when it is nothing like it."""
    wanted, held = _WORD.findall(quote), _WORD.findall(text)
    matcher = SequenceMatcher(None, wanted, held, autojunk=False)
    matched = sum(block.size for block in matcher.get_matching_blocks())
    if matched < NEARLY * len(wanted):
        return ""
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "replace":
            return f"'{' '.join(wanted[a:b])}' stands for '{' '.join(held[c:d][:20])}'"
        if op == "delete":
            return f"'{' '.join(wanted[a:b])}' is added"
    return "words are left out, or pieces joined"


__all__ = ["check_citations"]
