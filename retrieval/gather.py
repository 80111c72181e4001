"""Dispatch's thinking: many ranked lists of files for one query, joined into a basket of candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from ..state.candidate import Candidate
from ..state.ports import Clause, Hit
from .fusion import reciprocal_rank_fusion
from .named import Places
from .past import PastEvidence
from .task import Task
from .terms import QueryTerms

_FIELDS = {"path": 2.0, "definitions": 1.5, "body": 1.0}
_DEPTH = 6  # how many times a list's length is asked of the engine, since tests and docs take places


Search = Callable[[Iterable[Clause], int], Sequence[Hit]]
"""Clauses and a limit -> best-first hits."""

Lists = dict[str, list[str]]
"""List name -> paths, best first."""


def ranked_lists(
    task: Task,
    query: QueryTerms,
    search: Search,
    definers: Callable[[str], int],
    where: Places,
    past: PastEvidence,
    depth: int,
) -> Lists:
    """Every ranked list of a first query.

    Args:
        task: the task taken apart.
        query: its terms.
        search: the lexical engine.
        definers: how many files define a name.
        where: the places the task points at.
        past: what the history says.
        depth: wanted length of the main lists, source files only.
    """
    long = depth * _DEPTH
    return {
        "title": _paths(search(_clauses(query, "title", _FIELDS), long)),
        "words": _paths(search(_clauses(query, "all", _FIELDS), long)),
        "identifiers": _paths(search(_whole_clauses(query), long)),
        "definitions": _paths(search(_definition_clauses(task, definers), long)),
        "paths": _paths(search(_clauses(query, "title", {"path": 1.0}), long // 2)),
        "places": best_first(where.all(), depth),
        "past": best_first(past.similar, depth),
        "recent": best_first(past.recent, depth // 4),
    }


def basket(
    lists: Lists,
    allowed: Callable[[str], bool],
    depth: int,
    limit: int,
    rrf_k: int,
    weights: Mapping[str, float] | None = None,
    demoted: Callable[[str], bool] = lambda path: False,
) -> list[Candidate]:
    """The candidates of all lists, fused.

    Args:
        lists: name -> paths, best first.
        allowed: whether a path may be a candidate at all.
        depth: how many paths each list may bring; demoted ones get an eighth of that, at least three.
        limit: most candidates.
        rrf_k: the constant of reciprocal rank fusion.
        weights: list name -> weight in the fusion, 1 when absent.
        demoted: whether a path stands behind the others (tests and docs behind sources).
    """
    cut = {name: _cut(paths, allowed, demoted, depth) for name, paths in lists.items()}
    fused = reciprocal_rank_fusion(cut, rrf_k, weights or {})
    holders: dict[str, list[str]] = {}
    for name, paths in cut.items():
        for path in paths:
            holders.setdefault(path, []).append(name)
    return [
        Candidate(path=path, signals={"fusion": score}, found_by=sorted(holders[path])) for path, score in fused[:limit]
    ]


def _cut(paths: Sequence[str], allowed: Callable[[str], bool], demoted: Callable[[str], bool], depth: int) -> list[str]:
    """The first ``depth`` allowed paths and an eighth as many demoted ones, at least three, in order."""
    kept: list[str] = []
    left = {False: depth, True: max(3, depth // 8)}
    for path in paths:
        if allowed(path):
            behind = demoted(path)
            left[behind] -= 1
            if left[behind] >= 0:
                kept.append(path)
            if max(left.values()) <= 0:
                break
    return kept


def _clauses(query: QueryTerms, section: str, fields: Mapping[str, float]) -> list[Clause]:
    weights = query.weights[section]
    return [
        Clause(f, t, boost * float(w))
        for t, w in zip(query.terms, weights, strict=True)
        if w > 0
        for f, boost in fields.items()
    ]


def _whole_clauses(query: QueryTerms) -> list[Clause]:
    return [Clause("body", t, 1.0) for t in query.terms[query.n_parts :]]


def _definition_clauses(task: Task, definers: Callable[[str], int]) -> list[Clause]:
    strength = {"title": 3.0, "quoted": 2.5, "prose": 2.0, "called": 1.5, "code": 1.0, "trace": 1.0}
    names = {**{w.strip(".,:;!?()[]`'\""): "code" for w in task.title.split()}, **task.symbols}
    return [Clause("symbols", n, strength[s]) for n, s in list(names.items())[:200] if n and 0 < definers(n) <= 60]


def _paths(hits: Sequence[Hit]) -> list[str]:
    return [h.path for h in hits]


def best_first(weights: Mapping[str, float], limit: int) -> list[str]:
    """The paths of the highest weights, ties by path."""
    return sorted(weights, key=lambda p: (-weights[p], p))[:limit]
