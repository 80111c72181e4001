"""Glob patterns over paths: ``**`` crosses folders, a pattern without a slash matches at any depth, a folder its files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from wcmatch import glob

_FLAGS = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.MATCHBASE | glob.FORCEUNIX


class Patterns:
    """A set of glob patterns; an empty set matches nothing."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(_normal(p) for p in patterns if p.strip())
        self._regexes = _compiled(self._patterns)
        self._exact = frozenset(self._patterns)

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def match(self, path: str) -> bool:
        """Whether any pattern matches ``path``."""
        return path in self._exact or any(r.match(path) for r in self._regexes)


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    globs = [p for p in patterns if any(c in p for c in "*?[{")]
    folders = [p.rstrip("/") + "/**" for p in patterns if p not in globs]
    bare = [p for p in patterns if p not in globs and "/" not in p]
    expressions: list[str] = []
    for pattern in [*globs, *folders, *bare]:
        expressions.extend(glob.translate(pattern, flags=_FLAGS, limit=10_000)[0])
    return tuple(re.compile(e) for e in expressions)


def _normal(pattern: str) -> str:
    """Forward slashes, no leading ``./`` or ``/``."""
    slashed = pattern.strip().replace("\\", "/")
    return re.sub(r"^(?:\./|/)+", "", slashed)
