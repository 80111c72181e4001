"""Signals from names: files whose definitions, modules, paths or frames the task names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..state.analysis import FileAnalysis
from .modules import ModuleMap
from .task import Task


@dataclass(frozen=True, slots=True)
class Places:
    """Paths the task points at.

    frames: path -> weight, the innermost frame 1. quoted: path -> 1 / number of files the
    mention could mean. dotted: path -> likewise for module names. imported: modules that code blocks import.
    """

    frames: dict[str, float] = field(default_factory=dict)
    quoted: dict[str, float] = field(default_factory=dict)
    dotted: dict[str, float] = field(default_factory=dict)
    imported: dict[str, float] = field(default_factory=dict)

    def all(self) -> dict[str, float]:
        """Every path pointed at, with its strongest weight."""
        joined: dict[str, float] = {}
        for source in (self.frames, self.quoted, self.dotted, self.imported):
            for path, weight in source.items():
                joined[path] = max(joined.get(path, 0.0), weight)
        return joined


def places(task: Task, modules: ModuleMap) -> Places:
    """The files that the task's frames, paths and dotted names resolve to."""
    found = Places()
    framed: set[str] = set()
    for depth, frame in enumerate(reversed(task.frames)):
        if frame.path in framed:  # nearer frames weigh more, and a deep recursion names one file a thousand times
            continue
        framed.add(frame.path)
        for path in _few(modules.find_path(frame.path)):
            _raise(found.frames, path, 0.8**depth)
    for mention in task.paths:
        if mention not in framed:
            _share(found.quoted, modules.find_path(mention))
    for name in task.dotted:
        _share(found.dotted, modules.find_dotted(name))
    for name in task.imports:
        _share(found.imported, modules.find_dotted(name))
    return found


@dataclass(frozen=True, slots=True)
class NamedDefinitions:
    """What a file defines of what the task names: section -> strength, and the names, strongest first."""

    strength: dict[str, float]
    names: list[str]


def named_definitions(
    task: Task, analyses: Mapping[str, FileAnalysis], definers: Callable[[str], int]
) -> dict[str, NamedDefinitions]:
    """Path -> the task's names that the file defines.

    Args:
        task: the task taken apart.
        analyses: path -> analysis.
        definers: how many files define a name; a name that many define says little of each.
    """
    rarity = {name: rarity_of(definers(name)) for name in _task_names(task)}
    wanted = {name: section for name, section in _task_names(task).items() if rarity[name] > 0}
    qualified = {d.rpartition(".")[2]: _tails(d) for d in task.dotted}
    return {path: _named(a, wanted, rarity, qualified) for path, a in analyses.items()}


def _task_names(task: Task) -> dict[str, str]:
    names = dict(task.symbols)
    for word in task.title.replace("`", " ").split():
        clean = word.strip(".,:;!?\"'()[]{}<>@#")
        if clean.isidentifier() and len(clean) > 2:
            names.setdefault(clean, "title_word")
    return names


def _named(
    analysis: FileAnalysis, wanted: dict[str, str], rarity: dict[str, float], qualified: dict[str, set[str]]
) -> NamedDefinitions:
    strength: dict[str, float] = {}
    found: dict[str, float] = {}
    for symbol in analysis.structure.symbols:
        section = wanted.get(symbol.name)
        if section is None:
            continue
        weight = rarity[symbol.name] * (1.0 if symbol.kind in ("class", "function") else 0.8)
        if symbol.name not in found:
            strength[section] = strength.get(section, 0.0) + weight
        tails = qualified.get(symbol.name)
        if tails and "." in symbol.qualified and ".".join(symbol.qualified.split(".")[-2:]) in tails:
            strength["qualified"] = max(strength.get("qualified", 0.0), 1.0)
            weight += 1.0
        found[symbol.name] = max(found.get(symbol.name, 0.0), weight + (section in ("title", "quoted")))
    return NamedDefinitions(strength, sorted(found, key=lambda n: (-found[n], n)))


def rarity_of(definers: int) -> float:
    """1 for a name one file defines, falling with the number of files that define it."""
    return 1.0 / (1.0 + math.log2(definers)) ** 2 if definers else 0.0


def _tails(dotted: str) -> set[str]:
    pieces = dotted.split(".")
    return {".".join(pieces[i : i + 2]) for i in range(len(pieces) - 1)}


def _few(paths: Sequence[str]) -> Sequence[str]:
    return paths if len(paths) <= 5 else []


def _share(found: dict[str, float], paths: Sequence[str]) -> None:
    for path in paths if len(paths) <= 12 else []:
        _raise(found, path, 1.0 / len(paths))


def _raise(found: dict[str, float], path: str, weight: float) -> None:
    found[path] = max(found.get(path, 0.0), weight)
