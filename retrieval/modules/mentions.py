"""What a text calls a file: a path, a file name, a dotted module or class name."""

from __future__ import annotations

import re

from .paths import Module, Parts, PathIndex, outside, parts_of

__all__ = ["dotted_paths", "mentioned_paths"]


def mentioned_paths(index: PathIndex, mention: str) -> list[str]:
    """The paths that share the longest run of final components with a mentioned path; all ties, sorted.

    Of a path with folders at least two components must agree, or one of the two paths must be used up:
    /usr/lib/python3/json/decoder.py is not every decoder.py. Case decides only between otherwise equal paths.
    """
    wanted = parts_of(_cleaned(mention))
    if not wanted:
        return []
    scored = {path: _shared(path, wanted) for path in index.named.get(wanted[-1].lower(), ())}
    best = max(scored.values(), default=(0, 0))
    return [path for path, score in scored.items() if score == best and best > (0, 0)]


def dotted_paths(index: PathIndex, dotted: str) -> list[str]:
    """The files that a dotted name means: those of its longest module prefix, nearest to a source root; all ties.

    Understands ``a.b.C.method``, ``crate::a::B``, ``A\\B\\C``, ``RuboCop::Cop::Foo`` and ``foo/bar``.
    """
    parts = _dotted_parts(dotted)
    for length in range(len(parts), 0, -1):
        found = index.ending_with(parts[:length], folded="::" in dotted or "\\" in dotted)
        best = _nearest(found, length)
        if best and (length > 1 or len(parts) == 1 or outside(best[0].parts, 1) == 0):
            return sorted({module.path for module in best})
    return namespaced_paths(index, parts) if "\\" in dotted else []


def namespaced_paths(index: PathIndex, parts: Parts) -> list[str]:
    """The PHP files whose path shares the longest end with a namespaced class; its beginning maps to any folder."""
    for start in range(1, len(parts)):
        tail = parts[start:]
        found = [module for module in index.ending_with(tail, folded=True) if module.language == "php"]
        best = _nearest(found, len(tail))
        if best and (len(tail) > 1 or (len(parts) == 2 and outside(best[0].parts, 1) == 0)):
            return sorted({module.path for module in best})
    return []


def _cleaned(mention: str) -> str:
    """A mention without quotes, drive, line number and with forward slashes."""
    path = mention.strip(" \t\n`'\"()[]<>,;").replace("\\", "/")
    return re.sub(r"^(?:file://)?/*(?:[A-Za-z]:/)?|(?::\d+)+:?$", "", path)


def _shared(path: str, wanted: Parts) -> tuple[int, int]:
    """How many final components agree without and with regard to case; (0, 0) when that is too few to mean much."""
    parts = parts_of(path)
    pairs = list(zip(reversed(parts), reversed(wanted), strict=False))
    loose = next((at for at, (one, other) in enumerate(pairs) if one.lower() != other.lower()), len(pairs))
    exact = sum(one == other for one, other in pairs[:loose])
    return (loose, exact) if loose >= min(2, len(parts), len(wanted)) else (0, 0)


def _dotted_parts(dotted: str) -> Parts:
    """The components of a dotted name, without a call's brackets and Rust's leading keywords."""
    parts = [part for part in re.split(r"::|[.\\/#]", dotted.strip(" \t\n`'\"").partition("(")[0]) if part]
    while "::" in dotted and parts and parts[0] in ("crate", "self", "super"):
        parts.pop(0)
    return tuple(parts)


def _nearest(found: list[Module], length: int) -> list[Module]:
    """The modules with the fewest folders outside the name."""
    best = min((outside(module.parts, length) for module in found), default=0)
    return [module for module in found if outside(module.parts, length) == best]
