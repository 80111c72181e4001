"""All signals of a set of files, side by side: the table that relevance is computed from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..state.analysis import FileAnalysis
from ..state.source import FileRole
from .lexical_signals import FieldWeights, bm25f, lexical_signals, path_terms, strongest_terms
from .matching import Matrix, match
from .named import NamedDefinitions, Places, named_definitions
from .past import PastEvidence
from .roles import role_of
from .task import Task
from .terms import QueryTerms, Vector
from .text import content_terms

_DEFINITION_SECTIONS = ("title", "title_word", "quoted", "prose", "called", "code", "trace", "qualified")


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Evidence that arrives through the graph: path -> strength, by kind of edge.

    imports: a likely file imports it. importers: it imports a likely file. co_changed: it changed with one. siblings:
    it has the same name as one. bases: it defines a base class of one. folders: it shares the folder of one. tested: a
    test that reads like the task imports it or is named after it.
    """

    imports: Mapping[str, float]
    importers: Mapping[str, float]
    co_changed: Mapping[str, float]
    siblings: Mapping[str, float]
    bases: Mapping[str, float]
    folders: Mapping[str, float]
    tested: Mapping[str, float]


NO_NEIGHBOURS = Neighbourhood({}, {}, {}, {}, {}, {}, {})


@dataclass(frozen=True, slots=True)
class FileRow:
    """What does not change about a file during a request.

    values: (n_static,), float32. speaks, path_says: the task's terms in its text and in its path, as the task writes
    them. named: what it defines of the task's names.
    """

    values: Vector
    speaks: list[str]
    path_says: list[str]
    named: NamedDefinitions


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything about a request that does not depend on which files are looked at; ``rows`` remembers the files."""

    task: Task
    query: QueryTerms
    places: Places
    past: PastEvidence
    definers: Callable[[str], int]
    mean_length: float
    languages: Mapping[str, float]
    knobs: FieldWeights
    rows: dict[str, FileRow] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SignalTable:
    """values: (n_files, n_signals), float32, unscaled, in the order of paths and names. rows: the files' rows."""

    paths: list[str]
    names: list[str]
    values: Matrix
    rows: list[FileRow]

    def column(self, name: str) -> Vector:
        """One signal over all files."""
        column: Vector = self.values[:, self.names.index(name)]
        return column


def signal_table(
    scene: Scene,
    analyses: Mapping[str, FileAnalysis],
    around: Neighbourhood = NO_NEIGHBOURS,
    learned: QueryTerms | None = None,
    further: Callable[[Sequence[str], Sequence[FileAnalysis]], Mapping[str, Vector]] | None = None,
) -> SignalTable:
    """The signals of the given files.

    learned: the words that earlier cycles added. further: gives more columns, (n_files,) each.
    """
    paths = sorted(analyses)
    _fill_rows(scene, {p: analyses[p] for p in paths if p not in scene.rows})
    rows = [scene.rows[p] for p in paths]
    changing = _graph_columns(paths, around) | _learned_columns(paths, [analyses[p] for p in paths], learned, scene)
    changing |= further(paths, [analyses[p] for p in paths]) if further else {}
    names = [*STATIC_SIGNALS, *sorted(changing)]
    if not paths:
        return SignalTable([], names, np.zeros((0, len(names)), np.float32), [])
    moving = np.stack([changing[n] for n in sorted(changing)], axis=1)
    return SignalTable(paths, names, np.concatenate([np.stack([r.values for r in rows]), moving], axis=1), rows)


def _fill_rows(scene: Scene, analyses: Mapping[str, FileAnalysis]) -> None:
    """Compute the rows of files seen for the first time."""
    if not analyses:
        return
    paths = list(analyses)
    ordered = [analyses[p] for p in paths]
    found = match(paths, ordered, scene.query)
    named = named_definitions(scene.task, analyses, scene.definers)
    columns = lexical_signals(scene.query, found, scene.mean_length, scene.knobs)
    columns |= _named_columns(paths, named)
    columns |= _place_columns(paths, scene.places)
    columns |= _past_columns(paths, scene.past)
    columns |= _title_path_columns(paths, scene.task)
    columns |= _prior_columns(paths, ordered, scene.languages)
    values = np.stack([np.asarray(columns[n], dtype=np.float32) for n in STATIC_SIGNALS], axis=1)
    for i, path in enumerate(paths):
        speaks, says = strongest_terms(scene.query, found, i), path_terms(scene.query, found, i)
        scene.rows[path] = FileRow(values[i], speaks, says, named[path])


