"""The answer contract beyond its types: what the numbers of an answer must add up to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...state.answer import Answer, AnswerSource
from ...state.caching import Evidence

_REFERENCE = re.compile(r"(?<![\w\])}`\"'])\[(\d{1,3})\](?![(\[:])")


def contract_problem(answer: Answer) -> str:
    """Why an answer breaks the contract, '' when it keeps it."""
    numbers = [source.number for source in answer.sources]
    if numbers != list(range(1, len(numbers) + 1)):
        return f"sources are numbered {numbers}"
    referred = {int(number) for number in _REFERENCE.findall(answer.answer)}
    if unknown := sorted(referred - set(numbers)):
        return f"[{unknown[0]}] names no source"
    return next((problem for source in answer.sources if (problem := _source_problem(source))), "")


def evidence_of(answer: Answer) -> list[Evidence]:
    """The chunks behind the sources, each once, in order."""
    return list({s.chunk: Evidence(chunk=s.chunk, sha256=s.sha256) for s in answer.sources}.values())


def sources_disagree(sources: Sequence[AnswerSource]) -> bool:
    """Whether one chunk is cited with two contents: it changed while the answer was written."""
    return len({(s.chunk, s.sha256) for s in sources}) > len({s.chunk for s in sources})


def _source_problem(source: AnswerSource) -> str:
    if source.last < source.first:
        return f"source {source.number} ends before it begins"
    if not source.quote.strip():
        return f"source {source.number} quotes nothing"
    return "" if source.sha256 else f"source {source.number} has no content hash"


__all__ = ["contract_problem", "evidence_of", "sources_disagree"]
