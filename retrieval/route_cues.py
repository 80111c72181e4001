"""Cues of query types: regular expressions that speak for a type when they match a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..state.cue_patterns import SEEN, compiled_cue
from ..state.domains import RouteCues

_TAIL = 150
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class CueVotes:
    """votes: query type -> sum of the weights of its cues that match. words: what they matched, heaviest first."""

    votes: dict[str, float] = field(default_factory=dict)
    words: dict[str, list[str]] = field(default_factory=dict)


class CueBook:
    """The cues of a domain, compiled once.

    Raises:
        InvalidGenome: a cue is no regular expression of the small language in ``state/cue_patterns.py``.
    """

    def __init__(self, cues: Iterable[RouteCues]) -> None:
        self._cues: list[tuple[str, str, float, re.Pattern[str]]] = [
            (each.query_type, language, weight, compiled_cue(pattern))
            for each in cues
            for language, pairs in each.cues.items()
            for weight, pattern in pairs
        ]

    def votes(self, question: str, language: str) -> CueVotes:
        """What speaks for each query type: cues of ``language`` and of every language; all of them when it is ''."""
        text = seen(question)
        found: dict[str, dict[str, float]] = {}
        votes: dict[str, float] = {}
        for query_type, spoken, weight, pattern in self._cues:
            if (not language or spoken in ("", language)) and (match := pattern.search(text)):
                votes[query_type] = votes.get(query_type, 0.0) + weight
                found.setdefault(query_type, {}).setdefault(match.group(0).strip(" ,.:;?？").lower(), weight)
        return CueVotes(votes, {query_type: _heaviest(words) for query_type, words in found.items()})


def seen(question: str) -> str:
    """What cues see of a question: its beginning and its end, blanks collapsed; at most ``SEEN`` characters."""
    text = _BLANKS.sub(" ", question.strip())
    return text if len(text) <= SEEN else f"{text[: SEEN - _TAIL - 3]} … {text[-_TAIL:]}"


def _heaviest(words: Mapping[str, float]) -> list[str]:
    return sorted((w for w in words if w), key=lambda w: (-words[w], w))
