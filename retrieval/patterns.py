"""Glob patterns over paths: ``**`` crosses folders, one without a slash matches at any depth, a folder its files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from wcmatch import glob
from wcmatch._wcparse import PatternLimitException

from ..state.errors import CallerError

_FLAGS = glob.GLOBSTAR | glob.BRACE | glob.DOTGLOB | glob.MATCHBASE | glob.FORCEUNIX
_MOST_GLOBS = 10_000


class Patterns:
    """A set of glob patterns; an empty one matches nothing. Without wildcards a pattern is a path, folder or name.

    A path that equals a pattern matches it, whatever its characters mean in a glob.

    Raises:
        CallerError: the braces of a pattern stand for more than 10,000 globs.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        normal = {_normal(p) for p in patterns if p.strip()}
        globs = {p for p in normal if any(c in p for c in "*?[{")}
        self._regexes = _compiled(tuple(sorted(globs)))
        self._plain = frozenset(p.rstrip("/") for p in normal - globs)
        self._literal = frozenset(globs)  # a real path may hold brackets: app/[id]/page.tsx
        self._some = bool(normal)

    def __bool__(self) -> bool:
        return self._some

    def match(self, path: str) -> bool:
        """Whether any pattern matches ``path``."""
        if path in self._literal:
            return True
        if self._plain:
            if path in self._plain or path.rpartition("/")[2] in self._plain:
                return True
            folders = path.split("/")[:-1]
            if any(
                "/".join(folders[:i]) in self._plain or folders[i - 1] in self._plain
                for i in range(1, len(folders) + 1)
            ):
                return True
        return any(r.match(path) for r in self._regexes)


@lru_cache(maxsize=64)
def _compiled(globs: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    expressions: list[str] = []
    for pattern in globs:
        try:
            expressions.extend(glob.translate(pattern, flags=_FLAGS, limit=_MOST_GLOBS)[0])
        except PatternLimitException as error:
            raise CallerError(
                f"pattern '{pattern}' stands for more than {_MOST_GLOBS:,} globs; narrow its braces"
            ) from error
    return tuple(re.compile(e) for e in expressions)


def _normal(pattern: str) -> str:
    """Forward slashes, no leading ``./`` or ``/``."""
    slashed = pattern.strip().replace("\\", "/")
    return re.sub(r"^(?:\./|/)+", "", slashed)
