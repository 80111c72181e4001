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
) -> Neighbourhood:
    """What lies one step from the seeds.

    Args:
        seeds: path -> weight (a probability); each hands its weight to its neighbours, shared by their number.
        analyses: path -> analysis, at least of the seeds.
        modules: resolves imports.
        importers_of: path -> files whose imports may mean it.
        history: past commits.
        twins: lower-case file stem -> paths with that stem.
    """
    out: dict[str, float] = defaultdict(float)
    back: dict[str, float] = defaultdict(float)
    beside: dict[str, float] = defaultdict(float)
    for seed, weight in sorted(seeds.items()):
        if seed in analyses:
            _hand_out(out, imported_by(seed, analyses[seed], modules), weight)
        importers = importers_of(seed)
        if len(importers) <= _MAX_IMPORTERS:
            _hand_out(back, importers, weight)
        _hand_out(beside, [p for p in twins.get(file_stem(seed), ()) if p != seed], weight)
    return Neighbourhood(out, back, co_changed(history, seeds), beside)


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