STATIC_SIGNALS = (
    *(f"{kind}_{section}" for kind in ("bm25f", "chunk", "chunks3") for section in ("title", "prose", "code", "all")),
    *(f"{kind}_{section}" for kind in ("path", "names", "coverage") for section in ("title", "all")),
    *(f"rare_{section}" for section in ("title", "prose", "code")),
    *(f"pairs_{section}" for section in ("title", "prose", "code", "literal")),
    "wholes",
    *(f"defines_{section}" for section in _DEFINITION_SECTIONS),
    *("frame", "quoted_path", "dotted", "imported", "past_similar", "past_recent", "stem_title", "stem_all"),
    *(f"role_{role.value}" for role in FileRole if role is not FileRole.SOURCE),
    *("prior_length", "prior_package", "prior_depth", "prior_language", "prior_defines"),
)
"""The signals that do not change during a request."""


def _vector(paths: Sequence[str], values: Mapping[str, float]) -> Vector:
    return np.array([values.get(p, 0.0) for p in paths], dtype=np.float32)


def _named_columns(paths: Sequence[str], named: Mapping[str, NamedDefinitions]) -> dict[str, Vector]:
    return {
        f"defines_{section}": np.array([named[p].strength.get(section, 0.0) for p in paths], dtype=np.float32)
        for section in _DEFINITION_SECTIONS
    }


def _place_columns(paths: Sequence[str], where: Places) -> dict[str, Vector]:
    return {
        "frame": _vector(paths, where.frames),
        "quoted_path": _vector(paths, where.quoted),
        "dotted": _vector(paths, where.dotted),
        "imported": _vector(paths, where.imported),
    }


def _past_columns(paths: Sequence[str], past: PastEvidence) -> dict[str, Vector]:
    recent = np.log1p(_vector(paths, past.recent))
    return {"past_similar": _vector(paths, past.similar), "past_recent": recent}


def _graph_columns(paths: Sequence[str], around: Neighbourhood) -> dict[str, Vector]:
    return {
        "graph_imports": _vector(paths, around.imports),
        "graph_importers": _vector(paths, around.importers),
        "graph_co_changed": _vector(paths, around.co_changed),
        "graph_siblings": _vector(paths, around.siblings),
        "graph_bases": _vector(paths, around.bases),
        "graph_folder": _vector(paths, around.folders),
        "graph_tested": _vector(paths, around.tested),
    }


def _learned_columns(
    paths: Sequence[str], analyses: Sequence[FileAnalysis], learned: QueryTerms | None, scene: Scene
) -> dict[str, Vector]:
    """learned: BM25F of the learned words alone, the task's own words left out."""
    if learned is None or not learned.terms:
        return {"learned": np.zeros(len(paths), dtype=np.float32)}
    found = match(paths, analyses, learned)
    return {"learned": bm25f(found, scene.mean_length, scene.knobs) @ learned.idf}


def _title_path_columns(paths: Sequence[str], task: Task) -> dict[str, Vector]:
    """stem_title: share of the file name's words that the title holds. stem_all: likewise for the whole task."""
    title = set(content_terms(task.title).parts)
    everything = title | set(content_terms(task.prose).parts) | set(content_terms(task.code).parts)
    stems = [set(content_terms(_stem(p)).parts) for p in paths]
    return {
        "stem_title": np.array([len(s & title) / len(s) if s else 0.0 for s in stems], dtype=np.float32),
        "stem_all": np.array([len(s & everything) / len(s) if s else 0.0 for s in stems], dtype=np.float32),
    }


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.split(".")[0]
    return folder.rpartition("/")[2] if stem in ("__init__", "index", "mod", "lib", "main") else stem


def _prior_columns(
    paths: Sequence[str], analyses: Sequence[FileAnalysis], languages: Mapping[str, float]
) -> dict[str, Vector]:
    """What is known of a file without the task."""
    roles = [FileRole.GENERATED if a.generated else role_of(p) for p, a in zip(paths, analyses, strict=True)]
    columns = {
        f"role_{r.value}": np.array([x == r for x in roles], dtype=np.float32)
        for r in FileRole
        if r is not FileRole.SOURCE
    }
    columns["prior_length"] = np.array([math.log1p(len(a.parts)) for a in analyses], dtype=np.float32)
    columns["prior_package"] = np.array([_is_package_file(p) for p in paths], dtype=np.float32)
    columns["prior_depth"] = np.array([p.count("/") for p in paths], dtype=np.float32)
    columns["prior_language"] = np.array([languages.get(a.structure.language, 0.0) for a in analyses], dtype=np.float32)
    columns["prior_defines"] = np.array([len(a.structure.symbols) > 0 for a in analyses], dtype=np.float32)
    return columns


def _is_package_file(path: str) -> bool:
    return path.rpartition("/")[2] in ("__init__.py", "index.js", "index.ts", "mod.rs", "package-info.java", "doc.go")


def language_shares(analyses_languages: Sequence[str]) -> dict[str, float]:
    """Language -> its share of the files that have one."""
    counts = Counter(x for x in analyses_languages if x)
    total = sum(counts.values())
    return {language: n / total for language, n in counts.items()} if total else {}
