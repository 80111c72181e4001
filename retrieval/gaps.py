"""What the evidence still lacks: symbols without a definition, paths not found, definitions nobody retrieved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..state.analysis import FileAnalysis
from ..state.candidate import Gap, GapKind
from .modules import ModuleMap
from .task import Task

_MOST_SYMBOLS = 12
_MOST_DEPENDENCIES = 8
_COMMON = 12  # a name that more files define is a word, not a place


def symbol_gaps(task: Task, held: set[str], definers: Callable[[str], int]) -> list[Gap]:
    """Names the asker wrote on purpose whose definition is not among the relevant files.

    Args:
        task: the task taken apart.
        held: names that the relevant files define.
        definers: how many files of the corpus define a name.
    """
    gaps: list[Gap] = []
    for name in task.strong_symbols:
        count = definers(name)
        if name in held or not 0 < count <= _COMMON:
            continue
        where = f"{count} file{'s' * (count > 1)}"
        detail = f"{name} is named in the task and defined in {where}, none of them among the relevant ones"
        gaps.append(Gap(kind=GapKind.SYMBOL, target=name, detail=detail, critical=_named_plainly(task, name)))
    return gaps[:_MOST_SYMBOLS]


def path_gaps(task: Task, modules: ModuleMap, ranked: set[str]) -> list[Gap]:
    """Paths the task quotes that are not in the corpus, or are there and not among the ranked files."""
    gaps: list[Gap] = []
    for mention in task.paths[:20]:
        found = modules.find_path(mention)
        if not found and "/" in mention and mention in task.title:
            gaps.append(
                Gap(
                    kind=GapKind.PATH,
                    target=mention,
                    detail=f"{mention} is named in the task and not in the corpus",
                    critical=True,
                )
            )
        elif not found and "/" in mention:
            gaps.append(Gap(kind=GapKind.PATH, target=mention, detail=f"{mention} is mentioned and not in the corpus"))
        elif 0 < len(found) <= 2 and not ranked & set(found):
            gaps.append(
                Gap(
                    kind=GapKind.PATH,
                    target=found[0],
                    detail=f"{mention} is mentioned and not among the relevant files",
                    critical=mention in task.title,
                )
            )
    return gaps


def dependency_gaps(
    high: Mapping[str, FileAnalysis],
    known: set[str],
    resolve: Callable[[str, FileAnalysis], Sequence[str]],
    task_terms: set[str],
    parts_of: Callable[[str], Sequence[str]],
) -> list[Gap]:
    """Definitions that highly relevant files import from files nobody retrieved, when the task speaks of them.

    Args:
        high: the highly relevant files.
        known: paths that were retrieved.
        resolve: path, analysis -> the files it imports.
        task_terms: stems of the task.
        parts_of: a path's stems.
    """
    gaps: list[Gap] = []
    for path in sorted(high):
        for target in resolve(path, high[path]):
            if target in known or not task_terms & set(parts_of(target)):
                continue
            gaps.append(
                Gap(
                    kind=GapKind.DEPENDENCY,
                    target=target,
                    detail=f"{path} uses {target}, which was not retrieved",
                    wanted_by=path,
                )
            )
    return list({g.target: g for g in gaps}.values())[:_MOST_DEPENDENCIES]


def no_match_gap(task: Task, size: int, left_out: Mapping[str, int]) -> Gap:
    """The gap of an empty result: what was looked through and what was not."""
    outside = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in left_out.items())
    seen = f"none of {size} searched files speaks of the task" if size else "the root holds no searchable file"
    return Gap(
        kind=GapKind.NO_MATCH,
        target=task.asked_title[:120],
        detail=seen + (f" (left out: {outside})" if outside else ""),
        critical=True,
    )


def _named_plainly(task: Task, name: str) -> bool:
    """Whether the task leaves no doubt that it means this name: it stands in the title."""
    return task.symbols.get(name) == "title"
