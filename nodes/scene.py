"""What the steps of one request share: the task taken apart and measured against a workspace."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Generic, TypeVar

from ..retrieval.lexical_signals import FieldWeights
from ..retrieval.modules import ModuleMap
from ..retrieval.named import places
from ..retrieval.neighbours import neighbourhood, stems
from ..retrieval.past import past_evidence
from ..retrieval.signals import Neighbourhood, Scene
from ..retrieval.task import read_task
from ..retrieval.terms import query_terms
from ..state.analysis import FileAnalysis
from ..state.genome import RetrievalGenome
from ..state.ports import Clause, Workspace

T = TypeVar("T")


class Memo(Generic[T]):
    """The latest results of a computation by key; the computation may run twice when two threads race."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: OrderedDict[tuple[object, ...], T] = OrderedDict()
        self._lock = Lock()

    def hold(self, size: int) -> None:
        """At least so many results stay from now on."""
        with self._lock:
            self._size = max(self._size, size)

    def get(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """The item of ``key``, made when absent."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
                return self._items[key]
        item = make()
        with self._lock:
            self._items[key] = item
            while len(self._items) > self._size:
                self._items.popitem(last=False)
        return item


_modules: Memo[ModuleMap] = Memo(8)
_twins: Memo[Mapping[str, Sequence[str]]] = Memo(8)
_scenes: Memo[Scene] = Memo(16)

SCENE_GENES = (
    *("k1", "b", "b_chunk", "path_weight", "definitions_weight"),
    *("max_terms", "past_commits", "recency_half_life_days"),
)
"""The genes that a scene and its rows of signals depend on; weights and thresholds come later."""


def scene_of(workspace: Workspace, text: str, genome: RetrievalGenome) -> Scene:
    """The scene of a task text in a workspace, computed once for all genomes that agree in what a scene depends on."""
    knobs = tuple(getattr(genome, name) for name in SCENE_GENES)
    key = (workspace.root, workspace.fingerprint, workspace.commit, text, knobs)
    return _scenes.get(key, lambda: _scene(workspace, text, genome))


def keep_scenes(count: int) -> None:
    """Let the scenes of so many tasks stay, some 2 MB each: trials of many genomes come back to every task."""
    for memo in (_modules, _twins, _scenes):
        memo.hold(count)


def modules_of(workspace: Workspace) -> ModuleMap:
    """The module map of a snapshot, built once."""
    return _modules.get((workspace.root, workspace.fingerprint), lambda: ModuleMap(workspace.paths))


def around(
    workspace: Workspace, seeds: Mapping[str, float], analyses: Mapping[str, FileAnalysis], tests: Mapping[str, float]
) -> Neighbourhood:
    """What lies one step from the seeds and from the tests (path -> weight) in a workspace."""
    modules = modules_of(workspace)
    twins = _twins.get((workspace.root, workspace.fingerprint), lambda: stems(sorted(workspace.paths)))
    return neighbourhood(
        seeds,
        analyses,
        modules,
        lambda path: _importers(workspace, path),
        workspace.history,
        twins,
        lambda name: _definers(workspace, name),
        tests,
    )


def _scene(workspace: Workspace, text: str, genome: RetrievalGenome) -> Scene:
    task = read_task(text)
    query = query_terms(task, frequency_in(workspace), workspace.size, genome.max_terms)
    return Scene(
        task=task,
        query=query,
        places=places(task, modules_of(workspace)),
        past=past_evidence(query, workspace.history, genome.past_commits, genome.recency_half_life_days),
        definers=lambda name: workspace.document_frequency(name, "symbols"),
        mean_length=workspace.mean_length,
        languages=workspace.languages,
        knobs=FieldWeights(
            k1=genome.k1,
            b=genome.b,
            b_chunk=genome.b_chunk,
            path=genome.path_weight,
            definitions=genome.definitions_weight,
        ),
    )


def frequency_in(workspace: Workspace) -> Callable[[str], int]:
    """How many files hold a term in their text or, when no text does, in their path: names of folders are evidence."""
    return lambda term: workspace.document_frequency(term) or workspace.document_frequency(term, "path")


def _definers(workspace: Workspace, name: str) -> list[str]:
    """Files that define a name; [] when too many do."""
    if not 0 < workspace.document_frequency(name, "symbols") <= 8:
        return []
    return [h.path for h in workspace.search([Clause("symbols", name, 1.0)], 8)]


def _importers(workspace: Workspace, path: str) -> list[str]:
    """Files whose imports name this file's module or package; a word match, cheap and mostly right."""
    stem = path.rpartition("/")[2].split(".")[0]
    if stem in ("__init__", "index", "mod", "lib", "main"):
        stem = path.rpartition("/")[0].rpartition("/")[2]
    if not stem or workspace.document_frequency(stem, "imports") > 80:
        return []
    return [h.path for h in workspace.search([Clause("imports", stem, 1.0)], 80) if h.path != path]


__all__ = ["SCENE_GENES", "Memo", "around", "keep_scenes", "modules_of", "scene_of"]
