"""A planner's proposals, held against the index: what the code base does not know weighs nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.advice import Plan
from ...state.errors import CallerError
from ..patterns import Patterns
from ..text import content_terms, unique

__all__ = ["PLAN_SCHEMA", "CodeBase", "confirmed"]

_MOST = {"identifiers": 12, "words": 12, "paths": 8}
_LONGEST = 120  # characters of one proposal
_WIDE = 40  # files: a glob that matches more says nothing
_WILDCARDS = 6
_NAME = re.compile(r"[^\W\d]\w+")

PLAN_SCHEMA: Mapping[str, Any] = {
    "title": "plan",
    "type": "object",
    "additionalProperties": False,
    "required": list(_MOST),
    "properties": {
        name: {"type": "array", "items": {"type": "string", "maxLength": 160}, "maxItems": 20} for name in _MOST
    },
}
"""Bounded, since a small model may go on without end; roomier than what is asked for: a little too much is cut here."""


@dataclass(frozen=True)
class CodeBase:
    """What proposals are held against.

    frequency: in how many files a term stands. defined: how many files define a name. find: paths that a mention of a
    file could mean. paths: every path that may be a candidate.
    """

    frequency: Callable[[str], int]
    defined: Callable[[str], int]
    find: Callable[[str], Sequence[str]]
    paths: Callable[[], Iterable[str]]


def confirmed(reply: Mapping[str, Any], said: set[str], code: CodeBase, weight: float = 1.0) -> Plan:
    """What is left of a reply under ``PLAN_SCHEMA``.

    Args:
        reply: the proposals.
        said: stems of the task; a word that only repeats them is no news.
        code: the code base.
        weight: 0 to 1, how far the planner is trusted.
    """
    dropped: Counter[str] = Counter()
    names = _names(_cut(reply, "identifiers", dropped), said, code, dropped)
    words = [w for w in _words(_cut(reply, "words", dropped), said, code, dropped) if w not in names]
    paths = _paths(_cut(reply, "paths", dropped), code, dropped)
    return Plan(names=names, words=words, paths=paths, dropped=dict(sorted(dropped.items())), weight=weight)


def _cut(reply: Mapping[str, Any], kind: str, dropped: Counter[str]) -> list[str]:
    """The first proposals of a kind, each once and short enough."""
    given = unique(text.strip() for text in reply[kind] if text.strip())
    kept = [text for text in given if len(text) <= _LONGEST][: _MOST[kind]]
    if len(kept) < len(given):
        dropped["too many or too long"] += len(given) - len(kept)
    return kept


def _names(texts: Iterable[str], said: set[str], code: CodeBase, dropped: Counter[str]) -> list[str]:
    """Identifiers that the code base holds and the task does not say; ``Query.add_q()`` is two of them."""
    kept = []
    for name in unique(name for text in texts for name in _NAME.findall(text)):
        terms = content_terms(name)
        if not terms.parts or _repeats(name, terms.wholes, said):
            dropped["said by the task"] += 1
        elif code.defined(name) or any(map(code.frequency, terms.wholes or terms.parts)):
            kept.append(name)
        else:
            dropped["unknown identifier"] += 1
    return kept


def _repeats(name: str, wholes: Sequence[str], said: set[str]) -> bool:
    return all(whole in said for whole in wholes) if wholes else set(content_terms(name).parts) <= said


def _words(texts: Iterable[str], said: set[str], code: CodeBase, dropped: Counter[str]) -> list[str]:
    kept = []
    for word in unique(raw.lower() for text in texts for raw in _NAME.findall(text)):
        parts = content_terms(word).parts
        if set(parts) <= said:
            dropped["said by the task"] += 1
        elif any(map(code.frequency, parts)):
            kept.append(word)
        else:
            dropped["unknown word"] += 1
    return kept


def _paths(texts: Iterable[str], code: CodeBase, dropped: Counter[str]) -> dict[str, float]:
    """Path -> 1 / number of files that one proposal means; paths and globs without a file are dropped."""
    found: dict[str, float] = {}
    for text in texts:
        meant = _meant(text, code)
        if len(meant) > _WIDE:
            dropped["glob of too many files"] += 1
        elif not meant:
            dropped["no such path"] += 1
        else:
            for path in meant:
                found[path] = max(found.get(path, 0.0), round(1.0 / len(meant), 4))
    return found


def _meant(text: str, code: CodeBase) -> list[str]:
    if not any(c in text for c in "*?["):
        exact = [path for path in code.find(text) if path]
        return exact or _matching(text, code)
    return _matching(text, code) if sum(map(text.count, "*?[{")) <= _WILDCARDS else []


def _matching(text: str, code: CodeBase) -> list[str]:
    try:
        pattern = Patterns([text])
    except CallerError:  # braces that stand for thousands of globs
        return []
    return sorted(path for path in code.paths() if pattern.match(path))
