"""Chunks of a parsed text: one per function, one per class header, the code between them in runs.

Every line is painted with the innermost unit that holds it; runs of one colour are the raw chunks. Scraps then join
their neighbours and long runs are cut into windows, so the chunks always cover each line once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...state.source import Chunk, Symbol, SymbolKind
from .windows import windows

__all__ = ["chunks_of"]

_LONGEST, _WINDOW = 120, 70
_TINY = 5  # code lines below which a run is a scrap
_GROUP = 20  # scraps of definitions join up to this many lines

_HASH = ("#",)
_SLASHES = ("//", "/*", "*")
_COMMENTS = {
    "python": _HASH, "cython": _HASH, "ruby": _HASH, "php": (*_SLASHES, "#"), "rust": (*_SLASHES, "#["),
    "javascript": (*_SLASHES, "@"), "typescript": (*_SLASHES, "@"), "tsx": (*_SLASHES, "@"),
}  # fmt: skip


@dataclass(slots=True)
class _Unit:
    """A definition that gets its own chunk, or holds units that do. parent: index of the enclosing unit or -1."""

    symbol: str
    first: int
    last: int
    parent: int
    open: bool  # whether definitions inside it are units of their own


@dataclass(slots=True)
class _Run:
    """Consecutive lines of one unit (index, or -1 for the module). small: a scrap, or several of them joined."""

    unit: int
    first: int
    last: int
    small: bool = False


def chunks_of(lines: Sequence[str], symbols: Iterable[Symbol], language: str) -> list[Chunk]:
    """Chunks that cover the lines once, in order. symbols: in the order of the text, outer before inner."""
    units = _units(lines, symbols, _COMMENTS.get(language, _SLASHES))
    runs = _joined(_runs(len(lines), units), units, lines)
    return [
        Chunk(first, last, units[run.unit].symbol if run.unit >= 0 else "")
        for run in runs
        for first, last in windows(lines, run.first, run.last, _LONGEST, _WINDOW)
    ]


def _units(lines: Sequence[str], symbols: Iterable[Symbol], comments: tuple[str, ...]) -> list[_Unit]:
    """The units, outer before inner: classes, functions, and what is nested in classes or in very long functions."""
    units: list[_Unit] = []
    stack: list[int] = []
    for symbol in symbols:
        while stack and units[stack[-1]].last < symbol.first:
            stack.pop()
        parent = stack[-1] if stack else -1
        if symbol.kind is SymbolKind.CONSTANT or (stack and not units[parent].open):
            continue
        first = _with_comments(lines, symbol.first, units[parent].first + 1 if stack else 1, comments)
        opened = symbol.kind is SymbolKind.CLASS or symbol.last - symbol.first >= _LONGEST
        last = min(symbol.last, len(lines))
        units.append(_Unit(symbol.qualified, min(first, last), last, parent, opened))
        stack.append(len(units) - 1)
    return units


def _with_comments(lines: Sequence[str], first: int, floor: int, comments: tuple[str, ...]) -> int:
    """The first line of the comment directly above line ``first``, not above ``floor``; ``first`` without one."""
    while first > floor:
        above = lines[first - 2].strip()
        if above.endswith("*/") and not above.startswith(comments):
            opening = next((at for at in range(first - 1, floor - 1, -1) if "/*" in lines[at - 1]), 0)
            if not opening or not lines[opening - 1].lstrip().startswith("/*"):
                return first  # the comment ends a line of code
            first = opening
        elif above.startswith(comments):
            first -= 1
        else:
            return first
    return first


def _runs(count: int, units: Sequence[_Unit]) -> list[_Run]:
    """Runs of lines by the innermost unit that holds them."""
    owners = [-1] * count
    for index, unit in enumerate(units):
        owners[unit.first - 1 : unit.last] = [index] * (unit.last - unit.first + 1)
    runs, first = [], 1
    for owner, group in groupby(owners):
        last = first + sum(1 for _ in group) - 1
        runs.append(_Run(owner, first, last))
        first = last + 1
    return runs


def _joined(runs: Iterable[_Run], units: Sequence[_Unit], lines: Sequence[str]) -> list[_Run]:
    """The runs with scraps joined to the run before them, or after them where they open it or nothing comes before."""
    joined: list[_Run] = []
    seen: set[int] = {-1}
    opening = 0  # first line of a scrap that waits for the run after it
    for run in runs:
        code = _code_lines(lines, run)
        run.small = code < _TINY
        scrap = code == 0 or (run.small and run.unit in seen)
        seen.add(run.unit)
        if scrap and not opening and (_opens(lines, run) or (code == 0 and not joined)):
            opening = run.first
        elif joined and not opening and (scrap or _siblings(joined[-1], run, units)):
            joined[-1].last = run.last
        else:
            joined.append(_Run(run.unit, opening or run.first, run.last, run.small))
            opening = 0
    if opening:
        joined.append(_Run(-1, opening, len(lines)))
    return joined


def _opens(lines: Sequence[str], run: _Run) -> bool:
    """Whether the run's last line of code opens a block, as ``impl Drop for Sender {`` does."""
    code = (line.rstrip() for line in reversed(lines[run.first - 1 : run.last]) if line.strip())
    return next(code, "").endswith("{")


def _siblings(before: _Run, run: _Run, units: Sequence[_Unit]) -> bool:
    """Whether two scraps belong together: one-line functions side by side, or a short class and its first method."""
    if before.unit < 0 or not (before.small and run.small) or run.last - before.first >= _GROUP:
        return False
    return units[run.unit].parent in (before.unit, units[before.unit].parent)


def _code_lines(lines: Sequence[str], run: _Run) -> int:
    """How many lines hold more than white space and closing marks; counting stops at the scrap limit."""
    count = 0
    for line in lines[run.first - 1 : run.last]:
        if line.strip(" \t\f\r})];,") not in ("", "end"):
            count += 1
            if count >= _TINY:
                break
    return count
