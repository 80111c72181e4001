"""The graph around good files: what they import, who imports them, what changed with them, what stands beside them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from ..state.analysis import FileAnalysis, History
from .modules import ModuleMap
from .past import co_changed
from .signals import Neighbourhood

_MAX_IMPORTERS = 60  # a file that more import is a utility: its importers say nothing


def neighbourhood(
    seeds: Mapping[str, float],
    analyses: Mapping[str, FileAnalysis],
    modules: ModuleMap,
    importers_of: Callable[[str], Sequence[str]],
    history: History,
    twins: Mapping[str, Sequence[str]],
    definers_of: Callable[[str], Sequence[str]],
    tests: Mapping[str, float],
) -> Neighbourhood:
    """What lies one step from the seeds.

    Args:
        seeds: path -> weight (a probability); each hands its weight to its neighbours, shared by their number.
        analyses: path -> analysis, at least of the seeds.
        modules: resolves imports.
        importers_of: path -> files whose imports may mean it.
        history: past commits.
        twins: lower-case file stem -> paths with that stem.
        definers_of: class name -> files that define it.
        tests: path -> weight of the tests that read most like the task.
    """
    out: dict[str, float] = defaultdict(float)
    back: dict[str, float] = defaultdict(float)
    beside: dict[str, float] = defaultdict(float)
    above: dict[str, float] = defaultdict(float)
    folders: dict[str, float] = defaultdict(float)
    for seed, weight in sorted(seeds.items()):
        if seed in analyses:
            _hand_out(out, imported_by(seed, analyses[seed], modules), weight)
            _hand_out(above, _bases(seed, analyses[seed], definers_of), weight)
        folders[_folder(seed)] += weight
        importers = importers_of(seed)
        if len(importers) <= _MAX_IMPORTERS:
            _hand_out(back, importers, weight)
        _hand_out(beside, [p for p in twins.get(file_stem(seed), ()) if p != seed], weight)
    shared = {p: max(0.0, folders.get(_folder(p), 0.0) - seeds.get(p, 0.0)) for p in analyses}
    return Neighbourhood(
        out, back, co_changed(history, seeds), beside, above, shared, _tested(tests, analyses, modules)
    )


def _tested(tests: Mapping[str, float], analyses: Mapping[str, FileAnalysis], modules: ModuleMap) -> dict[str, float]:
    """What the tests import, and what they are named after."""
    scores: dict[str, float] = defaultdict(float)
    subjects = {file_stem(p): p for p in sorted(analyses, reverse=True)}
    for test, weight in sorted(tests.items()):
        if test in analyses:
            _hand_out(scores, [t for t in imported_by(test, analyses[test], modules) if t not in tests], weight)
        subject = subjects.get(_subject(file_stem(test)))
        if subject is not None and file_stem(subject):  # tests.py is no test of .gitignore
            scores[subject] += weight
    return scores


def _subject(stem: str) -> str:
    """The stem of the file that a test's stem speaks of."""
    for affix in ("test_", "tests_", "spec_"):
        stem = stem.removeprefix(affix)
    for affix in ("_test", "_tests", "_spec", "test", "tests", "spec"):
        stem = stem.removesuffix(affix)
    return stem


def _bases(path: str, analysis: FileAnalysis, definers_of: Callable[[str], Sequence[str]]) -> list[str]:
    """Files that define the base classes of the file's classes."""
    found: dict[str, None] = {}
    for bases in list(analysis.structure.bases.values())[:30]:
        for base in bases:
            definers = definers_of(base.rpartition(".")[2])
            for target in definers if len(definers) <= 3 else ():
                if target != path:
                    found.setdefault(target)
    return list(found)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def imported_by(path: str, analysis: FileAnalysis, modules: ModuleMap) -> list[str]:
    """The files that ``path`` imports, in order of mention."""
    found: dict[str, None] = {}
    for item in analysis.structure.imports:
        for target in modules.resolve(path, item, analysis.structure.language)[:4]:
            if target != path:
                found.setdefault(target)
    return list(found)


def file_stem(path: str) -> str:
    """The lower-case file name without its endings: what twins share."""
    return path.rpartition("/")[2].split(".")[0].lower()


def stems(paths: Sequence[str]) -> dict[str, list[str]]:
    """File stem -> paths, for stems that few files share."""
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        groups[file_stem(path)].append(path)
    return {stem: group for stem, group in groups.items() if 1 < len(group) <= 8}


def _hand_out(scores: dict[str, float], targets: Sequence[str], weight: float) -> None:
    for target in targets:
        scores[target] += weight / math.sqrt(len(targets))
