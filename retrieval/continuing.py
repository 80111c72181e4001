"""Continuing an earlier search: what its package held is known, and a gap says what it lacked.

A reader learns while working what is missing. Its words are the search then, and the known files are the neighbourhood
to look around in. What they showed is neither lost nor paid a second time.

Tried and dropped: the task's title as context beside the gap. The known files, which are about that title, then rank
before the files that the gap is about, and no file is more relevant than one that ranks before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ..state.candidate import Evaluation, Gap, GapKind, band_of
from ..state.errors import ForeignResult
from ..state.package import ContextPackage, CycleTrace, FileContext, Span
from ..state.source import Chunk
from .text import unique

MOST_RANKED = 100
_MOST_FUNCTIONS = 100
_UNSCORED = -1e9  # scores are comparable within one request only; any new judgement is better than none


def check_source(previous: ContextPackage, root: str, ref: str | None) -> None:
    """Raise ForeignResult unless the earlier package was made of this root and ref."""
    if (previous.root, previous.ref) != (root, ref):
        theirs, ours = _source(previous.root, previous.ref), _source(root, ref)
        raise ForeignResult(
            f"the previous result is of {theirs}, not of {ours}; continue it there, or search without it"
        )


def known_evaluations(previous: ContextPackage, searchable: Callable[[str], bool]) -> list[Evaluation]:
    """The earlier package's files that are still there, in order, as evaluations waiting for a score."""
    return [
        Evaluation(
            path=f.path,
            score=_UNSCORED - place,
            relevance=f.relevance,
            probability=f.probability,
            reason=f.reason,
            cycle=1,
        )
        for place, f in enumerate(previous.files)
        if searchable(f.path)
    ]


def unseen(chunks: Sequence[Chunk], known: Sequence[Span]) -> list[int]:
    """Positions of the chunks of which no known span shows a line."""
    return [i for i, c in enumerate(chunks) if not any(s.first <= c.last and c.first <= s.last for s in known)]


def continued(
    previous: ContextPackage,
    package: ContextPackage,
    length: Callable[[str], int | None],
    names: Callable[[Collection[str]], Collection[str]],
) -> ContextPackage:
    """The earlier package with what was found since.

    Args:
        previous: the earlier package.
        package: what this search found, its cycles counted from 1; of known files only what is new.
        length: lines of a file; None when it is gone.
        names: the names that files define.
    """
    before = max((t.cycle for t in previous.cycles), default=0)
    kept = [_known(f, lines) for f in previous.files if (lines := length(f.path)) is not None]
    files = _joined(kept, [_later(f, before) for f in package.files])
    gaps = _gaps(previous, package, [f.path for f in files], names)
    paths = [path for path in previous.ranked if length(path) is not None]
    return package.model_copy(
        update={
            "files": files,
            "ranked": unique([*(f.path for f in files), *package.ranked, *paths])[:MOST_RANKED],
            "functions": unique([*package.functions, *_of_paths(previous.functions, paths)])[:_MOST_FUNCTIONS],
            "gaps": gaps,
            "cycles": [*previous.cycles, *(_later_cycle(t, before) for t in package.cycles)],
            "sufficient": package.sufficient and bool(package.files) and not any(g.critical for g in gaps),
            "warnings": [*package.warnings, *_changes(previous, package, length)],
        }
    )


def _source(root: str, ref: str | None) -> str:
    return f"{root} at {ref}" if ref else root


def _known(file: FileContext, lines: int) -> FileContext:
    """A file as the earlier package held it; lines that are no longer there are cut off."""
    spans = [s.model_copy(update={"last": min(s.last, lines)}) for s in file.spans if s.first <= lines]
    return file.model_copy(update={"spans": spans, "known": spans})


def _later(file: FileContext, before: int) -> FileContext:
    return file.model_copy(update={"cycle": file.cycle + before})


def _later_cycle(trace: CycleTrace, before: int) -> CycleTrace:
    return trace.model_copy(update={"cycle": trace.cycle + before})


def _joined(known: Sequence[FileContext], found: Sequence[FileContext]) -> list[FileContext]:
    """Every file once, most relevant first; of equals the known one first."""
    by_path = {f.path: f for f in known}
    for file in found:
        held = by_path.get(file.path)
        by_path[file.path] = file if held is None else _both(held, file)
    return sorted(by_path.values(), key=lambda f: -f.relevance)


def _both(held: FileContext, found: FileContext) -> FileContext:
    """A known file of which more lines are needed: the better relevance with its reason, all spans in line order."""
    best = max(held, found, key=lambda f: f.relevance)
    return held.model_copy(
        update={
            "relevance": best.relevance,
            "probability": max(held.probability, found.probability),
            "band": band_of(best.relevance),
            "reason": best.reason,
            "missing_context": unique([*found.missing_context, *held.missing_context]),
            "spans": sorted([*held.spans, *found.spans], key=lambda s: (s.first, s.last)),
        }
    )


def _gaps(
    previous: ContextPackage,
    package: ContextPackage,
    paths: Collection[str],
    names: Callable[[Collection[str]], Collection[str]],
) -> list[Gap]:
    """What is still missing: this search's gaps, and the earlier ones that nothing has filled."""
    gaps = list(package.gaps)
    if not package.files and not any(g.kind is GapKind.NO_MATCH for g in gaps):
        gaps.append(
            Gap(
                kind=GapKind.NO_MATCH,
                target=package.gap[:120],
                detail="nothing was found beyond what the earlier package holds",
                critical=True,
            )
        )
    filled = {*paths, *names(paths), *(g.target for g in gaps)}
    open_still = [g for g in previous.gaps if g.kind is not GapKind.NO_MATCH and g.target not in filled]
    return sorted([*gaps, *open_still], key=lambda g: not g.critical)


def _of_paths(functions: Sequence[str], paths: Collection[str]) -> list[str]:
    """The functions (``path:qualified.name``) that lie in one of the paths."""
    known = set(paths)
    return [f for f in functions if f.rpartition(":")[0] in known]


def _changes(previous: ContextPackage, package: ContextPackage, length: Callable[[str], int | None]) -> list[str]:
    """What happened to the tree since the earlier package, in words."""
    gone = [f.path for f in previous.files if length(f.path) is None]
    words = [f"{path} of the earlier package is no longer there" for path in gone]
    if previous.fingerprint and previous.fingerprint != package.fingerprint:
        words.append("files changed since the earlier package; lines that it showed may have moved")
    return words
